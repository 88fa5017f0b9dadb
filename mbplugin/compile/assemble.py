"""From a draft to tables: elements into batches, blocks into G, wrenches into generalized forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.compile.draft import Draft, DraftElement
from mbplugin.compile.graph import factor_tables, integers
from mbplugin.compile.switches import switching
from mbplugin.interface.body import BodyKind, BodyPlan
from mbplugin.interface.compiled import Compiled, batch_kernel
from mbplugin.interface.problem import Problem, Words
from mbplugin.interface.wrapper import Shape
from mbplugin.kernels import core
from mbplugin.math.dense import cholesky
from mbplugin.model.expression import REFERRING, Expression
from mbplugin.tables.groups import (
    ACCEPT,
    BODY_ENERGY,
    BODY_FORCE,
    DENSE,
    DIAGONAL,
    ENFORCE,
    EVENT,
    FORCE_PULL,
    LOCATE,
    MASS,
    NORMALISE,
    PREPARE,
    PULL,
    RATE,
    RETRACT,
    Batches,
    Blocks,
    Bodies,
    Core,
    Couplings,
    Elements,
    Enforced,
    Factor,
    Functions,
    Measures,
    Points,
    Pulls,
    Rates,
    Room,
    Rows,
    State,
    Tangents,
    Unknowns,
    Wrenches,
)  # fmt: skip
from mbplugin.tables.spec import Array
from mbplugin.tables.tape import DEPTH, Tape, by_rate


@dataclass
class BodyRecord:
    """A body as its kind planned it; x, R: pose of its frame at t = 0."""

    name: str
    kind: type[BodyKind]
    plan: BodyPlan
    q: Array
    v: Array
    x: Array
    R: Array
    point: int = -1


@dataclass
class Batch:
    kernel: Compiled
    first: int
    count: int
    purpose: int


def runs(keys: list[Any]) -> list[tuple[int, int]]:
    """(first, count) of each run of equal neighbours."""
    found: list[tuple[int, int]] = []
    for i, key in enumerate(keys):
        if found and keys[found[-1][0]] == key:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((i, 1))
    return found


def starts(counts: list[int]) -> list[int]:
    """Running sum of counts, beginning with 0."""
    return [int(s) for s in np.concatenate([[0], np.cumsum(counts)])[: len(counts)]] if counts else []


def assemble(draft: Draft, bodies: list[BodyRecord], words: Words, start_rates: dict[int, float]) -> Problem:
    batches: list[Batch] = []
    tables: dict[type, Any] = {}
    tables[Bodies], q, v = body_tables(bodies)
    v0 = tables[Bodies].row[:, 1]
    points, number = point_tables(draft, bodies)
    tables[Points] = points
    words.body_point = [number[p] for p in words.body_point]
    words.lines = [(name, number[i], number[j]) for name, i, j in words.lines]
    for joint in words.joints:
        joint.markers = tuple(number[p] for p in joint.markers)
    tables[Blocks], pulls = block_tables(draft, bodies, tables[Bodies], number)
    elements = [e for _, e in sorted(enumerate(draft.elements), key=lambda pair: (pair[1].purpose, batch_key(pair[1]), pair[0]))]
    gm0 = {id(block): block.gm0 for block in draft.blocks}
    tables[Elements] = element_tables(draft, elements, number)
    words.elements = [e.name for e in elements]
    words.laws = {e.row: k for k, e in enumerate(elements) if e.purpose == ENFORCE}
    body_batches(bodies, draft, number, batches)
    pull_rows = pull_batches(bodies, pulls, force_pulls(draft, bodies, number), batches)
    element_batches(elements, batches, words)
    words.kinds = [b.kind for b in bodies]
    tables[Functions] = function_tables(draft, start_rates)
    tables[Unknowns] = unknown_tables(draft, number)
    tables[Measures] = measure_tables(draft, elements, tables[Elements])
    tables[Rows] = row_tables(draft)
    tables[Enforced] = enforced_tables(draft)
    tables[Couplings] = coupling_tables(draft, gm0)
    generalized, order, counts = force_order(draft, bodies, number, v0)
    tables[Pulls] = Pulls(integers(pull_rows, 6), integers(order, 2), np.array(counts, np.int64), np.zeros(generalized),
                          np.zeros(max((b.kind.nv for b in bodies), default=1)))  # fmt: skip
    nf = len(draft.wrench_slots)
    tables[Wrenches] = Wrenches(np.zeros(6 * len(draft.force_points)), np.zeros(nf), np.zeros(nf), np.array(draft.dissipates, np.int64),
                                integers(draft.wrench_slots, 2))  # fmt: skip
    blocks = tables[Blocks]
    members = [[(int(b), int(g), int(n)) for b, g, _, n in blocks.body[row[5] : row[5] + row[6]]] for row in blocks.row]
    tables[Factor] = factor_tables([(int(row[0]), int(row[1])) for row in blocks.row], members, len(bodies))
    tables[State] = State(np.zeros(1), q, v, np.array(draft.start_states), np.zeros(draft.memory))
    first = draft.unknown_memory
    tables[State].memory[first : first + len(draft.unknowns)] = [unknown.start for unknown in draft.unknown_rows]
    tables[Rates] = Rates(np.zeros(len(q)), np.zeros(len(v)), np.zeros(draft.states))
    tables[Batches] = Batches(integers([(b.kernel.address, b.first, b.count, b.purpose) for b in batches], 4))
    tables[Core] = Core(core.addresses())
    nothing = np.zeros(0, np.int64)
    tables[Tangents] = Tangents(nothing, nothing, nothing, np.zeros(0), np.zeros(0), np.zeros((0, 6)))
    tables[Room] = Room(np.zeros(0, np.int64), np.zeros(0))
    words.states = draft.state_names
    words.functions = [expression.text for _, expression, _ in draft.functions]
    words.size = mechanism_size(draft)
    return Problem(tables, [b.kernel for b in batches], words)


def mechanism_size(draft: Draft) -> float:
    """Diagonal of the box around all markers at t = 0 [m]; 1 where they all coincide."""
    x = np.array([pose[0] for pose in draft.point_pose]) if draft.point_pose else np.zeros((1, 3))
    size = float(np.linalg.norm(x.max(axis=0) - x.min(axis=0)))
    return size if size > 1e-9 else 1.0


def body_tables(bodies: list[BodyRecord]) -> tuple[Bodies, Array, Array]:
    q0, v0 = starts([b.kind.nq for b in bodies]), starts([b.kind.nv for b in bodies])
    p0 = starts([len(b.plan.parameters) for b in bodies])
    c0 = starts([b.kind.scratch for b in bodies])
    dense = [b.plan.mass is None or np.ndim(b.plan.mass) == 2 for b in bodies]
    m0 = starts([b.kind.nv**2 if d else 0 for b, d in zip(bodies, dense)])
    nv = sum(b.kind.nv for b in bodies)
    nm = sum(b.kind.nv**2 for b, d in zip(bodies, dense) if d)
    inverse, M, L = np.zeros(nv), np.zeros(nm), np.zeros(nm)
    rows = []
    for i, body in enumerate(bodies):
        n = body.kind.nv
        rows.append((q0[i], v0[i], body.kind.nq, n, p0[i], c0[i], DENSE if dense[i] else DIAGONAL, m0[i]))
        if not dense[i]:
            inverse[v0[i] : v0[i] + n] = 1.0 / np.asarray(body.plan.mass)
        elif body.plan.mass is not None:
            M[m0[i] : m0[i] + n * n] = L[m0[i] : m0[i] + n * n] = np.asarray(body.plan.mass, float).ravel()
            cholesky.py_func(L, m0[i], n)
    join = lambda parts: np.concatenate([*parts, np.zeros(0)]).astype(float)
    tables = Bodies(
        integers(rows, 8), join([b.plan.parameters for b in bodies]), np.zeros(sum(b.kind.scratch for b in bodies)), inverse, M, L, np.zeros(nv),
        np.zeros(len(bodies)), np.zeros(len(bodies)),
    )  # fmt: skip
    return tables, join([b.q for b in bodies]), join([b.v for b in bodies])


def point_tables(draft: Draft, bodies: list[BodyRecord]) -> tuple[Points, list[int]]:
    """Points sorted by body kind, ground first; and where each drafted point went."""
    kinds = sorted({b.kind.name for b in bodies})
    rank = lambda p: -1 if p[0] < 0 else kinds.index(bodies[p[0]].kind.name)
    order = sorted(range(len(draft.points)), key=lambda i: (rank(draft.points[i]), i))
    number = [0] * len(order)
    for place, i in enumerate(order):
        number[i] = place
    records = [draft.points[i] for i in order]
    p0 = starts([len(record) for _, record in records])
    n = len(order)
    x, R = np.zeros((n, 3)), np.zeros(9 * n)
    for place, i in enumerate(order):
        x[place], R[9 * place : 9 * place + 9] = draft.point_pose[i][0], np.asarray(draft.point_pose[i][1]).ravel()
    rows = integers([(body, start) for (body, _), start in zip(records, p0)], 2)
    p = np.concatenate([*(record for _, record in records), np.zeros(0)])
    return Points(rows, p, x, R, *(np.zeros((n, 3)) for _ in range(4))), number


PullJob = tuple[str, tuple[int, int, int, int, int, int]]


def block_tables(draft: Draft, bodies: list[BodyRecord], table: Bodies, number: list[int]) -> tuple[Blocks, list[PullJob]]:
    rows: list[Any] = []
    slots: list[int] = []
    members: list[Any] = []
    jobs: list[PullJob] = []
    gm = G = 0
    for block in draft.blocks:
        block.gm0 = gm
        slot0, member0 = len(slots), len(members)
        place: dict[int, int] = {}
        for s, point in enumerate(block.points):
            slots.append(number[point])
            body = draft.points[point][0]
            if body < 0:
                continue
            nv = bodies[body].kind.nv
            again = body in place
            if not again:
                place[body] = G
                members.append((body, G, int(table.row[body, 1]), nv))
                G += nv * block.rows
            jobs.append((bodies[body].kind.name, (number[point], gm + 6 * s, 6 * len(block.points), block.rows, place[body], int(again))))
        rows.append((block.row0, block.rows, slot0, len(block.points), gm, member0, len(members) - member0, 0))
        gm += 6 * len(block.points) * block.rows
    tables = Blocks(integers(rows, 8), np.array(slots, np.int64), integers(members, 4), np.zeros(gm), np.zeros(G), np.zeros(G), np.zeros(G))
    return tables, jobs


def force_pulls(draft: Draft, bodies: list[BodyRecord], number: list[int]) -> list[PullJob]:
    jobs, start = [], 0
    for s, point in enumerate(draft.force_points):
        body = draft.points[point][0]
        if body >= 0:
            jobs.append((bodies[body].kind.name, (number[point], 6 * s, 6, 1, start, 0)))
            start += bodies[body].kind.nv
    return jobs


def force_order(draft: Draft, bodies: list[BodyRecord], number: list[int], v0: Array) -> tuple[int, list[tuple[int, int]], list[int]]:
    """Size of the generalized forces, and where each is added to h, in the scene's order."""
    order, counts, start = [], [], 0
    for point in draft.force_points:
        body = draft.points[point][0]
        if body >= 0:
            order.append((start, int(v0[body])))
            counts.append(bodies[body].kind.nv)
            start += bodies[body].kind.nv
    return start, order, counts


