"""Points of a CSV file: two or three coordinates a line."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from mbplugin.errors import SceneError, listed
from mbplugin.model.columns import HEADED, MOST_BYTES, cells_of, is_heading, is_number
from mbplugin.model.functions import LARGEST

#: units of a heading, in metres
UNITS = {"m": 1.0, "mm": 1e-3}


def read_points(path: Path, name: str) -> np.ndarray:
    """(n, 2) or (n, 3) points [m] of a file: a heading such as "x [mm],y [mm]" if there is one, then numbers;
    blank lines and comments (#) may stand anywhere. Raises SceneError at the key `file`.

    name: for messages
    """
    try:
        if path.exists() and not path.is_file():
            raise SceneError("file", name, "is not a regular file")
        if path.exists() and path.stat().st_size > MOST_BYTES:
            raise SceneError("file", name, f"is larger than {MOST_BYTES / 1e6:.0f} MB")
        with open(path, newline="", encoding="utf-8-sig") as file:
            return points_of(file, name)
    except UnicodeDecodeError:
        raise SceneError("file", name, 'is not UTF-8 text; save it as "CSV UTF-8"') from None
    except (OSError, ValueError) as error:
        if isinstance(error, SceneError):
            raise
        reason = getattr(error, "strerror", None) or error
        mend = f"cannot be read: {reason}; expected it in the scene's folder, at {path.absolute()}"
        raise SceneError("file", name, mend) from None


def points_of(lines: Iterable[str], name: str) -> np.ndarray:
    """The points in these lines. Raises SceneError."""
    rows: list[list[float]] = []
    factors = [1.0, 1.0, 1.0]
    for line, text in enumerate(lines, 1):
        if text.lstrip().startswith("#"):
            continue
        try:
            cells = cells_of(text)
        except csv.Error as error:
            raise SceneError("file", name, f"line {line} ({text.strip()!r}): {error}") from None
        if not cells:
            continue
        if not rows and is_heading(cells):
            factors = factors_of(cells, name, line)
            continue
        width = len(rows[0]) if rows else len(cells)
        if len(cells) != width or width not in (2, 3) or not all(map(is_number, cells)):
            what = f"{width} finite numbers, as the lines before" if rows else "two or three finite numbers"
            mend = (
                f"line {line} ({','.join(cells)!r}) needs {what}, at most {LARGEST:g}: commas between them, "
                'a point for decimals, no unit; begin a line of text with "#"'
            )
            raise SceneError("file", name, mend)
        rows.append([float(cell) * factor for cell, factor in zip(cells, factors)])
    if not rows:
        raise SceneError("file", name, "has no points; write two or three coordinates a line")
    return np.array(rows)


def factors_of(cells: list[str], name: str, line: int) -> list[float]:
    """Metres in the unit of each cell of a heading; without units metres. Raises SceneError."""
    factors = []
    for cell in cells:
        match = HEADED.fullmatch(cell)
        unit = match[1].strip() if match else "m"
        if unit not in UNITS:
            raise SceneError("file", name, f"line {line}: {unit!r} is not {listed(UNITS)}")
        factors.append(UNITS[unit])
    return [*factors, 1.0, 1.0]
