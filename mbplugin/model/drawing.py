"""A [[drawing]] table."""

from __future__ import annotations

from pydantic import Field

from mbplugin.model.names import Name
from mbplugin.model.of_plugin import OfPlugin


class Drawing(OfPlugin):
    """Points, lines and arrows that a plugin draws of each frame."""

    name: Name = Field(description="name, unique among the drawings; its files are `drawing_NAME.pvd`")
    type: str = Field(description="kind of drawing; `mbplugin plugins` lists them")
