"""Markers: named frames on bodies. Joints and forces refer to them as "body.marker"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from mbplugin.errors import SceneError
from mbplugin.model.names import Name
from mbplugin.model.placed import Placed


class Marker(Placed):
    """A named frame on a body; `position` and `orientation` are relative to the body frame."""

    name: Name = Field(description="name, unique on its body")
    nodes: str | int | None = Field(
        default=None,
        description="of a body with nodes: the name of a set, or the number of a node; the marker stands at "
        "their centroid unless `position` is given",
    )
    coupling: Literal["node", "rbe2", "rbe3"] | None = Field(
        default=None,
        description='how it moves with its nodes: "rbe2" makes them move as one, "rbe3" is their mean; '
        'default "node" of one node, "rbe2" where a joint names the marker, else "rbe3"',
    )


def check_markers(markers: Sequence[Marker], owner: str) -> None:
    """Check that marker names are unique on their owner. Raises SceneError."""
    seen: set[str] = set()
    for k, marker in enumerate(markers):
        if marker.name in seen:
            raise SceneError(
                f"marker[{k}].name",
                marker.name,
                f"{owner} already has a marker with this name; choose another",
            )
        seen.add(marker.name)
