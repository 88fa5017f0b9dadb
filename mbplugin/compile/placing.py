"""Tables and functions by which a problem takes the poses of its bodies from another one."""

from __future__ import annotations

import numpy as np

from mbplugin.codegen.compiled import body_kernel, compile_kernels
from mbplugin.compile.batches import runs
from mbplugin.problem import Problem
from mbplugin.tables.groups import Batches, Poses
from mbplugin.tables.purposes import PLACE
from mbplugin.tables.records import BatchRecord
from mbplugin.tables.spec import records, table


def add_poses(problem: Problem) -> None:
    """Give a problem the table of poses, and the functions that make coordinates of them, once. Raises
    PluginError.
    """
    if len(problem[Poses].x):
        return
    kinds = problem.names.kinds
    found = [(first, count) for first, count in runs(kinds) if kinds[first].place is not None]
    kernels = [body_kernel("place", kinds[first].place, kinds[first]) for first, _ in found]
    compile_kernels(kernels, [])
    rows = [(kernel.address, first, count, PLACE) for kernel, (first, count) in zip(kernels, found)]
    index = np.concatenate([problem[Batches].index, records(BatchRecord, rows)]).view(np.recarray)
    problem.put(table(Batches, index=index))
    problem.kernels[:] = [*problem.kernels, *kernels]
    problem.put(table(Poses, len(kinds)))
