"""Compilation of a scene into tables: System + Registry -> Problem."""

from mbplugin.compile.build import compile_system

__all__ = ["compile_system"]
