"""Batches: each compiled kernel runs over a range of records of one kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mbplugin.codegen.compiled import Compiled, batch_kernel, body_kernel, engine_kernel
from mbplugin.compile.block_tables import WrenchJob
from mbplugin.compile.body_tables import read_points
from mbplugin.compile.draft import Draft, DraftBody, DraftElement
from mbplugin.compile.tree.kind import Tree
from mbplugin.kernels.tree.coordinates import normalise_trees, rates_of_trees, retract_trees
from mbplugin.kernels.tree.derived import move_derived_joints
from mbplugin.kernels.tree.inertia import articulate_trees
from mbplugin.kernels.tree.loads import clear_external, forces_on_links, loads_of_trees
from mbplugin.kernels.tree.markers import locate_on_trees, rows_on_trees
from mbplugin.kernels.tree.mass_matrix import form_mass_of_trees
from mbplugin.kernels.tree.motion import move_trees
from mbplugin.kernels.tree.shown import energies_of_links, rates_of_shown, show_trees
from mbplugin.problem import Names
from mbplugin.tables.purposes import (
    ACCEPT,
    BODY_ENERGY,
    BODY_FORCE,
    EVENT,
    FORCES_TO_GENERALIZED,
    LOCATE,
    MASS,
    NORMALISE,
    PREPARE,
    RATE,
    RETRACT,
    ROWS_TO_GENERALIZED,
    SAMPLE,
    SHOWN,
)
from mbplugin.tables.records import DERIVED


@dataclass
class Batch:
    """A row of `Batches`, and the kernel behind its address."""

    kernel: Compiled
    first: int
    count: int
    purpose: int


def runs(keys: list[Any]) -> list[tuple[int, int]]:
    """(first, count) of each run of equal consecutive keys."""
    ranges: list[tuple[int, int]] = []
    for i, key in enumerate(keys):
        if ranges and keys[ranges[-1][0]] == key:
            ranges[-1] = (ranges[-1][0], ranges[-1][1] + 1)
        else:
            ranges.append((i, 1))
    return ranges


def by_batches(elements: list[DraftElement]) -> list[DraftElement]:
    """The elements in the order of their tables: grouped by kernel, in a group in the order of the scene."""
    return sorted(elements, key=lambda e: (e.purpose, e.key))


def element_batches(elements: list[DraftElement], batches: list[Batch], names: Names) -> None:
    """Add the batches of elements, sorted by `by_batches`; their tangent functions go into `names`."""
    for first, count in runs([(e.purpose, e.key) for e in elements]):
        e = elements[first]
        if e.tangent is not None:
            names.tangents[len(batches)] = e.tangent
        batches.append(Batch(batch_kernel(e.role, e.function, e.shape, e.owner), first, count, e.purpose))
        for role, function, purpose in (
            (e.accept_role, e.accept, ACCEPT),
            ("event", e.event, EVENT),
            ("sample", e.sample, SAMPLE),
        ):
            if function is not None:
                batches.append(Batch(batch_kernel(role, function, e.shape, e.owner), first, count, purpose))
    if shown := [e.record.measure for e in elements if e.purpose == SHOWN]:
        batches.append(Batch(engine_kernel(rates_of_shown, Tree), 0, max(shown) + 1, SHOWN))


def body_batches(bodies: list[DraftBody], draft: Draft, number: dict[int, int], batches: list[Batch]) -> None:
    """Add the batches of the bodies and of their markers, both sorted by kind."""
    of_point = sorted((number[i], draft.points[i][0]) for i in range(len(draft.points)))
    roles: list[tuple[str, int]] = [
        ("prepare", PREPARE),
        ("inertia", MASS),
        ("internal", BODY_FORCE),
        ("rate", RATE),
        ("retract", RETRACT),
        ("normalise", NORMALISE),
        ("elastic", BODY_ENERGY),
    ]
    for first, count in runs([b.kind for b in bodies]):
        kind = bodies[first].kind
        markers = [marker for marker, body in of_point if body >= 0 and bodies[body].kind is kind]
        if kind is Tree:
            derived = sum(link.form == DERIVED for link in draft.folded.links)
            if derived:
                batches.append(Batch(engine_kernel(move_derived_joints, Tree), 0, derived, PREPARE))
            read = [number[point] for point in read_points(draft)]
            tree_batches(count, draft.folded.form.forms_mass, markers, read, batches)
            continue
        for role, purpose in roles:
            function = getattr(kind, role)
            if function is not None:
                batches.append(Batch(body_kernel(role, function, kind), first, count, purpose))
        batches.append(Batch(body_kernel("locate", kind.locate, kind), markers[0], len(markers), LOCATE))


def job_batches(
    bodies: list[DraftBody], constraint: list[WrenchJob], force: list[WrenchJob], batches: list[Batch]
) -> list[Any]:
    """Add the batches of wrench jobs; returns the jobs, constraints first, each sorted by body kind."""
    kinds = {b.kind.name: b.kind for b in bodies}
    rows: list[Any] = []
    for jobs, of_forces, purpose in (
        (constraint, False, ROWS_TO_GENERALIZED),
        (force, True, FORCES_TO_GENERALIZED),
    ):
        jobs = sorted(jobs, key=lambda job: job[0])
        for first, count in runs([name for name, _ in jobs]):
            kind = kinds[jobs[first][0]]
            if kind is Tree:
                function = forces_on_links if of_forces else rows_on_trees
                batches.append(Batch(engine_kernel(function, Tree), len(rows) + first, count, purpose))
                continue
            batches.append(
                Batch(
                    body_kernel("to_generalized_force", kind.to_generalized_force, kind, of_forces),
                    len(rows) + first,
                    count,
                    purpose,
                )
            )
        rows += [job for _, job in jobs]
    trees = sum(body.kind is Tree for body in bodies)
    if trees:
        batches.append(Batch(engine_kernel(loads_of_trees, Tree), 0, trees, FORCES_TO_GENERALIZED))
    return rows


def tree_batches(
    trees: int, forms_mass: bool, markers: list[int], read: list[int], batches: list[Batch]
) -> None:
    """Add the batches of all trees and of their markers: of those that no step reads for frames."""
    for function, purpose in (
        (move_trees, PREPARE),
        (form_mass_of_trees if forms_mass else articulate_trees, MASS),
        (clear_external, BODY_FORCE),
        (rates_of_trees, RATE),
        (retract_trees, RETRACT),
        (normalise_trees, NORMALISE),
        (energies_of_links, BODY_ENERGY),
        (show_trees, SHOWN),
    ):
        batches.append(Batch(engine_kernel(function, Tree), 0, trees, purpose))
    for some, purpose in ((set(markers) & set(read), LOCATE), (set(markers) - set(read), SHOWN)):
        if some:
            assert max(some) - min(some) == len(some) - 1
            batches.append(Batch(engine_kernel(locate_on_trees, Tree), min(some), len(some), purpose))
