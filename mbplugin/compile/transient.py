"""Transient rows of a problem: blocks that come and go, and the body kinds' functions for their markers."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled, body_kernel, compile_kernels, engine_kernel
from mbplugin.codegen.core_functions import core_units, load
from mbplugin.compile.body_tables import kinds_of
from mbplugin.compile.tree.kind import Tree
from mbplugin.kernels.members import PARTS, RECORD, VELOCITIES
from mbplugin.kernels.tree.transient import (
    locate_transient_on_links,
    points_on_links,
    transient_rows_on_trees,
)
from mbplugin.problem import Problem
from mbplugin.tables.groups import (
    Batches,
    Bodies,
    Kinds,
    Shapes,
    TransientJobs,
    TransientMarkers,
    TransientRows,
)
from mbplugin.tables.purposes import TRANSIENT
from mbplugin.tables.records import BatchRecord, KindRecord
from mbplugin.tables.spec import records, table

#: the engine's functions on trees
ON_TREES = {
    "point_at": points_on_links,
    "locate": locate_transient_on_links,
    "to_generalized_force": transient_rows_on_trees,
}
#: rows for each block at the start
ROWS = 3

#: (group, array, entries for each place) of the arrays that grow with the blocks and with the rows; -1: the
#: length of two point records, -2: the velocities of all members, -3: the members
BLOCKS = (
    (TransientRows, "index", 1),
    (TransientRows, "member", -3),
    (TransientRows, "friction", 1),
    *((TransientMarkers, name, 2) for name in ("index", "x", "R", "v", "w", "v_bias", "w_bias")),
    (TransientMarkers, "p", -1),
    (TransientJobs, "index", 2),
    (TransientJobs, "piece", -3),
)
OF_EACH_ROW = ("phi", "target", "impulse", "lower", "upper", "inverse_mass")
ROW_ARRAYS = (
    *((TransientRows, name, 1) for name in OF_EACH_ROW),
    (TransientRows, "G_marker", 12),
    (TransientRows, "G", -2),
    (TransientRows, "X", -2),
)


def add_transient(problem: Problem, blocks: int) -> None:
    """Give a problem places for so many blocks. Raises PluginError."""
    kinds = kinds_of(problem.names.kinds)
    kernels, rows = list(problem.kernels), []
    for kind in kinds:
        numbers = []
        for role in KindRecord._fields:
            kernel = transient_kernel(role, kind)
            numbers.append(len(kernels) if kernel is not None else -1)
            kernels += [kernel] if kernel is not None else []
        rows.append(tuple(numbers))
    added = kernels[len(problem.kernels) :]
    compile_kernels(added, [])
    if Tree in kinds:
        load(core_units("touched"))
    index = problem[Batches].index
    new = records(BatchRecord, [(kernel.address, 0, 0, TRANSIENT) for kernel in added])
    problem.put(table(Batches, index=np.concatenate([index, new]).view(np.recarray)))
    problem.kernels[:] = kernels
    problem.put(Kinds(records(KindRecord, rows)))
    bodies = problem[Bodies].index
    nv = int(bodies.nv.max(initial=0))
    parts = max(1, int(problem[Shapes].index.sides.max(initial=0)))
    width = np.array([int(bodies.record.max(initial=0)), nv, parts])
    problem.put(table(TransientRows, used=np.zeros(2, np.int64), width=width))
    problem.put(table(TransientMarkers))
    problem.put(table(TransientJobs, spare=np.zeros(parts * max(nv, 1))))
    for arrays, places in ((BLOCKS, blocks), (ROW_ARRAYS, ROWS * blocks)):
        lengthen(problem, arrays, places)


def transient_kernel(role: str, kind: Any) -> Compiled | None:
    """The batch kernel of a function of a body kind on transient markers; None: it has no such function."""
    if kind is Tree:
        return engine_kernel(ON_TREES[role], Tree)
    function = getattr(kind, role)
    return body_kernel(role, function, kind, transient=True) if function is not None else None


def lengthen(problem: Problem, parts: tuple[tuple[type, str, int], ...], places: int) -> None:
    """Give the arrays of one of the two sets room for so many blocks or rows."""
    width = problem[TransientRows].width
    record, velocities, members = (int(width[k]) for k in (RECORD, VELOCITIES, PARTS))
    each = {-1: 2 * record, -2: 2 * members * velocities, -3: 2 * members}
    for group in dict.fromkeys(group for group, _, _ in parts):
        lengths = {name: places * each.get(n, n) for g, name, n in parts if g is group}
        problem.enlarge(group, lengths)