def body_shape(kind: type[BodyKind], of_forces: bool = False) -> Shape:
    return Shape(nq=kind.nq, nv=kind.nv, scratch=kind.scratch, record=kind.record, of_forces=of_forces)


def body_batches(bodies: list[BodyRecord], draft: Draft, number: list[int], batches: list[Batch]) -> None:
    of_point = sorted((number[i], draft.points[i][0]) for i in range(len(draft.points)))
    roles: list[tuple[str, int]] = [
        ("prepare", PREPARE), ("inertia", MASS), ("internal", BODY_FORCE), ("rate", RATE), ("retract", RETRACT), ("normalise", NORMALISE),
        ("elastic", BODY_ENERGY),
    ]  # fmt: skip
    for first, count in runs([b.kind for b in bodies]):
        kind = bodies[first].kind
        for role, purpose in roles:
            function = getattr(kind, role)
            if function is not None:
                batches.append(Batch(body_kernel(role, function, kind), first, count, purpose))
        mine = [place for place, body in of_point if body >= 0 and bodies[body].kind is kind]
        batches.append(Batch(body_kernel("locate", kind.locate, kind), mine[0], len(mine), LOCATE))


def body_kernel(role: str, function: Callable[..., Any], kind: type[BodyKind], of_forces: bool = False) -> Compiled:
    return batch_kernel(role, function, body_shape(kind, of_forces), f'body kind "{kind.name}"')


