"""What has a place in a parent frame: a position and an orientation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr

from mbplugin.errors import SceneError
from mbplugin.model.orientation import IDENTITY, Orientation
from mbplugin.model.plane import NORMAL, completed
from mbplugin.model.quantities import PlaneVector
from mbplugin.model.table import Table


class Placed(Table):
    """Position and orientation in the parent frame. On planar bodies two components and an angle are enough."""

    position: PlaneVector = Field(
        default=(0.0, 0.0, 0.0), description="origin of the frame in the parent frame [m]"
    )
    orientation: Orientation | None = Field(
        default=None, description="axes of the frame in the parent frame; default parallel"
    )

    _plane: str | None = PrivateAttr(None)

    def rotation(self) -> NDArray[np.float64]:
        """(4,) unit quaternion w, x, y, z, frame to parent."""
        normal = NORMAL[self._plane] if self._plane else None
        return np.array(self.orientation.to_quaternion(normal) if self.orientation else IDENTITY)

    def in_plane(self, plane: str | None, key: str) -> Self:
        """The same on a planar body (`plane` given): vectors completed; without a plane, what needs one is an
        error.
        """
        if plane is None:
            if len(self.position) != 3:
                raise SceneError(
                    f"{key}.position",
                    list(self.position),
                    "must be a list of 3 numbers; 2 are for planar bodies",
                )
            if self.orientation and self.orientation.in_plane:
                given = self.orientation.model_dump(exclude_none=True)
                raise SceneError(
                    f"{key}.orientation",
                    given,
                    "an angle without `axis` is for planar bodies; give the axis too",
                )
            return self
        changes: dict[str, Any] = (
            {} if len(self.position) == 3 else {"position": completed(self.position, plane)}
        )
        placed = self.model_copy(update=changes)
        placed._plane = plane
        return placed
