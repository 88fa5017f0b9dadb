"""Impacts over time: "impacts" of all, "impacts.ball" of a body, shape or element, "impacts.floor.ball" of
two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.results.curve import Curve
from mbplugin.results.events import impacts_of
from mbplugin.results.impacts import IMPACTS
from mbplugin.results.read import RawResult

#: elements with a colour of their own; more are drawn as one
ELEMENTS = 12


def is_of_impacts(name: str) -> bool:
    """Whether a name is that of impacts."""
    return name == IMPACTS or name.startswith(f"{IMPACTS}.")


def stems(raw: RawResult, name: str) -> list[tuple[Any, Curve]]:
    """Times and a curve of the sizes of their normal impulses, for each element. Raises SceneError."""
    found, whole = impacts_of(raw), name.removeprefix(IMPACTS).removeprefix(".")
    if whole:
        one, _, other = whole.partition(".")
        found = found.of(whole) if whole in found.element else found.of(one, other)
    if not len(found):
        raise SceneError("what", name, "there are no impacts in this result")
    of_rows = dict(zip(raw.names("bounds"), raw.attribute("bounds/unit", []) or []))
    units = np.array([f"{of_rows.get(element, 'N')} s" for element in found.element])
    elements = list(dict.fromkeys(found.element.tolist()))
    if len(elements) > ELEMENTS:
        chosen = {(IMPACTS, str(unit)): units == unit for unit in np.unique(units)}
    else:
        chosen = {
            (element, str(units[found.element == element][0])): found.element == element
            for element in elements
        }
    return [
        (found.time[which], Curve(label, abs(found.impulse[which, 0]), unit))
        for (label, unit), which in chosen.items()
    ]
