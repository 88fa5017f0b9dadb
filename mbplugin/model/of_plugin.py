"""Tables whose `type` is a kind of a plugin: [[sensor]] and [[drawing]], which are asked at frames."""

from __future__ import annotations

from typing import Any

from pydantic import Field, PrivateAttr

from mbplugin.model.names import Name
from mbplugin.model.table import Element


class OfPlugin(Element):
    """A table with a `type`; the parameters stay unchecked in `raw` until plugins are known."""

    _kind: Any = PrivateAttr(None)
    _params: Any = PrivateAttr(None)

    @property
    def kind(self) -> Any:
        """The kind of its type, once plugins are known."""
        return self._kind

    @property
    def params(self) -> Any:
        """Its validated parameters, once plugins are known."""
        return self._params

    def complete(self, kind: Any, params: Any) -> None:
        """Take the kind of its type, and its parameters."""
        self._kind, self._params = kind, params


class Sensor(OfPlugin):
    """A quantity that a plugin computes at each frame: "sensor.NAME.COMPONENT"."""

    name: Name = Field(description="name, unique among the sensors")
    type: str = Field(description="kind of sensor; `mbplugin plugins` lists them")

    @property
    def outputs(self) -> list[tuple[str, str]]:
        """(name, unit) of its numbers, such as ("sensor.spin.x", "rad/s")."""
        stem = f"sensor.{self.name}"
        return [(f"{stem}.{name}" if name else stem, unit) for name, unit in self.kind.outputs.items()]


class Drawing(OfPlugin):
    """Points, lines and arrows that a plugin draws of each frame."""

    name: Name = Field(description="name, unique among the drawings; its files are `drawing_NAME.pvd`")
    type: str = Field(description="kind of drawing; `mbplugin plugins` lists them")