def pull_batches(bodies: list[BodyRecord], constraint: list[PullJob], force: list[PullJob], batches: list[Batch]) -> list[Any]:
    """Pull jobs sorted by body kind, constraints first; one batch for each run."""
    kinds = {b.kind.name: b.kind for b in bodies}
    rows: list[Any] = []
    for jobs, of_forces, purpose in ((constraint, False, PULL), (force, True, FORCE_PULL)):
        jobs = sorted(jobs, key=lambda job: job[0])
        for first, count in runs([name for name, _ in jobs]):
            kind = kinds[jobs[first][0]]
            batches.append(Batch(body_kernel("pull", kind.pull, kind, of_forces), len(rows) + first, count, purpose))
        rows += [job for _, job in jobs]
    return rows


def batch_key(e: DraftElement) -> Any:
    return (e.role, e.owner, e.function.__module__, e.function.__qualname__, repr(e.shape), getattr(e.tangent, "__qualname__", ""))


def element_tables(draft: Draft, elements: list[DraftElement], number: list[int]) -> Elements:
    rows: list[Any] = []
    slots: list[int] = []
    p: list[float] = []
    block_of = {r: block for block in draft.blocks for r in range(block.row0, block.row0 + block.rows)}
    for e in elements:
        gm = e.gm
        if e.role == "constraint" or (e.role == "measure" and not e.shape.as_measure):
            block = block_of[e.row]
            gm = block.gm0 + (e.row - block.row0) * 6 * len(block.points)
        rows.append((len(slots), len(p), e.row, gm, e.function0, e.state, e.memory, e.out, e.measure, e.event0))
        slots += [number[point] for point in e.points]
        p += list(e.parameters)
    return Elements(integers(rows, 10), np.array(slots, np.int64), np.array(p, float), np.zeros(draft.events))


