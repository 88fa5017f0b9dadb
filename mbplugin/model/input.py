"""Table [[input]]: a number that may change between two steps, and is held until it changes again."""

from __future__ import annotations

import functools
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import Field, PrivateAttr, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.model.columns import check_columns, read_columns
from mbplugin.model.functions import LARGEST
from mbplugin.model.quantities import Number
from mbplugin.model.table import Table

#: samples of one input
MOST = 10_000_000
#: of an interval as a ratio; products with numbers of samples are exact
LARGEST_DENOMINATOR = 1_000_000


class Samples:
    """Times (n,) [s], increasing, and the values (n,) that hold from these times on."""

    def __init__(self, time: Any, value: Any) -> None:
        """Raises SceneError with the key `time` or `value`."""
        self.time, self.value = numbers(time, "time"), numbers(value, "value")
        if len(self.time) > MOST:
            raise SceneError("time", f"{len(self.time)} numbers", f"at most {MOST:.0e} are accepted")
        check_columns(self.time, self.value, "time", 1, "time and value")

    @property
    def at_start(self) -> float | None:
        """The value at t = 0; None if the first time is later."""
        k = int(np.searchsorted(self.time, 0.0, side="right"))
        return float(self.value[k - 1]) if k else None


def numbers(values: Any, key: str) -> np.ndarray:
    """(n,) finite numbers. Raises SceneError."""
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError):
        raise SceneError(key, str(values), "must be a list of numbers") from None
    if array.ndim != 1:
        raise SceneError(key, f"an array of the shape {array.shape}", "must be a list of numbers")
    wrong = np.flatnonzero(~(np.abs(array) <= LARGEST))
    if len(wrong):
        k = int(wrong[0])
        raise SceneError(f"{key}[{k}]", float(array[k]), f"must be a finite number, at most {LARGEST:g}")
    return array


def samples_of(path: Path, name: str, unit: str, key: str = "file") -> Samples:
    """Samples of a CSV file; what its heading says of units must be right. Raises SceneError."""
    time, value, stated = read_columns(path, name, 1, key)
    for one, right in zip(stated, ("s", unit)):
        if one and right and one != right:
            raise SceneError(
                key, name, f"its heading says [{one}], where [{right}] is read; convert its numbers"
            )
    return Samples(time, value)


class Input(Table):
    """A number from outside: `[[input]]`. Its name is the number in expressions. It is `start` until it is
    set, or until the first time of its table.
    """

    name: str = Field(description="one word of letters, digits and _")
    unit: str = Field(default="", description='for tables and plots, such as "N m"')
    start: Number | None = Field(default=None, description="value at t = 0; default 0")
    time: list[Number] | None = Field(
        default=None, description="times from which `value` holds [s], increasing"
    )
    value: list[Number] | None = Field(
        default=None, description="of a table: the values, each held until the next time"
    )
    file: str | None = Field(
        default=None,
        description="a CSV file in the scene's folder with two columns, time [s] and value, "
        "under any headings; a comment begins with #",
    )

    _samples: Samples | None = PrivateAttr(None)

    @model_validator(mode="after")
    def table_or_file(self) -> Self:
        if (self.time is None) != (self.value is None):
            missing = "value" if self.value is None else "time"
            raise SceneError(missing, NOT_GIVEN, "give both `time` and `value`, or none for no table")
        if self.file is not None and self.time is not None:
            raise SceneError("file", self.file, "give `time` and `value`, or `file`, not both")
        return self

    def attach(self, folder: Path) -> None:
        """Read its table; a file is in `folder`. Raises SceneError."""
        if self.file is not None:
            self._samples = samples_of(folder / self.file, self.file, self.unit)
        elif self.time is not None:
            self._samples = Samples(self.time, self.value)
        if self._samples is not None and self.start is not None and self._samples.at_start is not None:
            mend = "its table says the value at t = 0 already; leave `start` out, or begin the table later"
            raise SceneError("start", self.start, mend)

    @property
    def samples(self) -> Samples | None:
        """Its table; None: it changes only where a program sets it."""
        return self._samples

    def played(self, samples: Samples) -> Input:
        """This input with these samples in the place of its table."""
        other = self.model_copy()
        other._samples = samples
        return other

    @property
    def at_start(self) -> float:
        """The value at t = 0."""
        value = self._samples.at_start if self._samples is not None else None
        return value if value is not None else self.start or 0.0


def sample_time(k: Any, every: float) -> Any:
    """The time of sample k [s], the number nearest to k every where that is a ratio: 0.3 of 3 times 0.1, not
    0.30000000000000004.
    """
    over, under = ratio(every)
    return k * over / under


@functools.lru_cache(maxsize=64)
def ratio(every: float) -> tuple[float, float]:
    """An interval [s] as a ratio of two whole numbers, below `LARGEST_DENOMINATOR`; (every, 1) if it is none
    to rounding.
    """
    found = Fraction(every).limit_denominator(LARGEST_DENOMINATOR)
    exact = found.numerator / found.denominator == every
    return (float(found.numerator), float(found.denominator)) if exact else (every, 1.0)
