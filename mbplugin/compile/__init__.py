"""Compilation of a scene into tables: System + Registry -> Problem."""

from mbplugin.compile.body_content import complete_bodies
from mbplugin.compile.build import compile_system
from mbplugin.compile.of_plugins import complete_contacts
from mbplugin.compile.shape_kinds import complete_shapes
from mbplugin.compile.structure import StructureError

__all__ = ["StructureError", "compile_system", "complete_bodies", "complete_contacts", "complete_shapes"]
