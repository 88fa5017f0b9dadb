"""Colours and lighting of bodies."""

from __future__ import annotations

#: default colours of bodies, distinguishable also by the colour-blind (Okabe and Ito)
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#9A8700", "#7F7F7F")
#: lighting of bodies
LOOK = {"ambient": 0.35, "diffuse": 0.8, "specular": 0.2}


def colour_of(body: int) -> str:
    """The default colour of a body by its number."""
    return COLOURS[body % len(COLOURS)]
