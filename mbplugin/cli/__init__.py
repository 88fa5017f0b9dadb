"""The command line: one file per command, each imported when it is called."""

from mbplugin.cli.app import main

__all__ = ["main"]
