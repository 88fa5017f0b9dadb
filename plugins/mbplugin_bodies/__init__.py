"""Rigid bodies, `spatial` and `planar`, and point masses, `point`."""

from mbplugin.interface import hookimpl
from mbplugin_bodies.planar import Planar
from mbplugin_bodies.point import Point
from mbplugin_bodies.spatial import Spatial


@hookimpl
def mbplugin_body_kinds(register):
    register(Spatial)
    register(Planar)
    register(Point)
