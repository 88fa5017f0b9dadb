"""Closed form of the slider-crank as tabulated at twelve angles [mm, s], for pin, rod and piston."""

import json
from pathlib import Path

import numpy as np

ANALYSIS = "kinematic"
RATE, THROW, ROD, NEAR, OFFSET = 314.0, 43.0, 143.9, 41.3, 28.0
# run_path sets __file__
TABLE = json.loads((Path(__file__).parent / "table.json").read_text())["rows"]
SOURCE = "closed form of the slider-crank, tabulated"


def largest():
    """Largest absolute value of each quantity over the cycle: the pin's x, v, a, and the rod's angle and its
    rates.
    """
    t = np.linspace(0.0, 2.0 * np.pi, 7201)
    s, c = np.sin(t), np.cos(t)
    root = np.sqrt(ROD**2 - THROW**2 * s**2)
    v = -THROW * s - THROW**2 * s * c / root
    a = -THROW * c - THROW**2 * (c**2 - s**2) / root - (THROW**2 * s * c) ** 2 / root**3
    beta_dot = -THROW * c / root
    beta_ddot = THROW * s / root - THROW**3 * s * c**2 / root**3
    values = [
        THROW * c + root,
        RATE * v,
        RATE**2 * a,
        np.arcsin(THROW * s / ROD),
        RATE * beta_dot,
        RATE**2 * beta_ddot,
    ]
    return [np.abs(x).max() for x in values]


def truth(report):
    piston, rod = report.body("piston"), report.body("rod")
    x, v, a, b, b1, b2 = largest()
    for row in TABLE:
        k = int(np.argmin(np.abs(RATE * report.states.time - np.radians(row["theta_deg"]))))
        angle = round(row["theta_deg"])
        turn = np.arctan2(rod["axes"][k, 1, 0], rod["axes"][k, 0, 0])
        found = {
            "pin position": (1e3 * piston["position"][k, 0] - OFFSET, row["wrist_x"], x),
            "pin velocity": (1e3 * piston["velocity"][k, 0], row["wrist_v"], v),
            "pin acceleration": (1e3 * piston["acceleration"][k, 0], row["wrist_a"], a),
            "rod angle": (turn, row["beta"], b),
            "rod rate": (rod["angular_velocity"][k, 2], row["betad"], b1),
            "rod angular acceleration": (rod["angular_acceleration"][k, 2], row["betadd"], b2),
        }
        for i, axis in enumerate("xy"):
            found[f"rod centre {axis}"] = (1e3 * rod["position"][k, i], row["rod_cg"][i], x)
            found[f"rod centre velocity {axis}"] = (1e3 * rod["velocity"][k, i], row["rod_cg_v"][i], v)
            found[f"rod centre acceleration {axis}"] = (
                1e3 * rod["acceleration"][k, i],
                row["rod_cg_a"][i],
                a,
            )
        for name, (value, reference, scale) in found.items():
            yield f"{name} at {angle} degrees", value, reference, 1e-10 * scale, SOURCE
    yield "coordinates", report.states.q.shape[1], 15, 0.5, "five planar bodies"
    yield (
        "rows",
        report.count.joint_rows + report.count.motion_rows,
        15,
        0.5,
        "equations 1 to 15 of the source",
    )
    yield "rank", report.count.rank, 15, 0.5, "the Jacobian is regular"
    yield (
        "lateral motion of the piston",
        1e3 * np.abs(piston["position"][:, 1]).max(),
        0.0,
        1e-10 * x,
        "equations 13 and 14",
    )
    yield "stroke", 1e3 * np.ptp(piston["position"][:, 0]), 86.0, 1e-9, "twice the throw"
    yield (
        "top dead centre acceleration",
        -1e3 * piston["acceleration"][0, 0],
        RATE**2 * THROW * (1 + THROW / ROD),
        1e-10 * a,
        "r w^2 (1 + r/l)",
    )
