"""The equations of a model in joint coordinates, as a section of its page.

M s̈ = h + Gᵀ λ,   G s̈ = γ      over the velocities ṡ of the joints that carry bodies
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.tree.fold import Folded
from mbplugin.compile.tree.links import Link
from mbplugin.kernels.tree.flat import show_in_space
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, State, Trees
from mbplugin.tables.records import TREE
from mbplugin.tables.spec import Array


def joint_section(problem: Problem, folded: Folded, matrix: Any) -> list[str]:
    """Markdown paragraphs on a problem in joint coordinates at its present state; matrix(name, values): a
    matrix in LaTeX.
    """
    state = problem[State]
    t, q, v = float(state.time[0]), state.q.copy(), state.v.copy()
    M, h = problem.mass(q), problem.forces(t, q, v)
    G, gamma = problem.constraints(t, q, v)
    parts = [
        "## In joint coordinates",
        "Joints that carry bodies have no rows: their coordinates $s$ are the state. A column of $S$ is the "
        "angular velocity and the velocity of the body, at its marker of the joint, by one rate, in world "
        "axes.",
        "$$\nM \\ddot s = h + G^T \\lambda, \\qquad G \\ddot s = \\gamma\n$$",
        matrix("M", M),
        matrix("h^T", h),
    ]
    if len(gamma):
        parts += [matrix("G", G), matrix(r"\gamma^T", gamma)]
    recursive = bool((problem[Bodies].index.mass_form == TREE).any())
    if recursive:
        parts.append(
            "$M^{-1}$ is applied by a recursion from the last bodies to the ground. $D = S^T I^A S$ is what "
            "a joint's own coordinates move: $I^A$ is the inertia of the body with all that it carries, the "
            "joints beyond free to yield."
        )
    trees = problem[Trees]
    for tree in np.flatnonzero(trees.index["flat"] == 1).tolist():
        problem.call_function(show_in_space, tree)
    number = 0
    for links in folded.trees:
        for link in links:
            record = trees.link[number]
            number += 1
            if link.rates == 0:
                continue
            first = int(record.first_rate)
            S = trees.S.reshape(-1, 6)[first : first + link.rates].T
            parts.append(f"### {link.body}, {carried_by(link, problem)}\n\n" + matrix("S", S))
            if recursive:
                parts.append(matrix("D", moved(trees.D, int(record.first_D), link.rates)))
    return parts


def carried_by(link: Link, problem: Problem) -> str:
    """Such as "carried by elbow (angle)"."""
    if link.joint < 0:
        return "free"
    of = f" ({', '.join(link.coordinates)})" if link.coordinates else ""
    return f"carried by {problem.names.joints[link.joint].name}{of}"


def moved(stored: Array, first: int, n: int) -> Array:
    """D (n, n) of a joint, from what the recursion stores: its inverse, or L with an inverted diagonal."""
    block = stored[first : first + n * n].reshape(n, n)
    if n == 1:
        return 1.0 / block
    L = np.tril(block, -1) + np.diag(1.0 / np.diag(block))
    return L @ L.T
