"""Newton's law for both loads of a rope, z down: m₁ ẍ₁ = m₁ g − S, m₂ ẍ₂ = m₂ g − n S, ẍ₁ + n ẍ₂ = 0."""

import numpy as np

G = 9.81
SOURCE = "Newton's law for both loads"


def two_loads(m1, m2, n):
    """ẍ₁ and the pull S."""
    a = G * (m1 - m2 / n) / (m1 + m2 / n**2)
    return a, m1 * (G - a)


def truth(result):
    for rope, first, second, m1, m2, n in (
        ("rope", "heavy", "light", 3.0, 2.0, 1),
        ("tackle", "counterweight", "block", 3.0, 5.0, 2),
    ):
        a, pull = two_loads(m1, m2, n)
        for name, rate in ((first, a), (second, -a / n)):
            body = result[name]
            yield (
                f"acceleration of {name}, all frames",
                np.abs(-body.acceleration[:, 2] - rate).max(),
                0.0,
                1e-10,
                SOURCE,
            )
            fallen = body.position[0, 2] - body.position[-1, 2]
            yield f"way of {name}", fallen, 0.5 * rate * result.time[-1] ** 2, 1e-10, "half a t^2"
        strands = np.linalg.norm(result.joint(rope).force, axis=1)
        yield f"pull of the {rope}, all frames", np.abs(strands / n - pull).max(), 0.0, 1e-9, SOURCE
    yield (
        "acceleration of Atwood's machine",
        -result["heavy"].acceleration[0, 2],
        G * (3 - 2) / (3 + 2),
        1e-10,
        "g (m1 - m2) / (m1 + m2)",
    )
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-9, "ropes do no work"
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
