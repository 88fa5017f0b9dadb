"""Parts of sentences that several reports use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.model import System
from mbplugin.tables.spec import Array


def joint_key(system: System, name: str) -> str:
    """Key of a joint in the scene, such as "joint[2]"; "joint" if none has this name."""
    return next((f"joint[{k}]" for k, joint in enumerate(system.joints) if joint.name == name), "joint")


def plural(n: int, noun: str) -> str:
    """Such as "1 row" and "2 rows"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def enumerated(names: Sequence[str], most: int = 8) -> str:
    """Such as "a, b and c"; of more than `most` + 1 names only the first ones, "a, b and 3 more"."""
    left_out = len(names) - most
    shown = list(names) if left_out <= 1 else [*names[:most], f"{left_out} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def vector_text(w: Array | Sequence[float], digits: int = 3, least: float = 5e-7) -> str:
    """Such as "(0, 0.6, -0.8)"; components below `least` are written as 0."""
    return "(" + ", ".join(f"{x + 0.0:.{digits}g}" for x in np.where(np.abs(w) < least, 0.0, w)) + ")"


def array_text(w: Array) -> str:
    """Such as "[0, 0, 0.2]", as a scene file has it: seven digits, rounded to 1e-9."""
    return "[" + ", ".join(f"{round(x, 9) + 0.0:.7g}" for x in w.tolist()) + "]"
