"""B0, the upper end of the first rod, at tabulated times; it is twice as far from A0 as the rod's mass
centre.
"""

import json
from pathlib import Path

import numpy as np

TABLE = json.loads((Path(__file__).parent / "table.json").read_text())


def truth(result):
    for row in TABLE["rows"]:
        frame = int(np.argmin(np.abs(result.time - row["t"])))
        B0 = 2.0 * result["rod_0"].position[frame, :2]
        yield (
            f"B0 at {row['t']} s",
            np.linalg.norm(B0 - [row["B0x"], row["B0y"]]),
            0.0,
            1e-6,
            "IFToMM A02, pendulum equation",
        )
    scale = result.energy.kinetic.max()
    yield "energy", np.abs(result.energy.balance).max() / scale, 0.0, 1e-8, "no work is done"
    yield (
        "constraint drift",
        result.drift_position.max(),
        0.0,
        1e-11,
        "of the mechanism's size, rank dropping",
    )
