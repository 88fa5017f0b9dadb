"""Where the outputs of authors' functions are in the tables. The wrappers use it, and the conformance kit
puts guards around the same places.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbplugin.codegen.wrapper import Shape
from mbplugin.tables.groups import (
    Blocks,
    Bodies,
    Elements,
    Increments,
    Measures,
    Outputs,
    Rates,
    Rows,
    State,
    Tangents,
    Wrenches,
)


@dataclass(frozen=True)
class Place:
    """Location of an output: `count` numbers of a table. They start at the value of a column of the element
    record `e` or the body record `b`, or at the index of the record.

    The first `offset` numbers are skipped. Of a matrix with `rows` rows, the column is one of the group.
    """

    group: type
    field: str
    column: str
    count: int
    offset: int = 0
    rows: int = 0

    @property
    def text(self) -> str:
        group = self.group.__name__.lower()
        array = f"{group}.{self.field}"
        if self.rows:
            shape = f"({self.rows}, {self.count // self.rows})"
            return f"part({array}, {group}.{self.column}[i] + {self.offset}, {self.count}).reshape({shape})"
        if self.group is Wrenches and self.field == "wrench":
            first = f"6 * wrenches.index[{self.column}].first_slot"
            return f"part({array}, {first}, {self.count}).reshape(({self.count // 6}, 6))"
        skipped = f" + {self.offset}" if self.offset else ""
        return f"part({array}, {self.column or 'k'}{skipped}, {self.count})"


def element_outputs(role: str, shape: Shape) -> dict[str, Place]:
    """Outputs of a function of an element: argument name -> place."""
    jacobian = shape.rows * 6 * shape.markers
    if role == "enforcement_tangent":
        return {name: Place(Tangents, name, "e.first_row", 1) for name in ("slope", "slope_dot")}
    if role.endswith("_tangent"):
        n = 6 * shape.markers
        return {
            "K": Place(Tangents, "value", "element", n * n, 0, n),
            "D": Place(Tangents, "value", "element", n * n, n * n, n),
        }
    outputs = {name: Place(Outputs, "value", "e.first_output", 1, i) for i, name in enumerate(shape.outputs)}
    states = {"x_dot": Place(Rates, "aux_dot", "e.first_aux", shape.states)}
    if role == "measure" and shape.as_measure:
        return {
            "value": Place(Measures, "value", "e.measure", 1),
            "J": Place(Measures, "J", "e.first_G", jacobian),
            "bias": Place(Measures, "bias", "e.measure", 1),
        }
    if role == "measure":
        return {
            "value": Place(Rows, "phi", "e.first_row", shape.rows),
            "J": Place(Blocks, "G_marker", "e.first_G", jacobian),
            "bias": Place(Rows, "gamma", "e.first_row", shape.rows),
        }
    if role == "constraint":
        rows = {name: Place(Rows, name, "e.first_row", shape.rows) for name in ("phi", "gamma", "phi_t")}
        return outputs | states | rows | {"G": Place(Blocks, "G_marker", "e.first_G", jacobian)}
    if role == "force":
        return (
            outputs
            | states
            | {
                "wrench": Place(Wrenches, "wrench", "e.force", 6 * shape.markers),
                "energy": Place(Wrenches, "energy", "e.force", 1),
                "power": Place(Wrenches, "power", "e.force", 1),
            }
        )
    if role == "enforcement":
        return outputs | {name: Place(Rows, name, "e.first_row", 1) for name in ("load", "energy", "power")}
    if role in ("accept", "enforcement_accept"):
        return {"mem_new": Place(State, "memory", "e.first_memory", shape.memory)}
    return {"event": Place(Elements, "event", "e.first_event", shape.events)}


def body_outputs(role: str, shape: Shape) -> dict[str, Place]:
    """Outputs of a function of a body: argument name -> place. The outputs of `to_generalized_force` and
    `locate` are handled in `body_text.py`.
    """
    square = shape.nv * shape.nv
    coordinates = {"q": Place(State, "q", "b.first_q", shape.nq)}
    outputs = {
        "prepare": {"c": Place(Bodies, "scratch", "b.first_scratch", shape.scratch)},
        "rate": {"q_dot": Place(Rates, "q_dot", "b.first_q", shape.nq)},
        "retract": coordinates,
        "normalise": coordinates,
        "inertia": {"M": Place(Bodies, "M", "b.first_mass", shape.nv * shape.nv)},
        "internal": {"h": Place(Bodies, "h", "b.first_v", shape.nv)},
        "elastic": {"energy": Place(Bodies, "energy", "", 1)},
        "geometric": {
            "K": Place(Tangents, "value", "marker", square, 0, shape.nv),
            "E": Place(Tangents, "value", "marker", 6 * shape.nv, square, 6),
        },
        "own_tangent": {
            "K": Place(Tangents, "value", "body", square, 0, shape.nv),
            "D": Place(Tangents, "value", "body", square, square, shape.nv),
        },
        "retract_tangent": {"T": Place(Increments, "T", "first", square, 0, shape.nv)},
    }
    return outputs.get(role, {})
