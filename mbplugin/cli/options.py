"""Arguments and options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Scene = Annotated[
    str, typer.Argument(help="a .toml file, a scene folder, or a Python file that defines `system`")
]
Stored = Annotated[str, typer.Argument(help="folder of a result")]
#: default of options that may be given several times
NONE: list[str] = []
Changes = Annotated[
    list[str], typer.Option("--set", help="set a parameter or a key: stiffness=5, solver.tolerance=1e-9")
]
Json = Annotated[bool, typer.Option("--json", help="print one JSON document")]
Disabled = Annotated[list[str], typer.Option("--no-plugin", help="do not load this plugin")]
Strict = Annotated[bool, typer.Option("--strict-plugins", help="stop if a plugin cannot be loaded")]
