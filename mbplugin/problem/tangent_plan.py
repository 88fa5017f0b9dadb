"""The plan of the tangents of a problem: which functions are called, and which blocks they add to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled, batch_kernel, body_kernel, compile_kernels, engine_kernel
from mbplugin.codegen.core_functions import core_units, load
from mbplugin.interface.tangent import tangent_of
from mbplugin.kernels.ridders import ARRAYS
from mbplugin.kernels.tangents import CHUNK
from mbplugin.kernels.tree.tangent_motion import JOINT, SAVED, SUMS, motions_of_trees
from mbplugin.kernels.tree.tangents import retract_tangents_of_trees, tangents_at_markers, tangents_of_trees
from mbplugin.problem.differenced import Part, difference_parts
from mbplugin.problem.part_tangents import part_tangents
from mbplugin.tables.groups import (
    Batches,
    Blocks,
    Bodies,
    DerivedRows,
    Differences,
    Elements,
    Enforced,
    Increments,
    Markers,
    TangentBlocks,
    TangentPlan,
    Tangents,
    TangentWork,
    Trees,
    TreeTangents,
    Wrenches,
)
from mbplugin.tables.purposes import (
    FUNCTION,
    GEOMETRIC,
    INCREMENT,
    INTERNAL,
    JACOBIAN,
    KERNEL,
    PARTIAL,
    SLOPE,
    STATES,
)
from mbplugin.tables.records import (
    BodyDifferenceRecord,
    DifferenceRecord,
    EnforcedBlockRecord,
    EvaluationRecord,
    StripMemberRecord,
    StripRecord,
    TangentBlockRecord,
    TangentCallRecord,
)
from mbplugin.tables.spec import Array, records

#: markers of a group, whether it is enforced, and of each of its elements: batch and number
Group = tuple[tuple[int, ...], bool, tuple[tuple[int, int], ...]]


def body_functions(kind: Any) -> tuple[Any, Any] | None:
    """A body kind's `geometric`, and its `tangent` (None where it has no forces of its own); None where one
    is missing.
    """
    geometric, tangent = (
        tangent_of(kind, "geometric", "prepare", "locate", "to_generalized_force", "retract"),
        tangent_of(kind, "tangent", "prepare", "internal", "retract"),
    )
    return (
        None if geometric is None or (kind.internal is not None and tangent is None) else (geometric, tangent)
    )


def plan_tangents(problem: Any, closed_form: bool = True) -> None:
    """Compile the tangent functions of a problem, and put its tables of tangents in place.

    closed_form: False to take differences even of what gives tangents, for checks; but of trees

    Raises PluginError.
    """
    draft = PlanDraft(problem, closed_form)
    draft.add_bodies()
    draft.add_elements()
    draft.add_enforced()
    draft.put()


@dataclass
class PlanDraft:
    """Growing lists of the plan; pairs are (body, body) until the blocks have their places."""

    problem: Any
    closed_form: bool
    #: kernel, first record, count, purpose, numbers of a record
    calls: list[tuple[Compiled, int, int, int, int]] = field(default_factory=list)
    strips: list[list[int]] = field(default_factory=list)
    #: kernel, first element, elements of a group, numbers of an element, rows, place
    members: list[tuple[Compiled, int, int, int, int, int]] = field(default_factory=list)
    enforced: list[tuple[int, ...]] = field(default_factory=list)
    member_of_slot: list[int] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    compliances: list[tuple[int, int, int]] = field(default_factory=list)
    bodies: list[tuple[int, list[int], Sequence[Compiled | None]]] = field(default_factory=list)
    markers: list[int] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    #: start in Tangents.value of each element's numbers
    element: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    #: the same of each marker and of each body
    marker: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    body: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    #: of each marker on a body with parts that an element reads: its number among the bodies of the blocks
    twists: dict[int, int] = field(default_factory=dict)
    #: numbers of `value` and `work`
    value: int = 0
    work: int = 0

    def __post_init__(self) -> None:
        self.element = np.zeros(len(self.problem[Elements].index), np.int64)
        self.marker = np.zeros(len(self.problem[Markers].index), np.int64)
        self.body = np.zeros(len(self.problem[Bodies].index), np.int64)

    # bodies

    def add_bodies(self) -> None:
        """The functions of body kinds, and differences of bodies without them."""
        problem = self.problem
        kinds, markers, bodies = problem.names.kinds, problem[Markers].index, problem[Bodies].index
        trees = problem[Trees].index["body"]
        for kind in dict.fromkeys(kinds):
            if kind.parts:
                continue
            numbers = np.flatnonzero([k is kind for k in kinds])
            on = np.flatnonzero(np.isin(markers.body, numbers))
            first, count, n = int(on[0]), len(on), int(bodies.nv[numbers].max())
            self.work = max(self.work, n * n, 6 * n, 36)
            if numbers[0] in trees:
                self.add_trees(kind, len(trees), first, count)
                continue
            kernel = lambda role, function, kind=kind: body_kernel(role, function, kind)
            jacobian = kernel("jacobian", kind.to_generalized_force)
            self.calls.append((jacobian, first, count, JACOBIAN, 0))
            functions = body_functions(kind) if self.closed_form else None
            chunk = np.arange(count) % CHUNK
            if functions is not None:
                geometric, tangent = functions
                size = n * n + 6 * n
                self.calls.append((kernel("geometric", geometric), first, count, GEOMETRIC, size))
                self.marker[on] = size * chunk
                self.need(CHUNK * size)
                if tangent is not None:
                    own = kernel("own_tangent", tangent)
                    self.calls.append((own, int(numbers[0]), len(numbers), INTERNAL, 2 * n * n))
                    self.body[numbers] = 2 * n * n * (np.arange(len(numbers)) % CHUNK)
                    self.need(CHUNK * 2 * n * n)
            else:
                roles = ("retract", "prepare", "locate", "to_generalized_force", "internal")
                found = [
                    jacobian
                    if role == "to_generalized_force"
                    else None
                    if getattr(kind, role) is None
                    else kernel(role, getattr(kind, role))
                    for role in roles
                ]
                for i in numbers:
                    mine = [int(p) for p in np.flatnonzero(markers.body == i)]
                    self.bodies.append((int(i), mine, found))
                    size = int(bodies[i].nq) + 3 * n + ARRAYS * (n + 6 * len(mine))
                    self.work = max(self.work, size)
            of_increment = tangent_of(kind, "retract_tangent", "retract")
            if of_increment is not None:
                increment = kernel("retract_tangent", of_increment)
                self.calls.append((increment, int(numbers[0]), len(numbers), INCREMENT, 0))

    def add_trees(self, kind: Any, trees: int, first: int, count: int) -> None:
        """The engine's functions of trees, with `count` markers from `first`."""
        for function, start, length, purpose in (
            (motions_of_trees, 0, trees, JACOBIAN),
            (tangents_at_markers, first, count, JACOBIAN),
            (tangents_of_trees, 0, trees, INTERNAL),
            (retract_tangents_of_trees, 0, trees, INCREMENT),
        ):
            self.calls.append((engine_kernel(function, kind), start, length, purpose, 0))

    # elements

    def add_elements(self) -> None:
        """Elements with tangents in strips, the others as differences."""
        problem = self.problem
        elements, batches = problem[Elements], problem[Batches].index
        parts, left_out = difference_parts(
            problem, set(problem.names.tangents) if self.closed_form else set()
        )
        self.parts = parts
        groups: dict[Any, list[tuple[int, int]]] = {}
        enforced = set(problem[Enforced].index.row.tolist())
        for number in problem.names.tangents if self.closed_form else ():
            kernel, batch = problem.kernels[number], batches[number]
            if kernel.role == "enforcement":
                continue
            for e in range(int(batch.first), int(batch.first + batch.length)):
                if e in left_out:
                    continue
                element = elements.index[e]
                slots = elements.marker[element.first_slot : element.first_slot + element.slots]
                rows = kernel.role != "force"
                # a force element and a joint may have the same markers, rows have no D
                key = tuple(slots.tolist()), rows, rows and int(element.first_row) in enforced
                groups.setdefault(key, []).append((number, e))
        self.add_strips([(key[0], key[2], tuple(sorted(found))) for key, found in groups.items()])
        for part in parts:
            part.first_pair = len(self.pairs)
            self.pairs += [(self.owner(p), self.owner(q)) for p in part.acts for q in part.reads]
            wide, n = 6 * len(part.reads), 6 * len(part.acts) + part.states + len(part.rows)
            condensed = 12 * len(part.acts) * wide + part.states * (part.states + 1)
            self.work = max(self.work, 36 + 2 * n * wide + n * part.states + max(ARRAYS * n + 15, condensed))

    def owner(self, marker: int) -> int:
        """Body of a marker, −1: the ground; on a body with parts a number of its own."""
        body = int(self.problem[Markers].index.body[marker])
        if body < 0 or not self.problem.names.kinds[body].parts:
            return body
        return self.twists.setdefault(marker, len(self.problem[Bodies].index) + len(self.twists))

    def add_strips(self, groups: list[Group]) -> None:
        """Strips of groups whose elements follow each other in the same batches."""
        signature = lambda group: (len(group[0]), group[1], tuple(number for number, _ in group[2]))
        groups.sort(key=lambda group: (signature(group), group[2]))
        start = 0
        while start < len(groups):
            counts = Counter(number for number, _ in groups[start][2])
            stop = start + 1
            while stop < len(groups) and signature(groups[stop]) == signature(groups[start]):
                before, here = groups[stop - 1][2], groups[stop][2]
                if any(f[1] != e[1] + counts[e[0]] for e, f in zip(before, here)):
                    break
                stop += 1
            if not self.whole(groups[start][2]):
                # elements of a group that do not follow each other: each by itself
                counts.clear()
            self.add_strip(groups[start:stop], counts)
            start = stop

    def whole(self, elements: tuple[tuple[int, int], ...]) -> bool:
        """Whether the elements of one batch in a group follow each other."""
        return all(f[1] == e[1] + 1 for e, f in pairwise(elements) if e[0] == f[0])

    def add_strip(self, groups: list[Group], counts: dict[int, int]) -> None:
        """One strip; without counts, one for every element."""
        if not counts:
            for points, held, elements in groups:
                for number, e in elements:
                    self.add_strip([(points, held, ((number, e),))], {number: 1})
            return
        problem = self.problem
        points, held, elements = groups[0]
        m, place, velocity = len(points), 0, 0
        first_member = len(self.members)
        for number, each in counts.items():
            kernel = problem.kernels[number]
            function = problem.names.tangents[number]
            tangent = batch_kernel(f"{kernel.role}_tangent", function, kernel.shape, kernel.owner)
            has_D = " arg_D =" in tangent.text
            velocity |= int(has_D)
            size = (1 + int(has_D)) * 36 * m * m
            first = min(e for n, e in elements if n == number)
            total = each * len(groups)
            self.element[first : first + total] = place + size * (np.arange(total) % (CHUNK * each))
            self.members.append((tangent, first, each, size, kernel.shape.rows, place))
            place += CHUNK * each * size
            self.work = max(self.work, CHUNK * each * kernel.shape.rows)
        self.need(place)
        self.strips.append(
            [
                first_member,
                len(counts),
                len(groups),
                m,
                len(self.markers),
                len(self.pairs),
                velocity,
                int(held),
            ]
        )
        for points, _, _ in groups:
            self.markers += points
            self.pairs += [(self.owner(p), self.owner(q)) for p in points for q in points]

    # enforced rows

    def add_enforced(self) -> None:
        """Rows under a compliance by blocks, and the slopes of compliances."""
        problem = self.problem
        blocks, batches = problem[Blocks], problem[Batches].index
        body = problem[Markers].index.body
        rows_of: dict[int, list[int]] = {}
        for row in problem[Enforced].index:
            rows_of.setdefault(int(row.block), []).append(int(row.row))
        for number, rows in rows_of.items():
            block = blocks.index[number]
            members = blocks.member[block.first_member : block.first_member + block.members].body.tolist()
            slots = blocks.marker[block.first_slot : block.first_slot + block.slots]
            first_member = len(self.member_of_slot)
            self.member_of_slot += [members.index(body[p]) if body[p] in members else -1 for p in slots]
            widest = max((int(problem[Bodies].index[i].nv) for i in members), default=0)
            for first, count in ranges(rows):
                self.enforced.append((number, first, count, len(self.pairs), first_member))
                self.pairs += [(i, j) for i in members for j in members]
                self.work = max(self.work, count * widest)
        for number, kernel in enumerate(problem.kernels):
            if kernel.role != "enforcement":
                continue
            first, count = int(batches[number].first), int(batches[number].length)
            function = problem.names.tangents.get(number) if self.closed_form else None
            if function is None:
                self.compliances += [(KERNEL, e, number) for e in range(first, first + count)]
                self.work = max(self.work, ARRAYS)
            else:
                tangent = batch_kernel("enforcement_tangent", function, kernel.shape, kernel.owner)
                self.calls.append((tangent, first, count, SLOPE, 0))

    def need(self, size: int) -> None:
        self.value = max(self.value, size)

    # tables

    def put(self) -> None:
        """Compile what is missing, and put the tables into the problem."""
        problem = self.problem
        bodies, markers = problem[Bodies].index, problem[Markers].index
        expressions = any(
            call[0] in (STATES, PARTIAL, FUNCTION) for part in self.parts for call in part.calls
        )
        cases = {
            "enforced tangents": self.enforced,
            "differences of elements": self.parts,
            "differences of expressions": expressions,
            "differences of bodies": self.bodies,
            "differences of compliances": self.compliances,
            "mass of trees": len(problem[Trees].index),
            "tangents of derived": len(problem[DerivedRows].index),
        }
        units = core_units("tangents", *(case for case, needed in cases.items() if needed))
        kernels = [call[0] for call in self.calls] + [member[0] for member in self.members]
        kernels += [kernel for _, _, found in self.bodies for kernel in found if kernel is not None]
        compile_kernels(list(dict.fromkeys(kernels)), units)
        load(units)
        nv = bodies.nv.astype(np.int64)
        jacobian, width, H = self.columns(nv)
        T = np.cumsum(nv * nv) - nv * nv
        starts, index, size = self.blocks(np.concatenate([nv, np.full(len(self.twists), 6)]))
        pair = np.array([starts.get(p, -1) for p in self.pairs], np.int64)
        evaluation = [call for part in self.parts for call in part.calls]
        first_calls = accumulate((len(part.calls) for part in self.parts), initial=0)
        differences = [self.difference(part, first) for part, first in zip(self.parts, first_calls)]
        body_records = [
            [i, self.placed(mine), len(mine), *(k.address if k is not None else 0 for k in found)]
            for i, mine, found in self.bodies
        ]
        nc = problem.nc
        problem.put(
            Tangents(
                self.element,
                self.marker,
                self.body,
                np.zeros(self.value),
                np.zeros(nc),
                np.zeros((len(markers), 6)),
                jacobian,
                width,
                H,
                np.zeros(nc),
                np.zeros(nc),
            )
        )
        identity = np.concatenate([np.zeros(0), *(np.eye(n).ravel() for n in nv)])
        problem.put(Increments(T, self.bands(nv), np.zeros(problem.nv), identity))
        problem.put(
            TangentBlocks(
                records(TangentBlockRecord, index),
                np.zeros(size),
                np.eye(5)[4],
                np.zeros(1, np.int64),
                np.zeros(1, np.int64),
            )
        )
        problem.tangent_kernels = [call[0] for call in self.calls] + [m[0] for m in self.members]
        problem.put(
            TangentPlan(
                call=records(TangentCallRecord, [(k.address, *rest) for k, *rest in self.calls]),
                strip=records(StripRecord, self.strips),
                member=records(StripMemberRecord, [(k.address, *rest) for k, *rest in self.members]),
                enforced=records(EnforcedBlockRecord, self.enforced),
                member_of_slot=np.array(self.member_of_slot, np.int64),
                marker=np.array(self.markers, np.int64),
                pair=pair,
                force_marker=markers_of_slots(self.problem),
                diagonal=np.array([starts[i, i] for i in range(len(nv))], np.int64),
            )
        )
        problem.put(
            Differences(
                records(DifferenceRecord, differences),
                records(EvaluationRecord, evaluation),
                records(EvaluationRecord, self.compliances),
                records(BodyDifferenceRecord, body_records),
                np.zeros(max((part.states for part in self.parts), default=0), np.int64),
                np.array([problem.names.size]),
                np.array([bool(self.parts) or any(strip[6] for strip in self.strips)], np.int64),
                np.zeros(1, np.int64),
            )
        )
        problem.put(tree_arrays(problem))
        row_rate = np.zeros(len(problem[Blocks].G_marker) if self.enforced else 0)
        problem.put(
            TangentWork(
                np.zeros(int((nv * nv).sum())),
                np.zeros(len(H)),
                np.zeros(len(H)),
                row_rate,
                np.zeros(self.work),
                np.zeros(int(width.max(initial=0))),
            )
        )
        problem.part_tangents = part_tangents(problem, self.twists, self.closed_form)

    def bands(self, nv: Array) -> Array:
        """`band` of `Increments`: of a tree that of a quaternion, of other bodies any."""
        bands = np.maximum(nv - 1, 0)
        bands[self.problem[Trees].index["body"]] = 2
        return bands

    def columns(self, nv: Array) -> tuple[Array, Array, Array]:
        """`jacobian`, `width` and `H` of `Tangents`; nv of each body."""
        markers = self.problem[Markers].index
        jacobian, width = np.full(len(markers), -1), np.zeros(len(markers), np.int64)
        width[markers.body >= 0] = nv[markers.body[markers.body >= 0]]
        width[list(self.twists)] = 6
        on = np.flatnonzero(width)
        jacobian[on] = 6 * (np.cumsum(width[on]) - width[on])
        H = np.zeros(6 * int(width.sum()))
        for marker in self.twists:
            H[jacobian[marker] : jacobian[marker] + 36] = np.eye(6).ravel()
        return jacobian, width, H

    def blocks(self, nv: Array) -> tuple[dict[tuple[int, int], int], list[tuple[int, ...]], int]:
        """Start of each block, its records by rows and columns, and the size of all; with each pair of bodies
        also the opposite one.
        """
        coupled = {(i, i) for i in range(len(nv))}
        for i, j in set(self.pairs):
            if i >= 0 and j >= 0:
                coupled |= {(i, j), (j, i)}
        starts: dict[tuple[int, int], int] = {}
        index: list[tuple[int, ...]] = []
        size = 0
        for i, j in sorted(coupled):
            starts[i, j] = size
            index.append((i, j, size, int(nv[i]), int(nv[j])))
            size += int(nv[i] * nv[j])
        return starts, index, size

    def difference(self, part: Part, first_call: int) -> tuple[int, ...]:
        """The record of a part."""
        first_read = self.placed(part.reads)
        first_act = self.placed(part.acts)
        return (
            first_call,
            len(part.calls),
            first_read,
            len(part.reads),
            first_act,
            len(part.acts),
            part.first_pair,
            part.first_wrench,
            part.block,
            part.rows.start,
            len(part.rows),
            int(part.by_places),
            int(part.rates),
            part.first_aux,
            part.states,
        )

    def placed(self, markers: Iterable[int]) -> int:
        """Append markers; returns the place of the first."""
        first = len(self.markers)
        self.markers += markers
        return first


