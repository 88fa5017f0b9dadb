"""A [[sensor]] table. The parameters of its kind stay unchecked in `raw` until plugins are known."""

from __future__ import annotations

from typing import Any

from pydantic import Field, PrivateAttr

from mbplugin.model.names import Name
from mbplugin.model.table import Element


class Sensor(Element):
    """A quantity that a plugin computes at each frame: "sensor.NAME.COMPONENT"."""

    name: Name = Field(description="name, unique among the sensors")
    type: str = Field(description="kind of sensor; `mbplugin plugins` lists them")

    _kind: Any = PrivateAttr(None)
    _params: Any = PrivateAttr(None)

    @property
    def kind(self) -> Any:
        """The `SensorKind` of its type, once plugins are known."""
        return self._kind

    @property
    def params(self) -> Any:
        """Its validated parameters, once plugins are known."""
        return self._params

    def complete(self, kind: Any, params: Any) -> None:
        """Take the kind of its type, and its parameters."""
        self._kind, self._params = kind, params

    @property
    def outputs(self) -> list[tuple[str, str]]:
        """(name, unit) of its numbers, such as ("sensor.spin.x", "rad/s")."""
        stem = f"sensor.{self.name}"
        return [(f"{stem}.{name}" if name else stem, unit) for name, unit in self.kind.outputs.items()]
