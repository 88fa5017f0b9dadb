"""Which rows act on which markers: the terms of Σ Gᵀ (λ + load), owner by owner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mbplugin.problem import Problem
from mbplugin.problem.names import JointInfo
from mbplugin.tables.groups import (
    Blocks,
    Bodies,
    Carried,
    Elements,
    ImplicitVariables,
    Markers,
    Measures,
    RowWrenches,
    Trees,
)
from mbplugin.tables.records import SECOND_RATE, ArmatureRecord, CarriedRecord
from mbplugin.tables.spec import records


class RowPart(NamedTuple):
    """Key of what the rows of a joint or motion do at a marker."""

    owner: str
    body: int  # of the scene
    marker: int


#: a row, and the place of its six numbers over the marker in `Blocks.G_marker`
Term = tuple[int, int]


def put_row_wrenches(problem: Problem) -> None:
    """Give a problem its table: the parts on bodies, then the reaction of each joint on its last marker."""
    parts = row_parts(problem)
    terms = [*parts.values(), *reaction_terms(problem)]
    flat = np.array([term for of_part in terms for term in of_part], np.int64).reshape(-1, 2)
    first = np.cumsum([0, *map(len, terms)])
    problem.put(RowWrenches(first, flat[:, 0].copy(), flat[:, 1].copy(), np.zeros((len(terms), 6))))
    if problem.folded is not None:
        problem.put(carried_tables(problem, {part: k for k, part in enumerate(parts)}))


def row_parts(problem: Problem) -> dict[RowPart, list[Term]]:
    """The parts that act on bodies of the scene, without rows that exert nothing; those of joints that carry
    links have no rows.
    """
    blocks, body_of = problem[Blocks], bodies_of_markers(problem)
    without_load = rows_without_load(problem)
    parts: dict[RowPart, list[Term]] = {}
    for block in blocks.index:
        markers = blocks.marker[block.first_slot : block.first_slot + block.slots].tolist()
        for row in range(int(block.first_row), int(block.first_row + block.rows)):
            owner = problem.names.rows[row].owner
            first = int(block.first_G_marker) + 6 * len(markers) * (row - int(block.first_row))
            for slot, marker in enumerate(markers if row not in without_load else []):
                if body_of[marker] >= 0:
                    part = RowPart(owner, body_of[marker], marker)
                    parts.setdefault(part, []).append((row, first + 6 * slot))
    return parts if problem.folded is None else with_bare_joints(problem, parts)


def reaction_terms(problem: Problem) -> list[list[Term]]:
    """Rows of each joint on its last marker."""
    index = problem[Blocks].index

    def place(joint: JointInfo, row: int) -> int:
        block, last = index[joint.block], len(joint.markers) - 1
        return int(block.first_G_marker + 6 * ((row - block.first_row) * block.slots + last))

    return [[(row, place(joint, row)) for row in joint.rows] for joint in problem.names.joints]


def rows_without_load(problem: Problem) -> set[int]:
    """Rows that only set the initial state, or only read an acceleration."""
    starts = {coordinate.start_row for coordinate in problem.names.coordinates}
    return starts | {int(r.place) for r in problem[ImplicitVariables].index if r.kind == SECOND_RATE}


def bodies_of_markers(problem: Problem) -> list[int]:
    """Number in the scene of the body of each marker; -1: the ground or a rotor."""
    bodies, markers = problem[Bodies].index, problem[Markers]
    number = {table: scene for scene, table in enumerate(problem.names.body_index)}
    found = [int(body) for body in markers.index.body]
    for k, body in enumerate(found):
        if body >= 0 and bodies[body].tree >= 0:
            # a point of a link
            tree = problem[Trees].index[bodies[body].tree]
            link = int(markers.p[markers.index[k].first_parameter])
            found[k] = int(bodies[body].first_part) + link - int(tree.first_link)
    return [number.get(body, -1) for body in found]


def with_bare_joints(problem: Problem, parts: dict[RowPart, list[Term]]) -> dict[RowPart, list[Term]]:
    """The parts with those of joints that have lost their rows to a tree, and of inertias there."""
    names, folded, body_of = problem.names, problem.folded, bodies_of_markers(problem)
    owners = [(joint.name, joint) for joint in map(names.joints.__getitem__, folded.bare)]
    turned = [names.joints[link.joint] for link in folded.links if link.rotors]
    owners += [(armature_of(joint), joint) for joint in turned]
    for owner, joint in owners:
        for marker in joint.markers:
            if body_of[marker] >= 0:
                parts.setdefault(RowPart(owner, body_of[marker], marker), [])
    place = {owner: k for k, owner in enumerate(folded.owners)}
    return dict(sorted(parts.items(), key=lambda part: place[part[0].owner]))


def armature_of(joint: JointInfo) -> str:
    """Owner of the rows of inertias on the coordinates of a joint."""
    return f"{joint.name} armature"


def carried_tables(problem: Problem, number: Mapping[RowPart, int]) -> Carried:
    """What joints that carry links exert on their markers, as parts with these numbers, and as reactions."""
    names, body_of, trees = problem.names, bodies_of_markers(problem), problem[Trees]
    measures, markers_of = problem[Measures].index, problem[Elements].marker
    exerted: list[tuple[int, ...]] = []
    armatures: list[tuple[int, ...]] = []
    for at, (link, record) in enumerate(zip(problem.folded.links, trees.link)):
        if link.joint < 0:
            continue
        joint = names.joints[link.joint]
        own = {m: number.get(RowPart(joint.name, body_of[m], m), -1) for m in joint.markers}
        carrying, carried = joint.markers if link.forward else joint.markers[::-1]
        sign = {carried: 1, carrying: -1}
        parts = [(part, m) for m, part in own.items() if part >= 0]
        parts.append((len(number) + link.joint, joint.markers[-1]))
        exerted += [(part, at, m, sign[m]) for part, m in parts]
        for rotor in range(record.first_rotor, record.first_rotor + record.rotors):
            measure = measures[trees.rotor[rotor].measure]
            for slot in range(int(measure.slots)):
                m = int(markers_of[measure.first_slot + slot])
                part = number.get(RowPart(armature_of(joint), body_of[m], m), -1)
                armatures += [(part, at, rotor, slot)] if part >= 0 else []
    return Carried(records(CarriedRecord, exerted), records(ArmatureRecord, armatures))
