"""Measures, basic constraints and joints."""

from mbplugin.interface import hookimpl
from mbplugin_joints.actuator import Actuator
from mbplugin_joints.capstan import Capstan
from mbplugin_joints.curves import PointOnCurve
from mbplugin_joints.guides import (
    AxesAtAngle,
    InLine,
    ParallelAxes,
    Planar,
    PointOnLine,
    PointOnPlane,
    SameOrientation,
    Slot,
)
from mbplugin_joints.joints import Ball, Fixed, Pin, Revolute, Rod, Translational
from mbplugin_joints.measures import (
    Angle,
    Component,
    Distance,
    Dot,
    RotationAngle,
    Separation,
    Swing,
    Turn,
    Twist,
    TwistAngle,
)
from mbplugin_joints.pulley import Pulley
from mbplugin_joints.relations import Coupler, Gear, Rack
from mbplugin_joints.rolling import RollingDisc, Wheel
from mbplugin_joints.ropes import Rope, Separator
from mbplugin_joints.shafts import ConstantVelocity, Cylindrical, Screw, Universal, UniversalRotation
from mbplugin_joints.touching_curves import CurveOnCurve
from mbplugin_joints.unilateral import Unilateral
from mbplugin_joints.winch import Winch

KINDS = (
    Ball,
    Revolute,
    Pin,
    Translational,
    Fixed,
    Rod,
    Cylindrical,
    Universal,
    UniversalRotation,
    Planar,
    ParallelAxes,
    AxesAtAngle,
    SameOrientation,
    PointOnLine,
    InLine,
    Slot,
    PointOnPlane,
    PointOnCurve,
    CurveOnCurve,
    Screw,
    ConstantVelocity,
    Coupler,
    Gear,
    Rack,
    Pulley,
    Rope,
    Separator,
    Capstan,
    Winch,
    RollingDisc,
    Wheel,
    Actuator,
    Unilateral,
)


@hookimpl
def mbplugin_constraint_types(register):
    for kind in KINDS:
        register(kind)


@hookimpl
def mbplugin_measures(register):
    register("angle", Angle)
    register("distance", Distance)
    register("separation", Separation)
    register("turn", Turn)
    register("twist", Twist)
    register("swing", Swing)
    register("twist_angle", TwistAngle)
    register("rotation_angle", RotationAngle)
    for i in "xyz":
        register(f"component_{i}", Component(i))
        for j in "xyz":
            register(f"dot_{i}{j}", Dot(i, j))
