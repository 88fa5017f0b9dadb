"""Exporter `parquet`: a table of quantities over time for pandas, Polars, DuckDB and others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mbplugin.interface import Exporter, optional_library


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
