"""Lines between the markers of joints and forces, such as the parts of a rope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.compile.builder import Builder, line_pairs
from mbplugin.compile.frames import Frame
from mbplugin.errors import SceneError
from mbplugin.model import Force, Joint
from mbplugin.model.register import ends_of

#: distance of two points of a body, relative to their positions, up to which they are one
ROUNDING = 1e-15


def check_lines(build: Builder, element: Joint | Force, kind: Any, frames: Sequence[Frame], key: str) -> None:
    """Raises SceneError where a line of a joint or force goes from a point of a body to the same point: it
    has no length, wherever the body moves.
    """
    ends = ends_of(element)
    for a, b in line_pairs(kind, len(frames), str(element.name)):
        (_, first), (end, reference) = ends[a], ends[b]
        if reference == first or same_point(build, frames[a], frames[b]):
            mend = (
                f'is the same point of one body as "{first}", so that the line between them has no length; '
                "leave one of them out, or name another marker"
            )
            raise SceneError(f"{key}.{end}", reference, mend)


def same_point(build: Builder, one: Frame, other: Frame) -> bool:
    """Whether two markers are one point of a body; on a body with parts they may move apart."""
    if one.body != other.body or (one.body >= 0 and build.bodies[one.body].kind.parts):
        return False
    return bool(np.linalg.norm(other.x - one.x) <= ROUNDING * np.abs(one.x).sum())
