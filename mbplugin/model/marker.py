"""A marker: a named frame on a body, which joints and forces refer to as "body.marker"."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from mbplugin.errors import SceneError
from mbplugin.model.names import Name
from mbplugin.model.placed import Placed


class Marker(Placed):
    """A named frame on a body; `position` and `orientation` are in the body's frame."""

    name: Name = Field(description="name, unique on its body")


def check_markers(markers: Sequence[Marker], owner: str) -> None:
    """Names are unique on one body. Raises SceneError."""
    seen: set[str] = set()
    for k, marker in enumerate(markers):
        if marker.name in seen:
            raise SceneError(
                f"marker[{k}].name", marker.name, f"{owner} has a marker of that name already; take another"
            )
        seen.add(marker.name)
