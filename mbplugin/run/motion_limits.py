"""Hint of a run that stops: motions may lead out of a mechanism's reach."""

from __future__ import annotations

import shlex
from pathlib import Path

from mbplugin.errors import listed
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows
from mbplugin.tables.records import POSITION_LEVEL


def limit_hint(problem: Problem, dof: int, file: str) -> str:
    """A clause on the motions of a mechanism with `dof` freedoms left; "" if nothing drives it.

    file: of the scene, which text in Python does not have
    """
    driven = [coordinate for coordinate in problem.names.coordinates if coordinate.motion_rows]
    if not driven and (dof > 0 or not problem.names.bodies):
        return ""
    who = "the constraints"
    if driven:
        names = listed([f'"{coordinate.name}"' for coordinate in driven])
        who = f"the motion{'s' if len(driven) > 1 else ''} of {names}"
    text = f"{who} may drive the mechanism beyond a position that it cannot pass"
    levels = problem[Rows].level[[r for coordinate in driven for r in coordinate.motion_rows]]
    if dof > 0 or (levels != POSITION_LEVEL).any():  # the analysis needs a position for each freedom
        return text
    scene = shlex.quote(file) if file and Path(file).exists() else "SCENE"
    return f"{text} (`mbplugin analyze {scene} kinematic` finds where)"