def element_batches(elements: list[DraftElement], batches: list[Batch], words: Words) -> None:
    for first, count in runs([(e.purpose, batch_key(e)) for e in elements]):
        e = elements[first]
        if e.tangent is not None:
            words.tangents[len(batches)] = e.tangent
        batches.append(Batch(batch_kernel(e.role, e.function, e.shape, e.owner), first, count, e.purpose))
        for role, function, purpose in ((e.accept_role, e.accept, ACCEPT), ("event", e.event, EVENT)):
            if function is not None:
                batches.append(Batch(batch_kernel(role, function, e.shape, e.owner), first, count, purpose))


def function_tables(draft: Draft, start_rates: dict[int, float]) -> Functions:
    u = np.zeros((len(draft.constant), 3))
    u[:, 0] = draft.constant
    for place, rate in start_rates.items():
        u[place, 1] = rate
    rows: list[Any] = []
    ops: list[Any] = []
    constants: list[float] = []
    switches: list[Any] = []

    def placed(tape: Tape) -> tuple[int, int, int]:
        """Start and stop of the operations, start of the constants."""
        found = len(ops), len(ops) + len(tape.ops), len(constants)
        ops.extend(tape.ops.tolist())
        constants.extend(tape.constants.tolist())
        return found

    for target, expression, shift in draft.functions:
        tape = numbered(expression, draft)
        switches += [(*placed(switch), 0, 0, 0) for switch in switching(tape)]
        rows.append((*placed(tape), target, shift, 0))
    partials = [(*placed(numbered(expression, draft)), by_rate(s) if level else s, coupling, level) for expression, s, coupling, level in draft.partials]
    equations = [(*placed(numbered(expression, draft)), x, 0, 0) for expression, x in draft.equations]
    return Functions(u, integers(rows, 6), integers(ops, 2), np.array(constants, float), np.zeros((DEPTH, 3)),
                     integers(switches, 6), integers(partials, 6), integers(equations, 6), np.zeros((len(equations), 3)),
                     np.array(draft.called, np.int64))  # fmt: skip


