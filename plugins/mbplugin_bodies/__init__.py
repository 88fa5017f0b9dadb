"""Rigid bodies, `spatial` and `planar`, and `pseudo_rigid` ones, which deform homogeneously; point masses,
`point`, and inertias on coordinates, `rotor`.
"""

from mbplugin.interface import hookimpl
from mbplugin_bodies.planar import Planar
from mbplugin_bodies.point import Point
from mbplugin_bodies.pseudo_rigid import PseudoRigid
from mbplugin_bodies.rotor import Rotor
from mbplugin_bodies.spatial import Spatial


@hookimpl
def mbplugin_body_kinds(register):
    register(Spatial)
    register(Planar)
    register(Point)
    register(Rotor)
    register(PseudoRigid)
