"""Frames in which a body that deforms has no orientation: its nodes are turned inside out, or they are so
far from the origin that rounding of their positions destroys its shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import PhysicsError

#: distance from the origin beyond which rounding of positions destroys the shape of a body [m]
FAR = 1e12


def oriented(frames: Any) -> tuple[int, PhysicsError | None]:
    """Number of frames before the first one in which a body has no orientation, and the error of that frame;
    if there is no such frame: the number of all frames, and None.
    """
    matrices, bodies = frames.orientations
    if not len(bodies):
        return frames.count, None
    has_one = np.linalg.det(matrices) > 0.0
    wrong = np.argwhere(~has_one)
    if not len(wrong):
        return frames.count, None
    frame, which = wrong[0].tolist()
    names, body = frames.recorder.problem.names, int(bodies[which])
    name, kind = names.bodies[body], names.kinds[frames.recorder.places.in_tables[body]]
    distance = float(np.linalg.norm(frames["bodies/center_of_mass"][frame, body]))
    what = kind.undefined or "has no orientation: its strain is too large"
    if not distance < FAR:
        what = f"is {distance:.3g} m from the origin, too far to have a shape: the motion diverges"
    return frame, PhysicsError(f'body "{name}" {what}', time=float(frames.times[frame]))
