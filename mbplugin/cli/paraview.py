"""`mbplugin paraview`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mbplugin.cli.options import Stored
from mbplugin.cli.streams import opened
from mbplugin.errors import SceneError, writing


def show_in_paraview(
    result: Stored = "",
    forces: Annotated[
        bool, typer.Option("--forces", help="show reactions and forces of contacts as arrows at once")
    ] = False,
    script: Annotated[
        str | None,
        typer.Option(help="write the picture as a script for paraview and pvpython instead; - prints it"),
    ] = None,
    plugin_path: Annotated[
        bool, typer.Option("--plugin-path", help="print the path of the reader plugin for ParaView, no more")
    ] = False,
) -> None:
    from mbplugin.paraview import READER, script_of, start

    if plugin_path:
        print(READER)
        return
    if not result:
        raise SceneError("RESULT", mend="give the folder of a result")
    text = script_of(opened(result).raw, forces)
    if script is None:
        sys.exit(start(text))
    elif script == "-":
        print(text, end="")
    else:
        with writing(script):
            Path(script).write_text(text, encoding="utf-8")
        print(script)
