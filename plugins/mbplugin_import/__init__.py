"""Importers of robots: URDF and MJCF."""

from mbplugin.interface import hookimpl
from mbplugin_import.mjcf import Mjcf
from mbplugin_import.urdf import Urdf


@hookimpl
def mbplugin_importers(register):
    for importer in (Urdf, Mjcf):
        register(importer)
