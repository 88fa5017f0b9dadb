"""Curves that joints name, in the axes of the markers of the joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.frames import Frame, named_frame
from mbplugin.compile.parameters import marks_of
from mbplugin.errors import SceneError
from mbplugin.interface.body import deforms
from mbplugin.model.curve import OnMarker
from mbplugin.model.curve_fit import CurveTable
from mbplugin.model.names import GROUND


def with_placed_curves(build: Builder, params: Any, frames: Sequence[Frame], key: str) -> Any:
    """The parameters of a joint with its curves in the axes of the markers that bear them. Raises
    SceneError.
    """
    changes = {}
    parameters: Any = type(params)
    marks: dict[str, Any] = {} if params is None else marks_of(parameters)
    for name, mark in marks.items():
        curve = getattr(params, name)
        if isinstance(mark, OnMarker) and isinstance(curve, CurveTable) and curve.body:
            changes[name] = placed(build, curve, frames[mark.marker], f"{key}.{name}")
    return params.model_copy(update=changes) if changes else params


def placed(build: Builder, curve: CurveTable, frame: Frame, key: str) -> CurveTable:
    """A curve in the axes of a marker of its body. Raises SceneError at the key."""
    number, marker = named_frame(build.system, curve.body, build.index)
    if number != frame.body:
        owner = next((name for name, k in build.index.items() if k == frame.body), GROUND)
        mend = f'is a curve of "{curve.body}", and the marker of the joint is on "{owner}"; name that body'
        raise SceneError(key, curve.name, mend)
    if number >= 0 and deforms(build.bodies[number].kind, build.bodies[number].nv):
        if marker is not None and marker.marker == frame.marker:
            return curve
        mend = (
            f'is a curve of "{curve.body}", which deforms, and a curve does not: give it in the frame of a '
            'marker, `body = "body.marker"`, and name this marker in the joint as well'
        )
        raise SceneError(key, curve.name, mend)
    if marker is None:
        body = None if number < 0 else build.system.body(curve.body)
        position = np.zeros(3) if body is None else np.array(body.position, float)
        marker = Frame(number, position, np.eye(3) if body is None else body.axes())
    return curve.placed(marker.R.T @ (frame.x - marker.x), marker.R.T @ frame.R)
