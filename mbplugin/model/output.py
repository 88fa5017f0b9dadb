"""The [output] table: frames and files that a run writes."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from mbplugin.errors import SceneError
from mbplugin.model.quantities import Count, NonNegative, Time
from mbplugin.model.table import Table

FRAMES = 500


KINDS = ("auto", "surface", "points")
SERIES = {"anyOf": [{"type": "boolean"}, {"type": "string", "enum": list(KINDS)}]}


def validate_series(value: Any) -> Any:
    if isinstance(value, bool) or value in KINDS:
        return value
    raise SceneError(value=value, mend='must be true or false, or one of "auto", "surface", "points"')


class Output(Table):
    """Equidistant frames from `start` to `end`, both included."""

    frames: Count | None = Field(
        default=None,
        description="number of intervals between frames (one less than the frames); "
        f"default {FRAMES} unless `every` is given",
    )
    every: Time | None = Field(default=None, description="time between frames, instead of `frames` [s]")
    start: NonNegative = Field(default=0.0, description="time of the first frame [s]")
    end: Time | None = Field(
        default=None, description="time of the last frame; default the end of the run [s]"
    )
    stress: bool = Field(
        default=True,
        description="stress of bodies with a mesh in each frame; false leaves it out of large files",
    )
    series: Annotated[
        Literal["auto", "surface", "points"] | bool, BeforeValidator(validate_series), WithJsonSchema(SERIES)
    ] = Field(
        default=True,
        description='VTK time series for ParaView: "surface", "points" (for glyphs, of thousands of bodies), '
        '"auto" or true (points if a surface takes over 2 MB a frame), false',
    )

    @model_validator(mode="before")
    @classmethod
    def default_frames(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("frames") is None and data.get("every") is None:
            return {**data, "frames": FRAMES}
        return data

    @model_validator(mode="after")
    def check(self) -> Self:
        if self.frames is not None and self.every is not None:
            raise SceneError("every", self.every, "`frames` is given as well; choose one")
        if self.end is not None and self.end <= self.start:
            raise SceneError("end", self.end, f"must be later than `start` ({self.start:g} s)")
        return self
