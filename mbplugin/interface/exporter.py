"""Exporters: files of other programs that are made from a result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar


class Exporter:
    """Base of exporters: `mbplugin export RESULT -o x.csv`.

    name:       as messages name it
    suffix:     of its files, with the dot: ".csv"
    chooses:    whether it takes names of quantities, such as "joint.pin.force"; one that exports the motion
                of the bodies does not
    parameters: pydantic class of its keys, or None: `--set separator=";"`

    `write(result, file, what, params)` writes `file` from a `Result`: `result.columns(*what)` are quantities
    with names and units, `result.drawn` the shapes, `result.surface` the same merged into one set of
    triangles, `result.raw["bodies/position"]` any stored array. The file takes its name when `write` returns,
    so a failure leaves an older file as it was. An OSError becomes a message, any other exception one with
    the name of the plugin.
    """

    name: ClassVar[str]
    suffix: ClassVar[str]
    chooses: ClassVar[bool] = False
    parameters: ClassVar[Any] = None

    @classmethod
    def write(cls, result: Any, file: Path, what: Sequence[str], params: Any) -> None:
        """Write `file`. result: a `Result`; what: names of quantities, none for all; params: validated."""
        raise NotImplementedError
