"""Base class of everything that has a position and an orientation in a parent frame."""

from __future__ import annotations

import functools
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr

from mbplugin.errors import SceneError
from mbplugin.model.orientation import IDENTITY, Orientation, matrix
from mbplugin.model.plane import NORMAL, to_spatial
from mbplugin.model.quantities import PlaneVector
from mbplugin.model.table import Table


class Placed(Table):
    """Position and orientation in the parent frame; on planar bodies two components and an angle suffice."""

    position: PlaneVector = Field(
        default=(0.0, 0.0, 0.0),
        validate_default=False,
        description="origin of the frame in the parent frame [m]",
    )
    orientation: Orientation | None = Field(
        default=None, description="axes of the frame in the parent frame; default parallel"
    )

    _plane: str | None = PrivateAttr(None)  # of the planar body; None: spatial

    def rotation(self) -> NDArray[np.float64]:
        """(4,) unit quaternion w, x, y, z, frame to parent."""
        normal = NORMAL[self._plane] if self._plane else None
        return np.array(self.orientation.to_quaternion(normal) if self.orientation else IDENTITY)

    def axes(self) -> NDArray[np.float64]:
        """(3, 3) axes of the frame in the parent frame, as columns; read-only."""
        return self.fixed_axes

    @functools.cached_property
    def fixed_axes(self) -> NDArray[np.float64]:
        w, x, y, z = self.rotation().tolist()
        axes = matrix((w, x, y, z))
        axes.setflags(write=False)
        return axes

    def model_copy(self, *, update: Any = None, deep: bool = False) -> Self:
        """A copy with the changes `update`, without the cached values of the original."""
        other = super().model_copy(update=update, deep=deep)
        for name in vars(other).keys() - type(other).model_fields.keys():
            del vars(other)[name]
        return other

    def in_plane(self, plane: str) -> Self:
        """A copy for a planar body: `position` has three components, an angle alone is about the normal."""
        changes: dict[str, Any] = {}
        if len(self.position) != 3:
            changes["position"] = to_spatial(self.position, plane)
        placed = self.model_copy(update=changes)
        placed._plane = plane
        return placed

    def check_spatial(self, key: str) -> None:
        """Check that nothing is given in planar form. Raises SceneError; `key` is the path of the table."""
        prefix = f"{key}." if key else ""
        if len(self.position) != 3:
            mend = "must be a list of 3 numbers; 2 are for planar bodies"
            raise SceneError(f"{prefix}position", list(self.position), mend)
        if self.orientation and self.orientation.in_plane:
            mend = "an angle without `axis` is for planar bodies; add `axis`"
            raise SceneError(f"{prefix}orientation", self.orientation.model_dump(exclude_none=True), mend)
