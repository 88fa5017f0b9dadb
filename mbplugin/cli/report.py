"""`mbplugin report`."""

from __future__ import annotations

from pathlib import Path

from mbplugin.cli.streams import opened


def report_result(result: str, out: str | None) -> None:
    shown = opened(result)
    print(shown.report(Path(out) if out is not None else shown.folder / "report.html"))
