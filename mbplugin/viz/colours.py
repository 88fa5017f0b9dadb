"""How bodies look."""

from __future__ import annotations

#: colours of bodies that have none of their own, told apart also by the colour-blind (Okabe and Ito)
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#9A8700", "#7F7F7F")
#: light on bodies
LOOK = {"ambient": 0.35, "diffuse": 0.8, "specular": 0.2}


def colour_of(body: int) -> str:
    return COLOURS[body % len(COLOURS)]
