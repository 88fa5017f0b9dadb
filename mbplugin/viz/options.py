"""What a picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, suggestion

#: width and height of a picture, and their product [pixels]
LEAST, MOST, PIXELS = 10, 16_384, 100_000_000
#: values of `quality`
QUALITIES = ("auto", "normal", "high")
#: values of `forces`, besides "all"
SOURCES = ("joints", "drives", "contacts")
#: values of `color_by`; "auto": the stress if the result has it, else the displacement
COLOR_BY = ("auto", "von_mises", "displacement", "velocity", "none")


@dataclass(frozen=True)
class Options:
    """What a picture shows."""

    size: tuple[int, int] = (1280, 720)  # width and height in pixels
    joints: bool = True  # points and axes
    forces: bool | str | tuple[str, ...] = False  # arrows of all forces, or of these of `SOURCES`
    force_scale: float | None = None  # [N] of an arrow of a sixth of the scene; default: the usual force
    names: bool = False  # of joints, bodies, and of force elements that are lines
    vectors: bool = False  # from the origin to the mass centres, and from there to the joints
    trace: tuple[str, ...] = ()  # bodies or markers ("arm.tip") that leave a line up to now
    drawings: bool = True  # of the scene
    ground: bool = True  # a floor below the motion, with shadows and a grid
    label: bool = True  # the time
    view: str | None = None  # "front", "top", ...: a key of `camera.VIEWS`
    follow: str | None = None  # body that stays in the middle of the picture
    color_by: str = "auto"  # of bodies with a mesh: a key of `FIELDS`, or "none" for their own colours
    deformation: float = 1.0  # scale of the deformation of bodies with a mesh
    undeformed: bool = False  # outlines of these bodies, undeformed
    quality: str = "auto"  # "high": darkens corners; "auto" does where the ground is more than a floor

    def __post_init__(self) -> None:
        refuse_size(self.size)
        for name in self.sources:
            if name not in SOURCES:
                mend = f"there are no such forces; there are all, {', '.join(SOURCES)}"
                raise SceneError("forces", name, mend)
        if self.force_scale is not None and not 0.0 < self.force_scale < np.inf:
            raise SceneError("force_scale", self.force_scale, "must be greater than 0 [N]")
        if self.force_scale is not None and not self.sources:
            raise SceneError("force_scale", self.force_scale, "scales arrows; give `forces` too")
        if self.color_by not in COLOR_BY:
            mend = f"bodies are coloured by {', '.join(COLOR_BY)}"
            raise SceneError("color_by", self.color_by, mend)
        if not 0.0 <= self.deformation < np.inf:
            raise SceneError("deformation", self.deformation, "must be 0 or more: it scales deformations")
        if self.quality not in QUALITIES:
            raise SceneError(
                "quality", self.quality, f"there is no such quality; there are {', '.join(QUALITIES)}"
            )

    @property
    def sources(self) -> tuple[str, ...]:
        """Which forces are shown."""
        if isinstance(self.forces, bool) or self.forces == "all":
            return SOURCES if self.forces else ()
        return (self.forces,) if isinstance(self.forces, str) else tuple(self.forces)


def options_of(given: Mapping[str, Any], others: Iterable[str] = ()) -> Options:
    """Options by name, those of `others` left out; one body or marker may be given as `trace`. Raises
    SceneError if there is no such option.
    """
    known = [field.name for field in fields(Options)]
    for name in given:
        if name not in known and name not in others:
            mend = f"there is no such option{suggestion(name, [*known, *others], 20)}"
            raise SceneError(name, given[name], mend)
    options = {name: value for name, value in given.items() if name in known}
    if isinstance(options.get("trace"), str):
        options["trace"] = (options["trace"],)
    return Options(**options)


def refuse_size(size: Any) -> None:
    """Raises SceneError if this is no width and height of a picture [pixels]."""
    given = tuple(size) if isinstance(size, Iterable) else ()
    whole = len(given) == 2 and all(isinstance(n, int | np.integer) for n in given)
    if not whole or not all(LEAST <= n <= MOST for n in given) or int(given[0]) * int(given[1]) > PIXELS:
        mend = f"must be width and height from {LEAST} to {MOST} pixels, and {PIXELS:,} pixels at most"
        raise SceneError("size", size, mend)
