"""From what people write to what the machine reads: System + Registry -> Problem."""

from mbplugin.compile.build import compile_system

__all__ = ["compile_system"]
