"""`mbplugin report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mbplugin.cli.options import Stored
from mbplugin.cli.streams import opened


def report_result(
    result: Stored,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="a .html file; default report.html in the result's folder"),
    ] = None,
) -> None:
    stored = opened(result)
    print(stored.report(Path(out) if out is not None else stored.folder / "report.html"))
