"""Two columns of a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model.functions import LARGEST

#: size of a CSV file
MOST_BYTES = 100_000_000


def read_columns(path: Path, name: str, least: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """The first two columns (n,) of a CSV file, the first one increasing. Raises SceneError.

    name: for messages; least: fewest lines
    """
    rows: list[tuple[float, float]] = []
    try:
        if path.exists() and not path.is_file():
            raise SceneError("file", name, "is not a regular file")
        if path.exists() and path.stat().st_size > MOST_BYTES:
            raise SceneError("file", name, f"is larger than {MOST_BYTES / 1e6:.0f} MB")
        with open(path, newline="", encoding="utf-8") as file:
            for line, cells in enumerate(csv.reader(file), 1):
                if not cells or not is_number(cells[0]):
                    continue
                if len(cells) < 2 or not is_number(cells[1]):
                    mend = f"line {line} ({','.join(cells)!r}) needs a second number, at most {LARGEST:g}"
                    raise SceneError("file", name, mend)
                x, y = float(cells[0]), float(cells[1])
                if rows and not x > rows[-1][0]:
                    mend = f"line {line}: x must increase, but {x:g} follows {rows[-1][0]:g}"
                    raise SceneError("file", name, mend)
                rows.append((x, y))
    except SceneError:
        raise
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        mend = f"cannot be read: {reason}; expected it in the scene's folder, at {path.absolute()}"
        raise SceneError("file", name, mend) from None
    if len(rows) < least:
        mend = f"has {len(rows)} lines with two numbers separated by a comma; {least} or more are needed"
        raise SceneError("file", name, mend)
    columns = np.array(rows, float).T
    return columns[0], columns[1]


def is_number(text: str) -> bool:
    try:
        return abs(float(text)) <= LARGEST
    except ValueError:
        return False
