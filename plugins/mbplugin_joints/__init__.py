"""Measures, basic constraints and joints."""

from mbplugin.interface import hookimpl
from mbplugin_joints.joints import Ball, Fixed, Pin, PointOnLine, Revolute, Rod, Translational
from mbplugin_joints.measures import Angle, Component, Distance, Dot, Separation, Turn


@hookimpl
def mbplugin_constraint_types(register):
    for kind in (Ball, Revolute, Pin, Translational, Fixed, PointOnLine, Rod):
        register(kind)


@hookimpl
def mbplugin_measures(register):
    register("angle", Angle)
    register("distance", Distance)
    register("separation", Separation)
    register("turn", Turn)
    for i in "xyz":
        register(f"component_{i}", Component(i))
        for j in "xyz":
            register(f"dot_{i}{j}", Dot(i, j))
