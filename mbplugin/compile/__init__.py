"""Compilation of a scene into tables: System + Registry -> Problem."""

from mbplugin.compile.body_content import complete_bodies
from mbplugin.compile.build import compile_system, in_joint_coordinates
from mbplugin.compile.of_plugins import complete_contacts
from mbplugin.compile.refill import StructureError
from mbplugin.compile.shape_kinds import complete_shapes

__all__ = [
    "StructureError",
    "compile_system",
    "complete_bodies",
    "complete_contacts",
    "complete_shapes",
    "in_joint_coordinates",
]
