"""Which geoms of MuJoCo collide, and with what friction: materials, and rules for two of them."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import isclose, sqrt
from typing import Any, NamedTuple


class Surface(NamedTuple):
    """What MuJoCo combines where two geoms touch."""

    contype: int
    conaffinity: int
    priority: int
    condim: int
    friction: float


class Surfaces:
    """The surfaces of geoms that collide, each a material."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.names: dict[Surface, str] = {}

    def name(self, g: int) -> str:
        """The material of a geom. Names of bodies have no blanks, so none is that of a body."""
        model = self.model
        surface = Surface(
            int(model.geom_contype[g]),
            int(model.geom_conaffinity[g]),
            int(model.geom_priority[g]),
            int(model.geom_condim[g]),
            float(model.geom_friction[g, 0]),
        )
        return self.names.setdefault(surface, f"surface {len(self.names) + 1}")

    def materials(self) -> list[dict[str, Any]]:
        """The `[[material]]` tables."""
        return [{"name": name, "friction": friction(one, one)} for one, name in self.names.items()]

    def rules(self) -> list[dict[str, Any]]:
        """The `[[contact]]` tables of materials that pass through each other, or have another friction than
        the mean that a scene takes.
        """
        tables: list[dict[str, Any]] = []
        for (a, name_a), (b, name_b) in combinations_with_replacement(self.names.items(), 2):
            mu, mean = friction(a, b), sqrt(friction(a, a) * friction(b, b))
            if not (a.contype & b.conaffinity or b.contype & a.conaffinity):
                tables.append({"a": name_a, "b": name_b, "collide": False})
            elif not isclose(mu, mean, rel_tol=1e-12):
                tables.append({"a": name_a, "b": name_b, "friction": mu})
        return tables


def friction(a: Surface, b: Surface) -> float:
    """Of two surfaces: that of the higher priority, else the larger one; none if `condim` is 1."""
    winners = [one for one in (a, b) if one.priority == max(a.priority, b.priority)]
    slides = max(one.condim for one in winners) == 1
    return 0.0 if slides else max(one.friction for one in winners)
