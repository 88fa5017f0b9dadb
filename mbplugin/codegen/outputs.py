"""Where the outputs of authors' functions are in the tables. The wrappers use it, and the conformance kit
puts guards around the same places.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbplugin.codegen.wrapper import Shape, Size
from mbplugin.tables.groups import (
    Blocks,
    Bodies,
    Elements,
    Increments,
    Measures,
    Nodal,
    Outputs,
    PartTangents,
    Rates,
    Rows,
    State,
    Tangents,
    Wrenches,
)

NONE, ONE, SIX = Size(0), Size(1), Size(6)


@dataclass(frozen=True)
class Place:
    """Location of an output: `count` numbers of a table. They start at the value of a column of the element
    record `e`, of the body record `b` or of the nodal record `n`, or at the index of the record.

    Of a matrix (rows, columns) of tangents the column is one of the group. The first `offset` numbers are
    skipped.
    """

    group: type
    field: str
    column: str
    count: Size
    offset: Size = NONE
    matrix: tuple[Size, Size] | None = None

    @property
    def text(self) -> str:
        group = self.group.__name__.lower()
        array = f"{group}.{self.field}"
        first = self.column or "k"
        if self.group is Wrenches and self.field == "wrench":
            first = f"6 * wrenches.index[{self.column}].first_slot"
        elif self.matrix:
            first = f"{group}.{self.column}[i]"
        if self.offset.factor:
            first += f" + {self.offset}"
        shape = f".reshape(({self.matrix[0]}, {self.matrix[1]}))" if self.matrix else ""
        return f"part({array}, {first}, {self.count}){shape}"


def element_outputs(role: str, shape: Shape) -> dict[str, Place]:
    """Outputs of a function of an element: argument name -> place."""
    rows, wide, slots = Size(shape.rows), shape.size("slots") * 6, shape.size("slots")
    square, entries = wide * wide, rows * wide
    outputs = {
        name: Place(Outputs, "value", "e.first_output", ONE, Size(i)) for i, name in enumerate(shape.outputs)
    }
    outputs |= {"x_dot": Place(Rates, "aux_dot", "e.first_aux", Size(shape.states))}
    memory = {"mem_new": Place(State, "memory", "e.first_memory", Size(shape.memory))}
    patches = {
        "K": Place(Tangents, "value", "element", square, NONE, (wide, wide)),
        "D": Place(Tangents, "value", "element", square, square, (wide, wide)),
    }
    of_measure = {
        "value": Place(Measures, "value", "e.measure", ONE),
        "J": Place(Measures, "J", "e.first_G", entries),
        "bias": Place(Measures, "bias", "e.measure", ONE),
    }
    of_rows = {
        "value": Place(Rows, "phi", "e.first_row", rows),
        "J": Place(Blocks, "G_marker", "e.first_G", entries),
        "bias": Place(Rows, "gamma", "e.first_row", rows),
    }
    by_role = {
        "measure": of_measure if shape.as_measure else of_rows,
        "constraint": outputs
        | {name: Place(Rows, name, "e.first_row", rows) for name in ("phi", "gamma", "phi_t")}
        | {"G": Place(Blocks, "G_marker", "e.first_G", entries)},
        "force": outputs
        | {"wrench": Place(Wrenches, "wrench", "e.force", wide, NONE, (slots, SIX))}
        | {name: Place(Wrenches, name, "e.force", ONE) for name in ("energy", "power")},
        "enforcement": outputs
        | {name: Place(Rows, name, "e.first_row", ONE) for name in ("load", "energy", "power")},
        "enforcement_tangent": {
            name: Place(Tangents, name, "e.first_row", ONE) for name in ("slope", "slope_dot")
        },
        "accept": memory,
        "sample": memory | {"x_new": Place(State, "aux", "e.first_aux", Size(shape.states))},
        "enforcement_accept": memory,
        "event": {"event": Place(Elements, "event", "e.first_event", Size(shape.events))},
    }
    return by_role.get(role, patches)


def body_outputs(role: str, shape: Shape) -> dict[str, Place]:
    """Outputs of a function of a body: argument name -> place. The outputs of `to_generalized_force` and
    `locate` are handled in `body_text.py`.
    """
    nq, nv = shape.size("nq"), shape.size("nv")
    square = nv * nv
    entries = Size(1, ("b.mass_entries",)) if shape.profile else square
    coordinates = {"q": Place(State, "q", "b.first_q", nq)}
    outputs = {
        "prepare": {"c": Place(Bodies, "scratch", "b.first_scratch", shape.size("scratch"))},
        "rate": {"q_dot": Place(Rates, "q_dot", "b.first_q", nq)},
        "retract": coordinates,
        "normalise": coordinates,
        "inertia": {"M": Place(Bodies, "M", "b.first_mass", entries)},
        "internal": {"h": Place(Bodies, "h", "b.first_v", nv), "power": Place(Bodies, "power", "", ONE)},
        "elastic": {"energy": Place(Bodies, "energy", "", ONE)},
        "nodes": {
            "x": Place(Nodal, "x", "n.first_node", Size(3, ("n.nodes",))),
            "u": Place(Nodal, "v", "n.first_node", Size(3, ("n.nodes",))),
        },
        "stress": {"stress": Place(Nodal, "stress", "n.first_stress", Size(6, ("n.points",)))},
        "geometric": {
            "K": Place(Tangents, "value", "marker", square, NONE, (nv, nv)),
            "E": Place(Tangents, "value", "marker", SIX * nv, square, (SIX, nv)),
        },
        "own_tangent": {
            "K": Place(Tangents, "value", "body", square, NONE, (nv, nv)),
            "D": Place(Tangents, "value", "body", square, square, (nv, nv)),
        },
        "retract_tangent": {"T": Place(Increments, "T", "first", square, NONE, (nv, nv))},
    }
    if shape.parts:
        outputs |= part_outputs()
    return outputs.get(role, {})


def part_outputs() -> dict[str, dict[str, Place]]:
    """Outputs of the tangent functions of a kind with parts."""
    moved, entries = (Size(1, (f"parttangents.{name}",)) for name in ("moved[i]", "entries[i]"))
    own = lambda skip: Place(PartTangents, "value", "parttangents.own[i]", entries, skip)
    return {
        "geometric": {"K": Place(PartTangents, "value", "geometric", moved * moved, NONE, (moved, moved))},
        "own_tangent": {"K": own(NONE), "D": own(entries)},
    }
