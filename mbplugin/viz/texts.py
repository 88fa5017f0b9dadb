"""Texts in the corners of a picture, and sizes that go with its height."""

from __future__ import annotations

from typing import Any

#: height of a picture for which sizes are given [pixels], and the least share of them
HEIGHT, LEAST = 720.0, 0.6


def scaled(plotter: Any, size: float) -> float:
    """A size of letters or lines, given for a picture of `HEIGHT`, for the picture of a plotter [pixels]."""
    return size * max(LEAST, plotter.window_size[1] / HEIGHT)


def write(
    plotter: Any,
    name: str,
    text: str,
    place: tuple[float, float],
    size: int,
    colour: str,
    align: tuple[str, str] = ("left", "bottom"),
) -> Any:
    """Write a text in the place of the one of that name; returns its actor.

    place: from the lower left, in widths and heights of the picture
    size:  of letters, for a picture of `HEIGHT`
    align: which end of the text is there
    """
    actor = plotter.add_text(
        text,
        position=place,
        viewport=True,
        font_size=round(scaled(plotter, size)),
        color=colour,
        name=name,
        render=False,
    )
    actor.prop.justification_horizontal, actor.prop.justification_vertical = align
    return actor
