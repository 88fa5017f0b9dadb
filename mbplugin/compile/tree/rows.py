"""A draft without the rows and elements that joint coordinates make needless."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftElement
from mbplugin.compile.forces import GRAVITY
from mbplugin.compile.tree.choose import Choice
from mbplugin.tables.links import renumbered
from mbplugin.tables.purposes import COORDINATE, MEASURE, SHOWN
from mbplugin.tables.records import OFF, TARGET_ROW
from mbplugin.tables.spec import Array

#: lists of the draft whose records point at rows, blocks, couplings and targets
INDEXED = (
    "blocks",
    "couplings",
    "partials",
    "targets",
    "activities",
    "enforced",
    "bounded",
    "bearings",
    "implicit_rows",
)


def dead_rows(build: Builder, choice: Choice, gone: set[int]) -> set[int]:
    """Rows of carrying joints, of their starts, and of rotors that are gone."""
    carried = choice.carried
    dead = {row for k in carried for row in build.names.joints[k].rows}
    dead |= {c.start_row for c in build.names.coordinates if c.start_row >= 0}
    for block in build.draft.blocks:
        if any(build.draft.points[point][0] in gone for point in block.points):
            dead |= set(range(block.first_row, block.first_row + block.rows))
    return dead


def dead_of_idle(build: Builder, idle: frozenset[int]) -> set[int]:
    """Rows of elements that write no others than idle ones."""
    dead: set[int] = set()
    for e in build.draft.elements:
        own = set(range(e.record.first_row, e.record.first_row + e.shape.rows)) if e.has_row else set()
        if own and own <= idle:
            dead |= own
    return dead


def drop_elements(
    build: Builder, choice: Choice, place: dict[int, tuple[int, int]], needed: set[int]
) -> None:
    """Without the weights of links; coordinates that are states are left to frames. needed: measures that
    steps need.
    """
    draft = build.draft
    carried = {build.names.joints[k].name for k in choice.carried}
    states = {c.measure for c in build.names.coordinates if c.name.rpartition(".")[0] in carried}
    weight = {f"{GRAVITY}.{build.bodies[body].name}" for body in place}
    draft.elements = [
        replace(e, purpose=purpose_of(e, states, needed))
        for e in draft.elements
        if not (e.role == "force" and e.name in weight)
    ]
    draft.folded_slots = {
        slot
        for e, force in zip(weights_first(build), draft.forces)
        if e in weight
        for slot in range(force.first_slot, force.first_slot + force.slots)
    }


def purpose_of(e: DraftElement, states: set[int], needed: set[int]) -> int:
    """When an element is evaluated, where coordinates are states and measures are needed by steps."""
    if e.purpose != COORDINATE:
        return e.purpose
    return MEASURE if e.record.measure in needed else SHOWN if e.record.measure in states else COORDINATE


def weights_first(build: Builder) -> list[str]:
    """Names of the weights, which are the first forces."""
    if not any(build.system.scene.gravity):
        return []
    return [f"{GRAVITY}.{body.name}" for body in build.system.bodies]


def drop_rows(build: Builder, dead: set[int], idle: frozenset[int]) -> Array:
    """Remove rows from a draft and its names, and turn idle ones off for good that are left beside others of
    their element. Returns the number before of each row that is left.
    """
    draft = build.draft
    rows = [r for r in range(len(draft.rows)) if r not in dead]
    new = numbering(rows)
    blocks = [
        k
        for k, block in enumerate(draft.blocks)
        if not (block.rows and dead.issuperset(range(block.first_row, block.first_row + block.rows)))
    ]
    couplings = [k for k, one in enumerate(draft.couplings) if one.row in new]
    targets = [
        k
        for k, one in enumerate(draft.targets)
        if one.kind != TARGET_ROW or (one.number in new and one.number not in idle)
    ]
    numbers = {
        "Rows": new,
        "Blocks": numbering(blocks),
        "Couplings": numbering(couplings),
        "Activity.target": numbering(targets),
    }
    build.names = renumbered(replace(build.names, rows=[build.names.rows[r] for r in rows]), numbers)
    draft.rows = [replace(draft.rows[r], mode=OFF) if r in idle else draft.rows[r] for r in rows]
    draft.elements = [
        replace(e, record=e.record._replace(first_row=new[e.record.first_row])) if e.has_row else e
        for e in draft.elements
        if not e.has_row or e.record.first_row in new
    ]
    draft.blocks = [draft.blocks[k] for k in blocks]
    draft.couplings = [draft.couplings[k] for k in couplings]
    draft.coupling_constants = [draft.coupling_constants[k] for k in couplings]
    draft.targets = [draft.targets[k] for k in targets]
    draft.partials = [one for one in draft.partials if one.coupling in numbers["Couplings"]]
    for name in INDEXED:
        setattr(draft, name, renumbered(getattr(draft, name), numbers))
    return np.array(rows, np.int64)


def numbering(kept: Iterable[int]) -> dict[int, int]:
    """New number of each of those that are kept."""
    return {old: k for k, old in enumerate(kept)}
