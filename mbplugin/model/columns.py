"""Two columns of a CSV file."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model.functions import LARGEST

#: size of a CSV file
MOST_BYTES = 100_000_000
#: a cell of a heading such as "lift [mm]"
HEADED = re.compile(r".*\[([^\[\]]*)\]\s*")
#: how a cell begins that is meant as a number
NUMERIC = re.compile(r"\s*[+-]?\.?\d")
#: letters typed for digits
LETTERS = str.maketrans("lIOo", "1100")


class TwoColumns(NamedTuple):
    """Numbers (n,) of a file, x increasing, and the units in brackets of its heading."""

    x: np.ndarray
    y: np.ndarray
    units: tuple[str, str]  # "" where the heading has none


def read_columns(path: Path, name: str, least: int = 3, key: str = "file") -> TwoColumns:
    """A CSV file of two columns: headings, then numbers. Blank lines and comments (#) may stand anywhere.
    Raises SceneError.

    name: for messages; least: fewest lines; key: for messages
    """
    try:
        if path.exists() and not path.is_file():
            raise SceneError(key, name, "is not a regular file")
        if path.exists() and path.stat().st_size > MOST_BYTES:
            raise SceneError(key, name, f"is larger than {MOST_BYTES / 1e6:.0f} MB")
        with open(path, newline="", encoding="utf-8-sig") as file:
            return columns_of(file, name, least, key)
    except SceneError:
        raise
    except UnicodeDecodeError:
        raise SceneError(key, name, 'is not UTF-8 text; save it as "CSV UTF-8"') from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        mend = f"cannot be read: {reason}; expected it in the scene's folder, at {path.absolute()}"
        raise SceneError(key, name, mend) from None


def columns_of(lines: Iterable[str], name: str, least: int, key: str) -> TwoColumns:
    """The columns in these lines. Raises SceneError."""
    rows: list[tuple[float, float]] = []
    units: list[tuple[str, str]] = []
    for line, text in enumerate(lines, 1):
        comment = text.lstrip().startswith("#")
        try:
            cells = text.split(",") if comment else cells_of(text)
        except csv.Error as error:
            raise SceneError(key, name, f"line {line} ({text.strip()!r}): {error}") from None
        if not cells or (comment and rows):
            continue
        if comment or (not rows and is_heading(cells)):
            found = units_of(cells)
            units += [found] if all(found) or (any(found) and not comment) else []
            continue
        if len(cells) != 2 or not (is_number(cells[0]) and is_number(cells[1])):
            mend = (
                f"line {line} ({','.join(cells)!r}) needs two finite numbers, at most {LARGEST:g}: a comma "
                'between them, a point for decimals, no unit; begin a line of text with "#"'
            )
            raise SceneError(key, name, mend)
        x, y = float(cells[0]), float(cells[1])
        if rows and not x > rows[-1][0]:
            raise SceneError(key, name, f"line {line}: x must increase, but {x:g} follows {rows[-1][0]:g}")
        rows.append((x, y))
    if len(units) > 1:
        raise SceneError(key, name, "has units in two lines; leave one of them out")
    if len(rows) < least:
        raise SceneError(key, name, f"has {len(rows)} lines with two numbers; {least} or more are needed")
    columns = np.array(rows, float).T
    return TwoColumns(columns[0], columns[1], units[0] if units else ("", ""))


def check_columns(x: np.ndarray, y: np.ndarray, key: str, least: int, names: str = "x and y") -> None:
    """Raises SceneError at the key unless x and y have the same length, at least `least`, and x increases.

    names: of both, for messages
    """
    if len(x) != len(y) or len(x) < least:
        lengths = f"{len(x)} and {len(y)} numbers"
        raise SceneError(key, lengths, f"{names} must have the same length, {least} or more")
    back = np.flatnonzero(np.diff(x) <= 0.0)
    if len(back):
        k, name = int(back[0]), names.partition(" ")[0]
        raise SceneError(
            key, f"{x[k]:g}, {x[k + 1]:g}", f"{name}[{k}] and {name}[{k + 1}]: {name} must increase"
        )


def cells_of(text: str) -> list[str]:
    """The cells of one line, without empty ones at its end. Raises csv.Error."""
    cells = next(csv.reader([text], strict=True), [])
    while cells and not cells[-1].strip():
        cells.pop()
    return cells


def is_heading(cells: Sequence[str]) -> bool:
    """Whether a line above the numbers is none that was meant as numbers."""
    meant = [bool(NUMERIC.match(cell)) or is_float(cell) for cell in cells]
    return not any(meant) and not all(is_float(cell.translate(LETTERS)) for cell in cells)


def units_of(cells: Sequence[str]) -> tuple[str, str]:
    """Texts in brackets in the first two cells."""
    found = [HEADED.fullmatch(cell) for cell in [*cells, ""][:2]]
    first, second = (match[1].strip() if match else "" for match in found)
    return first, second


def is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_number(text: str) -> bool:
    return is_float(text) and abs(float(text)) <= LARGEST
