"""Bodies that overlap at the start: refused by name, or moved apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import SceneError, listed
from mbplugin.stepping import State, Step, TransientMarkers, TransientRows, project
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.parts import FIND, REMOVE

#: overlap, in slops, up to which it may come from rounding of the scene's numbers: the first steps remove it
ALLOWED = 1e3
#: attempts to move bodies apart
ATTEMPTS = 200


def check_overlap(stepping: Any, separate: bool) -> list[str]:
    """Move bodies apart, or raise SceneError for those that overlap. Returns remarks."""
    problem, time = stepping.problem, stepping.time
    if not (problem.names.collisions.surface >= 0).any():
        return []
    allowed = ALLOWED * float(problem[Contacts].record[0].slop)
    q0 = problem[State].q.copy()
    for attempt in range(ATTEMPTS):
        stepping.show(time)
        problem[Step].record[0].length = 0.0  # there is no step yet, also after `begin_here`
        stepping.call_part(FIND)
        depths = overlaps(problem)
        if max(depths.values(), default=0.0) <= allowed:
            break
        if not separate:
            fault = f"bodies overlap at the start: {pairs_text(depths, allowed)}"
            mend = "move them, give `separate = true` to do that, or a [[contact]] with `collide = false`"
            raise SceneError("separate", False, f"{fault}; {mend}")
        stepping.call_part(REMOVE)
        stepping.begin_here()
    else:
        raise SceneError("separate", True, f"{pairs_text(depths, allowed)} cannot be moved apart")
    if attempt == 0:
        return []
    # joints have moved: project velocities onto their rows at the new positions
    problem.check(problem.call_function(project))
    stepping.begin_here()
    moved = float(np.abs(problem[State].q - q0).max())
    return [f"separate: bodies that overlapped were moved apart, coordinates by at most {moved:.3g}"]


def find_up_to(stepping: Any, reach: float) -> None:
    """Find the contacts at the present position up to a gap [m]."""
    problem, record = stepping.problem, stepping.problem[Contacts].record
    least = float(record[0].min_margin)
    problem[Step].record[0].length = 0.0
    record.min_margin[0] = max(least, reach)
    try:
        stepping.call_part(FIND)
    finally:
        problem[Contacts].record.min_margin[0] = least


def overlaps(problem: Any) -> dict[tuple[str, str], float]:
    """Names of two bodies -> depth of their deepest contact [m]."""
    transient = problem[TransientRows]
    depths: dict[tuple[str, str], float] = {}
    for k in range(int(transient.used[0])):
        bodies = problem[TransientMarkers].index.part[2 * k : 2 * k + 2].tolist()
        a, b = (problem.names.body(body) if body >= 0 else "ground" for body in bodies)
        depths[a, b] = max(depths.get((a, b), 0.0), -float(transient.phi[3 * k]))
    return depths


def pairs_text(depths: dict[tuple[str, str], float], allowed: float) -> str:
    deep = sorted(((depth, pair) for pair, depth in depths.items() if depth > allowed), reverse=True)
    return listed([f'"{a}" and "{b}" by {depth:.3g} m' for depth, (a, b) in deep], 3)
