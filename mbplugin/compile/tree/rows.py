"""A draft without the rows and elements that joint coordinates make needless."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBlock
from mbplugin.compile.forces import GRAVITY
from mbplugin.compile.tree.choose import Choice
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.records import MULTIPLIER, OFF, SECOND_RATE, TARGET_ROW
from mbplugin.tables.spec import Array


def dead_rows(build: Builder, choice: Choice, gone: set[int]) -> set[int]:
    """Rows of carrying joints, of their starts, and of rotors that are gone."""
    carried = choice.carried
    dead = {row for k in carried for row in build.names.joints[k].rows}
    dead |= {c.start_row for c in build.names.coordinates if c.start_row >= 0}
    for block in build.draft.blocks:
        if any(build.draft.points[point][0] in gone for point in block.points):
            dead |= set(range(block.row0, block.row0 + block.rows))
    return dead


def dead_of_idle(build: Builder, idle: frozenset[int]) -> set[int]:
    """Rows of elements that write no others than idle ones."""
    dead: set[int] = set()
    for e in build.draft.elements:
        own = set(range(e.row, e.row + e.shape.rows)) if has_row(e) else set()
        if own and own <= idle:
            dead |= own
    return dead


def turn_off(build: Builder, idle: frozenset[int]) -> None:
    """Let idle rows beside others of their element be off for good."""
    for row in idle:
        build.draft.rows[row].mode = OFF
    for activity in build.draft.activities:
        activity.targets = [
            (kind, number) for kind, number in activity.targets if kind != TARGET_ROW or number not in idle
        ]


def drop_elements(build: Builder, choice: Choice, place: dict[int, tuple[int, int]]) -> None:
    """Without the weights of links, and coordinates that are states."""
    draft = build.draft
    carried = {build.names.joints[k].name for k in choice.carried}
    states = {c.measure for c in build.names.coordinates if c.name.rpartition(".")[0] in carried}
    weight = {f"{GRAVITY}.{build.bodies[body].name}" for body in place}
    draft.elements = [
        e
        for e in draft.elements
        if not (e.role == "force" and e.name in weight)
        and not (e.purpose == COORDINATE and e.measure in states)
    ]
    draft.folded_slots = {
        slot
        for e, (first, slots) in zip(weights_first(build), draft.wrench_slots)
        if e in weight
        for slot in range(first, first + slots)
    }


def weights_first(build: Builder) -> list[str]:
    """Names of the weights, which are the first forces."""
    if not any(build.system.scene.gravity):
        return []
    return [f"{GRAVITY}.{body.name}" for body in build.system.bodies]


def drop_rows(build: Builder, dead: set[int]) -> Array:
    """Remove rows from a draft and its names; returns the number before of each row that is left."""
    draft, names = build.draft, build.names
    left = [r for r in range(len(draft.rows)) if r not in dead]
    new = {r: k for k, r in enumerate(left)}
    block_before = {
        row: block for block in draft.blocks for row in range(block.row0, block.row0 + block.rows)
    }
    shifted: list[Any] = []
    coupling: dict[int, int] = {}
    for k, (numbers, c) in enumerate(draft.couplings):
        row, measure, g, function = numbers
        if row in dead:
            continue
        coupling[k] = len(shifted)
        block = block_before[row]
        before = sum(1 for r in range(block.row0, row) if r in dead)
        shifted.append(((new[row], measure, g - 6 * len(block.points) * before, function), c))
    draft.couplings = shifted
    draft.partials = [
        (expression, measure, coupling[k], level)
        for expression, measure, k, level in draft.partials
        if k in coupling
    ]
    draft.elements = [e for e in draft.elements if not (has_row(e) and e.row in dead)]
    for e in draft.elements:
        if has_row(e):
            e.row = new[e.row]
    number_of_block = drop_blocks(build, dead, new)
    draft.rows = [draft.rows[r] for r in left]
    names.rows = [names.rows[r] for r in left]
    for joint in names.joints:
        own = [new[r] for r in joint.rows if r in new]
        joint.rows = range(own[0], own[-1] + 1) if own else range(0)
        joint.block = number_of_block.get(joint.block, -1)
    for coordinate in names.coordinates:
        coordinate.motion_rows = [new[r] for r in coordinate.motion_rows if r in new]
        coordinate.start_row = new.get(coordinate.start_row, -1)
    for law in draft.enforced:
        law.row, law.block = new[law.row], number_of_block[law.block]
    for bound in draft.bounded:
        bound.row, bound.block = new[bound.row], number_of_block[bound.block]
    for bearing in draft.bearings:
        bearing.first_row, bearing.rows = those_left(bearing, new)
        bearing.block = number_of_block[bearing.block]
        if bearing.pressing >= 0:
            bearing.pressing = new[bearing.pressing]
    for implicit in draft.implicit_rows:
        if implicit.kind in (SECOND_RATE, MULTIPLIER):
            implicit.place = new[implicit.place]
        implicit.block = number_of_block.get(implicit.block, 0)
        implicit.first_row, implicit.rows = those_left(implicit, new)
    for activity in draft.activities:
        activity.targets = [
            (kind, new[number] if kind == TARGET_ROW else number)
            for kind, number in activity.targets
            if kind != TARGET_ROW or number in new
        ]
    return np.array(left, np.int64)


def those_left(of: Any, new: dict[int, int]) -> tuple[int, int]:
    """Number of the first row that is left of those whose reaction is read, and how many are left."""
    left = [new[r] for r in range(of.first_row, of.first_row + of.rows) if r in new]
    return (left[0], len(left)) if left else (0, 0)


def has_row(e: Any) -> bool:
    """Whether an element writes or enforces a row."""
    return e.role in ("constraint", "enforcement") or (e.role == "measure" and not e.shape.as_measure)


def drop_blocks(build: Builder, dead: set[int], new: dict[int, int]) -> dict[int, int]:
    """Remove the rows of blocks, and blocks without rows; returns the new numbers of those that are left."""
    draft = build.draft
    number: dict[int, int] = {}
    blocks: list[DraftBlock] = []
    for k, block in enumerate(draft.blocks):
        rows = [r for r in range(block.row0, block.row0 + block.rows) if r not in dead]
        if not rows and block.rows:
            continue
        number[k] = len(blocks)
        block.row0, block.rows = new[rows[0]] if rows else 0, len(rows)
        blocks.append(block)
    draft.blocks = blocks
    return number
