"""`mbplugin export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mbplugin.cli.common import keys_and_values, loaded
from mbplugin.cli.options import NONE, Disabled, Stored, Strict
from mbplugin.cli.streams import opened


def export_result(
    result: Stored,
    out: Annotated[
        str,
        typer.Option(
            "-o",
            "--out",
            help="the file; its suffix says which: .csv, .parquet, .vtkhdf, .glb, or one of a plugin "
            "(`mbplugin plugins` lists them)",
        ),
    ],
    what: Annotated[
        list[str],
        typer.Argument(
            help="quantities of a table, such as energy.kinetic or joint.pin.force; default all stored"
        ),
    ] = NONE,
    keys: Annotated[list[str], typer.Option("--set", help="set a key of the exporter: separator=;")] = NONE,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.export.one_file import export

    stored = opened(result)
    registry, _ = loaded(no_plugin, strict)
    print(export(stored, registry, Path(out), what, keys_and_values(keys, "separator=;")))
