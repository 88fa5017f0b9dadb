"""Parts of sentences that several reports use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.tables.spec import Array


def plural(n: int, noun: str) -> str:
    """Such as "1 row" and "2 rows"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def enumerated(names: Sequence[str], most: int = 8) -> str:
    """Such as "a, b and c"; beyond `most` names their number only, "a, b and 3 more"."""
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def vector_text(w: Array, digits: int = 3, least: float = 5e-7) -> str:
    """Such as "(0, 0.6, -0.8)"; components below `least` are written as 0."""
    return "(" + ", ".join(f"{x + 0.0:.{digits}g}" for x in np.where(np.abs(w) < least, 0.0, w)) + ")"


def array_text(w: Array) -> str:
    """Such as "[0, 0, 0.2]", as a scene file has it: seven digits, rounded to 1e-9."""
    return "[" + ", ".join(f"{round(x, 9) + 0.0:.7g}" for x in w.tolist()) + "]"
