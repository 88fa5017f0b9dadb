"""`mbplugin export`."""

from __future__ import annotations

from pathlib import Path

from mbplugin.cli.common import keys_and_values, loaded
from mbplugin.cli.streams import opened
from mbplugin.export.one_file import export


def export_result(
    folder: str, what: list[str], out: str, keys: list[str], disabled: list[str], strict: bool
) -> None:
    result = opened(folder)
    registry, _ = loaded(disabled, strict)
    print(export(result, registry, Path(out), what, keys_and_values(keys, "separator=;")))
