"""Terrain: heights over a rectangle, solid below."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from mbplugin.errors import SceneError
from mbplugin.interface import MassProperties, Parameters, Positive, ShapeKind
from mbplugin_contact.triangles.grid import field_triangles
from mbplugin_contact.triangles.kinds import WITH_CONVEX
from mbplugin_contact.triangles.read import radius_of, read, source_of_field, thickness_of

#: heights of a field, at most
MOST_HEIGHTS = 4_000_000
#: a height above this is no length [m]
HIGHEST = 1e6
ENDINGS = (".csv", ".npy", ".png")


class HeightfieldParameters(Parameters):
    """Keys of a shape with `type = "heightfield"`."""

    file: str = Field(
        description="path of a CSV, .npy or PNG file, inside the scene's folder: a row of heights along x "
        "for each y, the smallest y first; of a picture the largest y first, as seen from above"
    )
    size: tuple[Positive, Positive] = Field(
        description="edges of the rectangle along x and y, about the origin of the shape [m]"
    )
    scale: Positive = Field(
        1.0, description="factor from the numbers of the file to metres; of a picture white is 1 and black 0"
    )

    _folder: Path = PrivateAttr(Path())
    _heights: Any = PrivateAttr(None)

    @model_validator(mode="after")
    def read_file(self, info: ValidationInfo) -> Self:
        """Read the heights. Raises SceneError at the key `file`."""
        self._folder = Path((info.context or {}).get("folder") or ".").resolve()
        path = (self._folder / self.file).resolve()
        if not path.is_relative_to(self._folder):
            raise self.fault("must be inside the scene's folder; copy the file there")
        if path.suffix.lower() not in ENDINGS:
            raise self.fault(f"must be a file that ends in {', '.join(ENDINGS)}")
        if not path.is_file():
            raise self.fault(f"there is no such file in {self._folder}")
        try:
            found = np.asarray(read_heights(path), float)
        except SceneError as error:
            raise self.fault(error.mend) from None
        except Exception as error:
            raise self.fault(f"cannot be read: {type(error).__name__}: {error}") from None
        if found.ndim != 2 or min(found.shape) < 2:
            raise self.fault(f"needs two or more rows and columns of heights, not {found.shape}")
        if found.size > MOST_HEIGHTS:
            raise self.fault(
                f"has {found.size} heights, more than {MOST_HEIGHTS}; leave out rows and columns"
            )
        found = self.scale * found
        if not np.isfinite(found).all() or np.abs(found).max() > HIGHEST:
            raise self.fault(f"has heights that are no numbers, or above {HIGHEST:g} m")
        self._heights = found
        return self

    def fault(self, mend: str) -> SceneError:
        return SceneError("file", self.file, mend)

    @property
    def path(self) -> Path:
        return (self._folder / self.file).resolve()

    def heights(self) -> NDArray[np.float64]:
        """(rows, columns) heights [m], rows along y and columns along x."""
        return self._heights  # type: ignore[no-any-return]


def read_heights(path: Path) -> Any:
    """The numbers of a file, the smallest y first. Raises SceneError, and what readers raise."""
    if path.suffix.lower() == ".csv":
        return np.loadtxt(path, delimiter=",", ndmin=2, comments="#", encoding="utf-8-sig")
    if path.suffix.lower() == ".npy":
        return np.load(path, allow_pickle=False)
    import imageio.v3  # imported late: takes 0.1 s

    picture = imageio.v3.imread(path)
    if picture.ndim != 2 or picture.dtype.kind not in "ui":
        mend = f"must be a picture in shades of grey, not one with {picture.shape[2:] or 'colours'} channels"
        raise SceneError(mend=mend)
    return picture[::-1] / float(np.iinfo(picture.dtype).max)


class HeightfieldKind(ShapeKind):
    """Heights over a rectangle: two triangles in each cell, solid below. For the ground and bodies with given
    `mass`.
    """

    name = "heightfield"
    parameters = HeightfieldParameters
    pairs = WITH_CONVEX

    @classmethod
    def numbers(cls, keys: Any) -> tuple[float, ...]:
        return (*keys.size, 0.0)

    @classmethod
    def radius(cls, keys: Any) -> float:
        return radius_of(read(source_of_field(keys)))

    @classmethod
    def thickness(cls, keys: Any) -> float:
        return thickness_of(read(source_of_field(keys)))

    @classmethod
    def mass_properties(cls, keys: Any) -> MassProperties:
        mend = "a height field encloses nothing, so it has no mass; give `mass` and `inertia`"
        raise SceneError("type", "heightfield", mend)

    @classmethod
    def surface(cls, keys: Any) -> Any:
        return field_triangles(keys.heights(), keys.size)
