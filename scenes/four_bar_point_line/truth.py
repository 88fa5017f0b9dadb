"""The motion is that of the four hinges, by the same hand calculation; what C holds and the counts are
others.
"""

import runpy
from pathlib import Path

import numpy as np

# run_path sets __file__
HINGES = runpy.run_path(str(Path(__file__).parents[1] / "four_bar_hinges" / "truth.py"))


def truth(result):
    yield from HINGES["motion"](result)
    yield from HINGES["counts"](
        result, (("nq", 18), ("nc", 17), ("rank", 17), ("mobility", 1), ("redundancy", 0))
    )
    force, axis = result.joint("C").force, np.array([0, 0, 1.0])
    yield (
        "force of C along its line",
        np.abs(force @ axis).max(),
        0.0,
        1e-9,
        "a point that slides on a line is not held along it",
    )
    yield (
        "reactions marked determined",
        min(result.joint(n).determined.min() for n in "ABCD"),
        2,
        1e-9,
        "no row is redundant",
    )