def tree_arrays(problem: Any) -> TreeTangents:
    """Work arrays of the tangents of trees."""
    links, rates = len(problem[Trees].link), len(problem[Trees].armature)
    joints = len(problem[DerivedRows].index)
    of_link = {"twist": 6, "acceleration": 6, "sums": SUMS}
    lengths = {name: n * links for name, n in of_link.items()}
    lengths |= dict.fromkeys(("S", "nu", "alpha", "chi"), 6 * rates)
    lengths |= {"joint": JOINT * joints, "saved": SAVED if joints else 0}
    return TreeTangents(**{name: np.zeros(length) for name, length in lengths.items()})


def markers_of_slots(problem: Any) -> Array:
    """Marker of each slot of `Wrenches.wrench`."""
    markers = np.zeros(len(problem[Wrenches].wrench) // 6, np.int64)
    for number, kernel in enumerate(problem.kernels):
        if kernel.role == "force":
            batch = problem[Batches].index[number]
            for element in problem[Elements].index[batch.first : batch.first + batch.length]:
                to, slots = problem[Wrenches].index[element.force]
                first = element.first_slot
                markers[to : to + slots] = problem[Elements].marker[first : first + slots]
    return markers


def ranges(rows: list[int]) -> list[tuple[int, int]]:
    """(first, count) of neighbouring rows."""
    found: list[tuple[int, int]] = []
    for row in sorted(rows):
        if found and sum(found[-1]) == row:
            found[-1] = found[-1][0], found[-1][1] + 1
        else:
            found.append((row, 1))
    return found
