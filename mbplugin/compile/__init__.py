"""Compilation of a scene into tables: System + Registry -> Problem."""

from mbplugin.compile.build import compile_system
from mbplugin.compile.structure import StructureError

__all__ = ["StructureError", "compile_system"]
