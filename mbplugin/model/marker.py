"""A marker: a named frame on a body, which joints and forces refer to as "body.marker"."""

from __future__ import annotations

from pydantic import Field

from mbplugin.model.names import Name
from mbplugin.model.placed import Placed


class Marker(Placed):
    """A named frame on a body; `position` and `orientation` are in the body's frame."""

    name: Name = Field(description="name, unique on its body")
