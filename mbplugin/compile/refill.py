"""The tables of a changed draft, in a copy of those that were assembled from a draft with the same integers.

A changed number of a scene leaves records, batches and addresses as they are. What may differ are the values
of bodies, markers, elements, expressions and shapes, and the initial state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mbplugin.compile.assemble import name, start_state
from mbplugin.compile.batches import by_batches
from mbplugin.compile.body_tables import body_tables, point_tables
from mbplugin.compile.builder import Builder
from mbplugin.compile.collisions import collisions
from mbplugin.compile.element_tables import (
    bearing_tables,
    bounded_tables,
    coupling_constants,
    element_parameters,
)
from mbplugin.compile.function_tables import function_tables
from mbplugin.compile.inputs import input_tables
from mbplugin.compile.shape_tables import shape_tables
from mbplugin.problem import Problem
from mbplugin.tables.arena import shape_of
from mbplugin.tables.groups import (
    Bearings,
    Bodies,
    Bounded,
    Couplings,
    Elements,
    Functions,
    Inputs,
    Markers,
    Shapes,
    State,
)


@dataclass(frozen=True)
class Layout:
    """A problem as it was assembled, and what its records follow from."""

    problem: Problem  # a copy that nobody changes
    order: list[int]  # of the draft's elements in the tables
    integers: tuple[Any, ...]
    #: what follows from it, by name
    cache: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem, build: Builder) -> Layout:
        """That of a problem which has just been assembled."""
        elements = build.draft.elements
        place = {id(element): k for k, element in enumerate(elements)}
        order = [place[id(element)] for element in by_batches(elements)]
        return cls(problem.copy(), order, integers(build))


def integers(build: Builder) -> tuple[Any, ...]:
    """The integers of a draft, besides those that its `Structure` compares and lengths of arrays."""
    draft, system = build.draft, build.system
    return (
        [body for body, _ in draft.points],
        [(b.row0, b.rows, b.row_type, *b.points) for b in draft.blocks],
        [integers_of_element(e) for e in draft.elements],
        [(m.wraps, m.first_J, *m.points) for m in draft.measures],
        [numbers for numbers, _ in draft.couplings],
        [(e.row, e.block) for e in draft.enforced],
        [
            (z.kind, z.place, z.block, z.first_row, z.rows, z.axes, z.component, z.slot)
            for z in draft.implicit_rows
        ],
        (draft.wrench_slots, draft.force_points, draft.dissipates),
        (draft.states, draft.memory, draft.events, draft.implicit_memory, draft.measure_J),
        [
            (b.row, b.block, b.gap, b.works, b.first_aux, b.memory, b.bearing, b.partner, b.opening)
            for b in draft.bounded
        ],
        [(*one.targets, one.active, one.release, one.snap, one.rival) for one in draft.activities],
        draft.conditions,
        [(b.bounded, b.block, b.first_row, b.rows, b.slot, b.axes, b.axis) for b in draft.bearings],
        [(b.pressing, b.kinetic, b.static) for b in draft.bearings],
        draft.belts,
        [(len(one.rest), one.points) for one in build.names.nodal],
        [len(shapes) for shapes in (*(body.shapes for body in system.bodies), system.scene.shapes)],
    )


def integers_of_element(e: Any) -> tuple[int, ...]:
    return (
        e.row,
        e.first_G,
        e.first_function,
        e.first_aux,
        e.first_memory,
        e.force,
        e.measure,
        e.first_event,
        e.first_output,
        len(e.parameters),
        *e.points,
    )


def refilled(layout: Layout, build: Builder) -> Problem | None:
    """The Problem of a draft whose structure is that of the layout; None if its records differ."""
    if integers(build) != layout.integers:
        return None
    draft, names = build.draft, build.names
    elements = [draft.elements[k] for k in layout.order]
    bodies, q, v = body_tables(build.bodies)
    markers, number = point_tables(draft, build.bodies)
    functions = function_tables(draft, dict(build.start_rates))
    problem = layout.problem.copy()
    values: dict[Any, dict[str, Any]] = {
        Bodies: bodies._asdict(),
        Markers: {name: getattr(markers, name) for name in ("p", "x", "R")},
        Elements: {"p": element_parameters(elements)},
        Functions: functions._replace(called=problem[Functions].called)._asdict(),
        Inputs: input_tables(draft)._asdict(),
        Bounded: {"index": bounded_tables(draft, len(v)).index},
        Bearings: {"index": bearing_tables(draft, number).index},
        Couplings: {"coefficient": coupling_constants(draft)},
        State: start_state(draft, q, v)._asdict(),
    }
    places = [(problem.array(group, key), array) for group, of in values.items() for key, array in of.items()]
    if any(shape_of(place) != shape_of(array) for place, array in places):
        return None
    name(names, draft, build.bodies, elements, number)
    names.tangents = layout.problem.names.tangents
    places += zip(problem[Shapes], shape_tables(build.system, draft, build.bodies, names, number))
    names.collisions = collisions(build.system, names)
    for place, array in places:
        place[...] = array
    problem.names = names
    return problem
