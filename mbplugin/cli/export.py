"""`mbplugin export`."""

from __future__ import annotations

from pathlib import Path

from mbplugin.cli.common import keys_and_values, loaded
from mbplugin.cli.streams import opened
from mbplugin.export.one_file import export


def export_result(
    result: str, what: list[str], out: str, keys: list[str], no_plugin: list[str], strict: bool
) -> None:
    stored = opened(result)
    registry, _ = loaded(no_plugin, strict)
    print(export(stored, registry, Path(out), what, keys_and_values(keys, "separator=;")))
