"""Colours and lighting of bodies."""

from __future__ import annotations

from mbplugin.export.colours import COLOURS, colour_of

__all__ = ["COLOURS", "LOOK", "colour_of"]
#: lighting of bodies
LOOK = {"ambient": 0.35, "diffuse": 0.8, "specular": 0.2}
