"""The rank of many rows, by the factor of the joint blocks, is the rank by singular values."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scene_text import body, joint, solver
from scipy.linalg import qr

from mbplugin.analysis.rank import rank as module
from mbplugin.tables.groups import Bounded

#: a scene of kinematics alone has no masses
SCENES = sorted(
    p.parent
    for p in (Path(__file__).parents[2] / "scenes").glob("*/scene.toml")
    if p.parent.name != "piston_crank_kinematics"
)
#: every fourth one is no slow case
each_scene = pytest.mark.parametrize(
    "scene",
    [pytest.param(p, id=p.name, marks=pytest.mark.slow if k % 4 else ()) for k, p in enumerate(SCENES)],
)


def doors(kind="revolute", hinges=(-0.8, 0.8)):
    """Text of four doors in a row, each hung on the one before by a joint at each height."""
    return "".join(
        body(f"door{i}", mass=1 + 0.2 * i, inertia=[0.9, 0.3, 0.6], position=[0.4 + i, 0.1, 0])
        + "".join(
            joint(
                f"hinge{i}{k}",
                kind,
                f"door{i - 1}" if i else "ground",
                f"door{i}",
                at=[i, 0, z],
                axis=[0, 0, 1],
            )
            for k, z in enumerate(hinges)
        )
        for i in range(4)
    ) + solver(end=1)


@pytest.mark.parametrize(("scene", "rows", "rank"), [(doors("revolute"), 40, 20), (doors("ball"), 24, 20)])
def test_both_ways_agree(runs, monkeypatch, scene, rows, rank):
    prepared = runs.prepare(scene)
    by_values = module.rank(prepared.problem)
    monkeypatch.setattr(module, "MAX_DENSE_ROWS", 0)
    by_factor = module.rank(prepared.problem)
    assert (by_values.rows, by_values.rank) == (by_factor.rows, by_factor.rank) == (rows, rank)
    np.testing.assert_array_equal(by_values.determined, by_factor.determined)


def test_a_system_without_redundancy_has_full_rank(runs, monkeypatch):
    monkeypatch.setattr(module, "MAX_DENSE_ROWS", 0)
    prepared = runs.prepare(doors(hinges=(-0.8,)))
    report = module.rank(prepared.problem)
    assert (report.rows, report.rank, report.dof) == (20, 20, 4)
    assert (report.determined == 2).all()


@cache
def prepared_once(runs, scene):
    return runs.prepare_file(scene)


def rank_by_elimination(A) -> int:
    """Steps of an LU decomposition with complete pivoting until nothing is left."""
    A, steps = A.copy(), 0
    while A.size and np.abs(A).max() > 1e-9:
        i, j = np.unravel_index(np.abs(A).argmax(), A.shape)
        A = np.delete(np.delete(A - np.outer(A[:, j], A[i]) / A[i, j], i, 0), j, 1)
        steps += 1
    return steps


@each_scene
def test_elimination_pivoted_orthogonalisation_and_singular_values_agree(runs, scene):
    """LU, QR and SVD of the rows in unit length of the mass norm; what the engine reports is their count."""
    prepared = prepared_once(runs, scene)
    problem = prepared.problem
    G = problem.jacobian()[problem.on]
    half = np.linalg.cholesky(problem.mass(problem.q))
    X = np.linalg.solve(half, G.T).T
    X /= np.linalg.norm(X, axis=1)[:, None]
    R = qr(X.T, mode="r", pivoting=True)[0] if X.size else X
    by_singular_values = np.linalg.matrix_rank(X, tol=1e-9) if X.size else 0
    assert (prepared.rank.rows, prepared.rank.rank) == (len(G), by_singular_values)
    assert rank_by_elimination(X) == int((np.abs(np.diag(R)) > 1e-9).sum()) == by_singular_values


@each_scene
def test_every_row_has_one_owner(runs, scene):
    """Rows of joints, of motions, of starts and those with bounds are all there are, each once,
    and tell whose they are.
    """
    problem = prepared_once(runs, scene).problem
    names, owners = problem.names, {}
    for one, (key, _, what) in zip(problem[Bounded].index, names.bounded):
        if key.startswith("joint["):
            joint = names.joints[int(key[6 : key.index("]")])].name
            owners[one["row"]] = f"{joint} {what.partition(' of ')[0].split()[-1]}"
    for held in names.joints:
        owners |= dict.fromkeys(held.rows, held.name)
    for coordinate in names.coordinates:
        of_motions = ((row, "motion") for row in coordinate.motion_rows)
        for row, what in (*of_motions, (coordinate.start_row, "start")):
            if row >= 0:
                assert row not in owners
                owners[row] = f"{names.joints[coordinate.joint].name} {what}"
    assert owners == {k: row.owner for k, row in enumerate(names.rows)}
