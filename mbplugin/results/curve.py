"""Columns of a table, or lines of a plot: numbers with a name and a unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import optional_library
from mbplugin.results.layout import COMPONENTS, Array


class Curve(NamedTuple):
    """One line of a plot, or column of a table."""

    label: str
    values: Array  # (frames,)
    unit: str
    remark: str = ""  # on all its values
    words: tuple[str, ...] = ()  # what each whole number from 0 on means

    @property
    def heading(self) -> str:
        """Name and unit, such as "energy.kinetic [J]"."""
        return self.label if self.unit in ("", "1") else f"{self.label} [{self.unit}]"

    def in_degrees(self) -> Curve:
        """This curve with angles, their rates and accelerations in degrees."""
        if self.unit.partition("/")[0] != "rad":
            return self
        return self._replace(values=np.degrees(self.values), unit=self.unit.replace("rad", "deg", 1))


def by_component(
    name: str, values: Array, unit: str, letters: Sequence[str] = COMPONENTS["xyz"], remark: str = ""
) -> list[Curve]:
    """The curve of numbers (n,), or those of the components (n, k) of a vector, which have these letters."""
    if values.ndim == 1:
        return [Curve(name, values, unit, remark)]
    return [Curve(f"{name}.{c}", values[:, k], unit, remark) for k, c in enumerate(letters)]


def data_frame(columns: Sequence[Curve], index: bool = False) -> Any:
    """A `pandas.DataFrame` of columns; `attrs["units"]` has their units. index: whether the first one is the
    index. Raises MissingLibraryError.
    """
    pandas = optional_library("pandas", "a table")
    found = pandas.DataFrame({one.label: one.values for one in columns})
    found = found.set_index(columns[0].label) if index else found
    found.attrs["units"] = {one.label: one.unit for one in columns}
    return found
