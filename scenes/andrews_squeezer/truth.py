"""The seven angles at 0.03 s. Joint coordinates count from the published start angles."""

import json
from pathlib import Path

import numpy as np

TABLE = json.loads((Path(__file__).parent / "table.json").read_text())


def truth(result):
    for name, start, angle in zip(TABLE["coordinates"], TABLE["start"], TABLE["angles"]):
        yield (
            f"{name} at 0.03 s",
            start + result.coordinate(name).value[-1],
            angle,
            5e-9,
            "Test Set for IVP Solvers, published digits",
        )
    yield (
        "energy",
        np.abs(result.energy.balance).max(),
        0.0,
        1e-9 * result.energy.kinetic.max(),
        "work of the torque, energy of the spring",
    )
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
