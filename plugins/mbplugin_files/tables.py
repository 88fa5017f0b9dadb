"""Exporters `csv` and `parquet`: a table of quantities over time, as text and for data frames."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from mbplugin.errors import SceneError
from mbplugin.interface import Exporter, Parameters, optional_library

#: characters that neither numbers nor names have
SEPARATORS = (",", ";", ":", "|", " ", "\t")


class CsvParameters(Parameters):
    """Keys of a table as text."""

    separator: str = Field(",", description='between the columns: , ; : | a space or a tab ("\\t")')
    degrees: bool = Field(False, description="angles and their rates in degrees")

    @field_validator("separator")
    @classmethod
    def no_part_of_a_number(cls, value: str) -> str:
        if value.replace("\\t", "\t") not in SEPARATORS:
            raise SceneError(value=value, mend='must be one of , ; : | a space or a tab ("\\t")')
        return value.replace("\\t", "\t")


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
        if params.degrees:
            columns = [column.in_degrees() for column in columns]
        with file.open("w", newline="", encoding="utf-8") as text:
            lines = csv.writer(text, delimiter=params.separator)
            lines.writerow(column.heading for column in columns)
            lines.writerows(zip(*(column.values.tolist() for column in columns)))


class Parquet(Exporter):
    """A column for each component; its field has the metadata `unit`. Needs pyarrow."""

    name = "parquet"
    suffix = ".parquet"
    chooses = True

    @classmethod
    def write(cls, result: Any, file: Path, what: Sequence[str], params: Any) -> None:
        arrow = optional_library("pyarrow", "a .parquet file")
        parquet = optional_library("pyarrow.parquet", "a .parquet file")
        columns = result.columns(*what)
        arrays = [arrow.array(column.values) for column in columns]
        fields = [
            arrow.field(column.label, array.type, metadata={"unit": column.unit})
            for column, array in zip(columns, arrays)
        ]
        parquet.write_table(arrow.table(arrays, schema=arrow.schema(fields)), file)
