"""Functions of two marker poses: what constraints hold and what joints report."""

from mbplugin_joints.measures.angle import Angle
from mbplugin_joints.measures.component import Component
from mbplugin_joints.measures.distance import Distance
from mbplugin_joints.measures.dot import Dot
from mbplugin_joints.measures.separation import Separation
from mbplugin_joints.measures.turn import Turn

__all__ = ["Angle", "Component", "Distance", "Dot", "Separation", "Turn"]