def numbered(expression: Expression, draft: Draft) -> Tape:
    """The tape with numbers of measures, states, unknowns and functions in the place of references."""
    if not expression.references:
        return expression.tape
    ops = expression.tape.ops.copy()
    for op in ops:
        if op[0] in REFERRING:
            op[1] = draft.numbers[expression.references[op[1]]]
    return Tape(ops, expression.tape.constants)


def unknown_tables(draft: Draft, number: list[int]) -> Unknowns:
    m = len(draft.unknown_rows)
    rows = [(z.what, z.place, z.block, z.row, z.rows, number[z.axes] if z.axes >= 0 else 0, z.component, z.slot) for z in draft.unknown_rows]
    zeros = lambda: np.zeros(m)
    return Unknowns(integers(rows, 8), zeros(), zeros(), zeros(), zeros(), zeros(), zeros(), np.zeros(2 * m * m), np.array([draft.unknown_memory], np.int64),
                    np.zeros(2))  # fmt: skip


def measure_tables(draft: Draft, elements: list[DraftElement], table: Elements) -> Measures:
    slot0 = {e.measure: int(row[0]) for e, row in zip(elements, table.row) if e.shape.as_measure}
    n = len(draft.measures)
    rows = [(m.j0, len(m.points), slot0[i], int(m.turns)) for i, m in enumerate(draft.measures)]
    return Measures(integers(rows, 4), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(draft.measure_J))


def row_tables(draft: Draft) -> Rows:
    n = len(draft.rows)
    zeros = lambda: np.zeros(n)
    return Rows(
        phi=zeros(), phi_t=zeros(), gamma=zeros(), level=np.array([r.level for r in draft.rows], np.int64),
        active=np.array([r.active for r in draft.rows], np.int64), on=np.ones(n, np.int64), scale=zeros(), dropped=np.zeros(n, np.int64),
        lam=zeros(), residual=zeros(), solution=zeros(), target=zeros(), outcome=np.zeros(1), delta=np.full(1, 1e-10),
        radians=np.array([int(r.unit == "rad") for r in draft.rows], np.int64), rate=zeros(), load=zeros(), energy=zeros(), power=zeros(),
    )  # fmt: skip


def enforced_tables(draft: Draft) -> Enforced:
    rows = draft.enforced
    zeros = lambda: np.zeros(len(rows))
    return Enforced(integers([(e.row, e.block, 0, 0) for e in rows], 4), np.ones(len(rows)), zeros(), zeros(), zeros(), zeros(), zeros(), zeros(),
                    zeros(), np.zeros(2, np.int64))  # fmt: skip


def coupling_tables(draft: Draft, gm0: dict[int, int]) -> Couplings:
    block_of = {r: block for block in draft.blocks for r in range(block.row0, block.row0 + block.rows)}
    rows = [(row, measure, block_of[row].gm0 + g, function) for (row, measure, g, function), _ in draft.couplings]
    return Couplings(integers(rows, 4), np.array([c for _, c in draft.couplings], float))
