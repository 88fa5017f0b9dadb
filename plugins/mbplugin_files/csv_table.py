"""Exporter `csv`: a table of quantities over time as text."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from mbplugin.interface import Exporter, Parameters


class CsvParameters(Parameters):
    """Keys of a table as text."""

    separator: str = Field(",", min_length=1, max_length=1, description="between the columns")


class Csv(Exporter):
    """A line for each frame; names and units of the columns in the first one. Numbers are read back to the
    bit.
    """

    name = "csv"
    suffix = ".csv"
    chooses = True
    parameters = CsvParameters

    @classmethod
    def write(cls, result: Any, file: Path, what: Sequence[str], params: Any) -> None:
        columns = result.columns(*what)
        with file.open("w", newline="", encoding="utf-8") as text:
            lines = csv.writer(text, delimiter=params.separator)
            lines.writerow(column.heading for column in columns)
            lines.writerows(zip(*(column.values.tolist() for column in columns)))
