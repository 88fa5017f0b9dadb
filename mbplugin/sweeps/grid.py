"""The points of a sweep: values of keys of a scene, in all combinations or in pairs."""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, toml_text

#: 0.1:0.5:50, and 1:1000:4:log
RANGE = re.compile(r"\s*([^:,\[\]\"']+):([^:,\[\]\"']+):\s*(\d+)\s*(:\s*log\s*)?")
SYNTAX = "write KEY=FIRST:LAST:COUNT, KEY=FIRST:LAST:COUNT:log or KEY=VALUE,VALUE, such as length=0.1:0.5:50"
#: most points: a hundredth of a second each would take a day
MOST = 10_000_000
#: the dimension of pairs
POINT = "point"


class Grid:
    """Values by key, named as for `Problem.set_parameter`; point i has the values `point(i)`.

    pairs: the first values together, the second ones, ...; else all combinations, the last key fastest
    """

    def __init__(self, values: Mapping[str, Iterable[Any]], pairs: bool = False) -> None:
        if not isinstance(values, Mapping) or not values:
            raise SceneError("sweep", mend='needs values of at least one key: {"length": [0.1, 0.2]}')
        self.values = {str(key): listed_values(str(key), given) for key, given in values.items()}
        self.pairs = bool(pairs)
        counts = {key: len(given) for key, given in self.values.items()}
        if pairs and len(set(counts.values())) > 1:
            numbers = ", ".join(f"{key} has {count}" for key, count in counts.items())
            raise SceneError("sweep", mend=f"pairs need as many values of each key; {numbers}")
        self.shape = (next(iter(counts.values())),) if pairs else tuple(counts.values())
        #: of arrays over the points
        self.dims = (POINT,) if pairs else tuple(self.values)
        if len(self) > MOST:
            raise SceneError("sweep", mend=f"has {len(self)} points; at most {MOST} are accepted")

    def __len__(self) -> int:
        return math.prod(self.shape)

    def point(self, index: int) -> dict[str, Any]:
        """Key -> value at point `index`."""
        places: Any = [index] * len(self.values) if self.pairs else np.unravel_index(index, self.shape)
        return {key: given[int(k)] for k, (key, given) in zip(places, self.values.items())}

    def coordinate(self, key: str) -> np.ndarray:
        """The values of a key as float64, or as texts where they are not numbers."""
        given = self.values[key]
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in given):
            return np.array(given, float)
        return np.array([value if isinstance(value, str) else toml_text(value, 4) for value in given])

    def digests(self) -> dict[str, str]:
        """Digests of the values of each key."""
        return {
            key: hashlib.sha256(repr(given).encode()).hexdigest()[:32] for key, given in self.values.items()
        }


def listed_values(key: str, given: Any) -> list[Any]:
    """The values of one key as Python numbers, lists or texts. Raises SceneError."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise SceneError(f"sweep: {key}", given, f'needs a list of values, such as {{"{key}": [1.0, 2.0]}}')
    values = [v.tolist() if isinstance(v, np.ndarray | np.generic) else v for v in given]
    if not values:
        raise SceneError(f"sweep: {key}", mend="has no values")
    return values


def read_values(texts: Iterable[str]) -> dict[str, list[Any]]:
    """The values of texts as on the command line: "length=0.1:0.5:50", "mass=1,2,3". Raises SceneError."""
    values: dict[str, list[Any]] = {}
    for text in texts:
        key, sign, given = text.partition("=")
        key = key.strip()
        if not sign or not key or not given.strip():
            raise SceneError("sweep", text, SYNTAX)
        if {key, key.removeprefix("parameters."), f"parameters.{key}"} & set(values):
            raise SceneError("sweep", text, f"{key} is given twice")
        values[key] = values_of(text, given)
    return values


def values_of(text: str, given: str) -> list[Any]:
    """Values in the part behind the equals sign of `text`. Raises SceneError."""
    if (found := RANGE.fullmatch(given)) is not None:
        try:
            first, last, count = float(found[1]), float(found[2]), int(found[3])
        except ValueError:
            raise SceneError("sweep", text, SYNTAX) from None
        if not (math.isfinite(first) and math.isfinite(last) and 1 <= count <= MOST):
            raise SceneError("sweep", text, SYNTAX)
        if found[4] is None:
            return list(np.linspace(first, last, count).tolist())
        if not first * last > 0:
            raise SceneError("sweep", text, "log needs first and last of the same sign, and not 0")
        return list(np.geomspace(first, last, count).tolist())
    try:
        values = list(tomllib.loads(f"values = [{given}]")["values"])
        empty = given.rstrip().endswith(",")
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        values = parts_of(given)  # expressions, words
        empty = "" in values
        if any(":" in part and not part.startswith(("'", '"')) for part in values):
            raise SceneError("sweep", text, SYNTAX) from None
    if empty:
        raise SceneError("sweep", text, f"has an empty value beside a comma; {SYNTAX}")
    return values


def parts_of(given: str) -> list[str]:
    """Parts between commas that are in no parentheses."""
    parts, depth = [""], 0
    for letter in given:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
