"""An arch above its limit thickness stands: t/R ≥ 0.10672 for 27 straight-sided wedges (M. Gilbert,
C. Casapulla & H. M. Ahmed, Computers & Structures 84 (2006) 873-887; a linear programme over equilibria).
"""

import numpy as np

WEDGES = 27
SOURCE = "statics: the arch stands"


def truth(result):
    places = np.array([result[f"wedge_{k}"].position for k in range(WEDGES)])
    yield "drift, all frames", np.abs(places - places[:, :1]).max(), 0.0, 1e-8, SOURCE
    speeds = [np.abs(result[f"wedge_{k}"].velocity[-1]).max() for k in range(WEDGES)]
    yield "speed at the end", max(speeds), 0.0, 1e-8, SOURCE
    mirrored = places[::-1] * [-1.0, 1.0, 1.0]
    half = 0.5 * 1.05 * 0.10672085935235373
    area = 0.5 * 10.0**2 * ((1 + half) ** 2 - (1 - half) ** 2) * np.sin(np.pi / WEDGES)
    weight = WEDGES * 2000.0 * 5.0 * area * 9.81
    feet = sum(result.contact("ground", f"wedge_{k}").force[-1, 2] for k in (0, WEDGES - 1))
    yield "weight on the ground", feet, weight, 1e-6 * weight, "27 trapezoids"
    yield "symmetry", np.abs(places - mirrored).max(), 0.0, 1e-8, "the arch is symmetric"
