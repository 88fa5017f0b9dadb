"""A [[sensor]] table."""

from __future__ import annotations

from pydantic import Field

from mbplugin.model.names import Name
from mbplugin.model.of_plugin import OfPlugin


class Sensor(OfPlugin):
    """A quantity that a plugin computes at each frame: "sensor.NAME.COMPONENT"."""

    name: Name = Field(description="name, unique among the sensors")
    type: str = Field(description="kind of sensor; `mbplugin plugins` lists them")

    @property
    def outputs(self) -> list[tuple[str, str]]:
        """(name, unit) of its numbers, such as ("sensor.spin.x", "rad/s")."""
        stem = f"sensor.{self.name}"
        return [(f"{stem}.{name}" if name else stem, unit) for name, unit in self.kind.outputs.items()]
