"""Measures: functions of two marker poses, for constraints and joint coordinates."""

from mbplugin_joints.measures.angle import Angle, AngleAbout
from mbplugin_joints.measures.component import Component
from mbplugin_joints.measures.distance import Distance
from mbplugin_joints.measures.dot import Dot
from mbplugin_joints.measures.separation import Separation
from mbplugin_joints.measures.swing_twist import RotationAngle, Swing, TwistAngle
from mbplugin_joints.measures.turn import Turn
from mbplugin_joints.measures.twist import Twist

__all__ = [
    *("Angle", "AngleAbout", "Component", "Distance", "Dot", "RotationAngle", "Separation", "Swing", "Turn"),
    *("Twist", "TwistAngle"),
]
