"""Commands: `mbplugin NAME ...`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

#: commands of the engine, whose names plugins cannot take
BUILT_IN = (
    "run",
    "check",
    "explain",
    "analyze",
    "info",
    "loads",
    "render",
    "plot",
    "export",
    "paraview",
    "report",
    "import",
    "sweep",
    "linearize",
    "plugins",
    "schema",
    "new",
    "verify",
)


class Command:
    """Base of commands: `mbplugin NAME WORDS`. The docstring's first line is its help in `mbplugin --help`.

    name: small letters, digits and "-"
    """

    name: ClassVar[str]

    @classmethod
    def run(cls, words: Sequence[str]) -> None:
        """Do it. words: what stands behind the name, such as ["out", "--json"]; `argparse` can read them,
        and then serves `--help` too. Any error of `mbplugin.errors` becomes a message with its exit code; any
        other exception is reported with the name of the plugin. `SystemExit` ends as it says.
        """
        raise NotImplementedError
