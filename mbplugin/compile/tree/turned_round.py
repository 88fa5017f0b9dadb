"""A joint that carries the body of its first marker: the motion of a relative to b."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mbplugin.compile.joint_motion import CannotCarry, JointMotion

FROM_FIRST = "its coordinates are measured from its first marker, on the body that it would carry"


def turned_round(motion: JointMotion) -> JointMotion:
    """Motion of a joint seen from b, by the same coordinates. Raises CannotCarry where that has no constants.

    x_a in axes of b is −Rᵀ p; with R = exp([u] θ) R₀ it is constant but for what u does not turn. The
    two rotations of a cross change their order.
    """
    if motion.form == "derived" or (motion.form == "ball" and not motion.p0.any()):
        return motion
    along_axis = np.allclose(np.cross(motion.u, motion.P.T), 0.0, atol=1e-12) and np.allclose(
        np.cross(motion.u, motion.p0), 0.0, atol=1e-12
    )
    if motion.form == "ball" or (motion.w.any() and not along_axis):
        raise CannotCarry(FROM_FIRST)
    back = motion.R0.T
    if motion.form == "cross":
        if motion.p0.any():
            raise CannotCarry(FROM_FIRST)
        t = -(motion.t @ motion.R0)[::-1]
        return replace(motion, coordinates=motion.coordinates[::-1], R0=back, t=t)
    return replace(motion, p0=-back @ motion.p0, P=-back @ motion.P, u=back @ motion.u, w=-motion.w, R0=back)
