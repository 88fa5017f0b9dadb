"""Dark outlines where the depth of a picture jumps.

With near and far plane n, f a depth buffer holds z = f/(f − n) − f n/((f − n) d) of the distance d, or
z = (d − n)/(f − n) without perspective. z is affine in the pixels of any plane, so that its second
differences vanish on planes, however they stand. On both sides of a jump they are the jump Δz, which is

    Δd = Δz d² (f − n)/(f n),   or   Δd = Δz (f − n)   without perspective.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array

#: second difference of z that is rounding, and darkness of an outline
ROUNDING, DARK = 2e-6, 0.75


def darkened(
    picture: Array,
    z: Array,
    planes: tuple[float, float],
    parallel: bool,
    step: float,
    kept: Sequence[Any] = (),
) -> Array:
    """A picture (height, width, 4) with outlines.

    z:      (height, width) depth buffer, 1 where nothing is
    planes: distances of the near and the far clipping plane [m]
    step:   of the distance, from which there is an outline [m]
    kept:   what stays as it is: rows and columns, or (height, width) True
    """
    near, far = planes
    bend = np.zeros_like(z)
    np.abs(z[:, :-2] + z[:, 2:] - 2.0 * z[:, 1:-1], out=bend[:, 1:-1])
    np.maximum(bend[1:-1], np.abs(z[:-2] + z[2:] - 2.0 * z[1:-1]), out=bend[1:-1])
    for pixels in kept:
        bend[pixels] = 0.0
    k = np.flatnonzero(bend > ROUNDING)
    jump = bend.reshape(-1)[k].astype(float) * (far - near)
    if not parallel:
        distance = near * far / (far - z.reshape(-1)[k].astype(float) * (far - near))
        jump *= distance**2 / (near * far)
    light = 1.0 - DARK * np.clip(jump / step - 0.5, 0.0, 1.0)
    result = picture.copy()
    flat = result.reshape(-1, 4)
    flat[k, :3] = flat[k, :3] * light[:, None]
    return result
