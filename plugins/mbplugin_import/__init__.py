"""Importers of robots: URDF."""

from mbplugin.interface import hookimpl
from mbplugin_import.urdf import Urdf


@hookimpl
def mbplugin_importers(register):
    for importer in (Urdf,):
        register(importer)
