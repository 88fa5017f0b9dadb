"""Command line: one module per command, imported when the command runs."""

from mbplugin.cli.app import main
