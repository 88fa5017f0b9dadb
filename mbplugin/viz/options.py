"""What a picture shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.errors import SceneError

#: width and height of a picture, and their product [pixels]
LEAST, MOST, PIXELS = 10, 16_384, 100_000_000
#: values of `quality`
QUALITIES = ("auto", "normal", "high")


@dataclass(frozen=True)
class Options:
    """What a picture shows."""

    size: tuple[int, int] = (1280, 720)  # width and height in pixels
    joints: bool = True  # points and axes
    forces: bool = False  # reaction forces on body b, and forces of contacts, as arrows
    names: bool = False  # of joints and bodies
    vectors: bool = False  # from the origin to the mass centres, and from there to the joints
    trace: tuple[str, ...] = ()  # bodies or markers ("arm.tip") that leave a line up to now
    drawings: bool = True  # of the scene
    ground: bool = True  # a floor below the motion, with shadows and a grid
    label: bool = True  # the time
    view: str | None = None  # "front", "top", ...: a key of `camera.VIEWS`
    follow: str | None = None  # body that stays in the middle of the picture
    quality: str = "auto"  # "high": darkens corners; "auto" does where the ground is more than a floor

    def __post_init__(self) -> None:
        refuse_size(self.size)
        if self.quality not in QUALITIES:
            raise SceneError(
                "quality", self.quality, f"there is no such quality; there are {', '.join(QUALITIES)}"
            )


def refuse_size(size: Any) -> None:
    """Raises SceneError if this is no width and height of a picture [pixels]."""
    given = tuple(size) if isinstance(size, Iterable) else ()
    whole = len(given) == 2 and all(isinstance(n, int | np.integer) for n in given)
    if not whole or not all(LEAST <= n <= MOST for n in given) or int(given[0]) * int(given[1]) > PIXELS:
        mend = f"must be width and height from {LEAST} to {MOST} pixels, and {PIXELS:,} pixels at most"
        raise SceneError("size", size, mend)
