"""At rest each contact carries what is above it; all is symmetric about two planes through the middle."""

import numpy as np

G, BALL = 9.81, 1.0
WIDTH, THICKNESS, DENSITY = 0.4, 0.04, 1000.0
BLOCK, HEIGHT, DROP = 0.36, 0.1, 0.005
WEIGHTS = {
    ("plate", "ball"): BALL * G,
    ("block", "plate"): (BALL + DENSITY * WIDTH**2 * THICKNESS) * G,
    ("ground", "block"): (BALL + DENSITY * (WIDTH**2 * THICKNESS + BLOCK**2 * HEIGHT)) * G,
}


def truth(result):
    for (low, high), weight in WEIGHTS.items():
        force = np.abs(result.contact(low, high).force[-1])
        yield f"force between {low} and {high} [N]", force[2], weight, 1e-3 * weight, "statics"
        yield (
            f"force to the sides between {low} and {high} [N]",
            force[:2].max(),
            0.0,
            1e-3 * weight,
            "symmetry",
        )
    fallen = BALL * G * DROP
    yield "kinetic energy at rest, part of the fall", result.energy.kinetic[-1] / fallen, 0.0, 1e-6, "at rest"
    energy = result.energy
    lost = energy.friction[-1] + energy.impacts[-1] + energy.dissipated[-1]
    yield "energy balance, part of the losses", np.abs(energy.balance).max() / lost, 0.0, 3e-2, "ledger"
    middles = [result[name].center_of_mass[:, :2] for name in ("ball", "plate", "block")]
    yield "way of the mass centres to the sides [m]", np.abs(middles).max(), 0.0, 1e-8, "symmetry"
