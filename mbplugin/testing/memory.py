"""The memory that an element writes: it is tried there too, not only with the zeros of the start."""

from __future__ import annotations

import numpy as np

from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import State
from mbplugin.tables.purposes import ACCEPT
from mbplugin.testing.motions import Motion
from mbplugin.testing.report import Check, fact

#: velocities and inner states that are tried
TRIES = 30


def reach(problem: Problem, motion: Motion, random: np.random.Generator) -> bool:
    """Accept random velocities and inner states at the place of a motion until the memory is no longer zero.
    The motion goes on from there; False: it stayed zero.
    """
    state = problem[State]
    for _ in range(TRIES):
        motion.v = random.normal(size=problem.nv)
        state.aux[2:] = random.normal(size=len(state.aux) - 2)
        problem.evaluate(*motion.at(0.0))
        problem.check(entries.call_purpose(problem.addresses, ACCEPT))
        if state.memory.any():
            return True
    return False


def reached_check(name: str, reached: bool) -> Check:
    """Whether a kind with memory was tried with one that is not zero."""
    note = f"{TRIES} random states left it zero: give the class `examples = [{{...}}]` that change it"
    return fact(name, "its memory changes", reached, note)
