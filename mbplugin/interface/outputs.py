"""Where the outputs of authors' functions are in the tables: the text of the wrappers is made from it, and
the kit lays its guards around the same places.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbplugin.interface.wrapper import Shape
from mbplugin.tables.groups import Blocks, Bodies, Elements, Measures, Rates, Rows, State, Tangents, Wrenches


@dataclass(frozen=True)
class Place:
    """Where an output is: `count` numbers of a table, from what the column of the element's or the body's
    record says, or from its own number.

    Of tangents, the column is that of `Tangents`, `offset` numbers are left out, and the array has `rows`.
    """

    group: type
    field: str
    column: str
    count: int
    offset: int = 0
    rows: int = 0

    @property
    def text(self) -> str:
        array = f"{self.group.__name__.lower()}.{self.field}"
        if self.group is Tangents:
            return f"part({array}, tangents.{self.column}[i] + {self.offset}, {self.count}).reshape(({self.rows}, {self.count // self.rows}))"
        if self.group is Wrenches and self.field == "wrench":
            return f"part({array}, 6 * wrenches.slots[e[{self.column}], 0], {self.count}).reshape(({self.count // 6}, 6))"
        record = "k" if not self.column else f"{'b' if self.column.startswith('B_') else 'e'}[{self.column}]"
        return f"part({array}, {record}, {self.count})"


def element_outputs(role: str, shape: Shape) -> dict[str, Place]:
    """What a function of an element may write, by the name that it asks for it by."""
    jacobian = shape.rows * 6 * shape.markers
    if role.endswith("_tangent"):
        n = 6 * shape.markers
        return {
            "K": Place(Tangents, "value", "element", n * n, 0, n),
            "D": Place(Tangents, "value", "element", n * n, n * n, n),
        }
    states = {"x_dot": Place(Rates, "x_dot", "E_STATE", shape.states)}
    if role == "measure" and shape.as_measure:
        return {
            "value": Place(Measures, "value", "E_MEASURE", 1),
            "J": Place(Measures, "J", "E_GM", jacobian),
            "bias": Place(Measures, "bias", "E_MEASURE", 1),
        }
    if role == "measure":
        return {
            "value": Place(Rows, "phi", "E_ROW", shape.rows),
            "J": Place(Blocks, "gm", "E_GM", jacobian),
            "bias": Place(Rows, "gamma", "E_ROW", shape.rows),
        }
    if role == "constraint":
        rows = {name: Place(Rows, name, "E_ROW", shape.rows) for name in ("phi", "gamma", "phi_t")}
        return states | rows | {"G": Place(Blocks, "gm", "E_GM", jacobian)}
    if role == "force":
        return states | {
            "wrench": Place(Wrenches, "wrench", "E_OUT", 6 * shape.markers),
            "energy": Place(Wrenches, "energy", "E_OUT", 1),
            "power": Place(Wrenches, "power", "E_OUT", 1),
        }
    if role == "enforcement":
        return {name: Place(Rows, name, "E_ROW", 1) for name in ("load", "energy", "power")}
    if role in ("accept", "enforcement_accept"):
        return {"mem_new": Place(State, "memory", "E_MEMORY", shape.memory)}
    return {"event": Place(Elements, "event", "E_EVENT", shape.events)}


def body_outputs(role: str, shape: Shape) -> dict[str, Place]:
    """What a function of a body may write, by the name that it asks for it by; `pull` and `locate` have
    places of their own.
    """
    square = shape.nv * shape.nv
    coordinates = {"q": Place(State, "q", "B_Q", shape.nq)}
    outputs = {
        "prepare": {"c": Place(Bodies, "c", "B_SCRATCH", shape.scratch)},
        "rate": {"q_dot": Place(Rates, "q_dot", "B_Q", shape.nq)},
        "retract": coordinates,
        "normalise": coordinates,
        "inertia": {"M": Place(Bodies, "M", "B_MASS", shape.nv * shape.nv)},
        "internal": {"h": Place(Bodies, "h", "B_V", shape.nv)},
        "elastic": {"energy": Place(Bodies, "energy", "", 1)},
        "geometric": {
            "K": Place(Tangents, "value", "point", square, 0, shape.nv),
            "E": Place(Tangents, "value", "point", 6 * shape.nv, square, 6),
        },
        "own_tangent": {
            "K": Place(Tangents, "value", "body", square, 0, shape.nv),
            "D": Place(Tangents, "value", "body", square, square, shape.nv),
        },
    }
    return outputs.get(role, {})
