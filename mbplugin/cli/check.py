"""`mbplugin check`: assemble a scene and print its counts; for small models also its matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.analysis.rank import levels
from mbplugin.analysis.redundancy import redundancy_text
from mbplugin.analysis.redundancy.redundancy import redundancy
from mbplugin.analysis.redundancy.repair_text import repair_table
from mbplugin.analysis.redundancy.repairs import repairs as repairs_of
from mbplugin.cli.common import loaded, read
from mbplugin.cli.streams import print_document
from mbplugin.errors import SceneError
from mbplugin.problem import Problem
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.tables.groups import Rows, State

MAX_SIZE = 60  # velocities and rows of a model whose matrices are printed


def check_scene(
    scene: str,
    changes: list[str],
    matrices: bool,
    steps: bool,
    repairs: bool,
    json: bool,
    disabled: list[str],
    strict: bool,
) -> None:
    system = read(scene, changes)
    registry, _ = loaded(disabled, strict)
    prepared = prepare(system, registry)
    problem, report = prepared.problem, prepared.rank
    analysis = redundancy(problem, system, report=report)
    lam = initial_multipliers(prepared) if analysis.redundant else None
    document: dict[str, Any] = {
        "bodies": problem.names.bodies,
        "joints": [joint.name for joint in problem.names.joints],
        "dof": report.dof,
        "rows": report.rows,
        "rank": report.rank,
        "redundant": report.rows - report.rank,
        "condition": report.condition,
        "levels": [
            {"owner": owner, "row": label, "level": level}
            for owner, label, level in levels.level_of_rows(problem)
        ],
        "assembly": [
            *prepared.assembly.messages,
            *(f"warning: {line}" for line in prepared.assembly.dropped),
        ],
        "redundancy": analysis.as_dict(lam),
        "singular": prepared.singular.as_dict() if prepared.singular is not None else None,
        "left_out": list(system.scene.left_out),
    }
    tried = repairs_of(problem, system, analysis, registry) if repairs else []
    if repairs:
        document["repairs"] = [repair.as_dict() for repair in tried]
    arrays: dict[str, Any] = {}
    if matrices:
        if max(problem.nv, problem.nc) > MAX_SIZE:
            size = f"{problem.nv} velocities, {problem.nc} rows"
            raise SceneError("--matrices", size, f"is for models with up to {MAX_SIZE} of each")
        arrays = equations(problem)
        document["matrices"] = {name: array.tolist() for name, array in arrays.items()}
        document["row_names"] = [f"{row.owner}: {row.label} [{row.unit}]" for row in problem.names.rows]
    if json:
        print_document(document)
        return
    for name in ("dof", "rows", "rank", "redundant"):
        print(f"{name:10s} {document[name]}")
    for line in [*levels.level_lines(problem), *document["assembly"]]:
        print(line)
    for line in system.scene.left_out:
        print(f"left out at the import: {line}")
    print()
    print(redundancy_text.report(analysis, lam))
    if (analysis.redundant or analysis.nearly) and not repairs:
        print("\nAdd --repairs to see which changes remove the redundancy.")
    if prepared.singular is not None:
        print(f"\nwarning: {prepared.singular}")
    if steps:
        print(f"\n{redundancy_text.STEPS_TITLE}\n{redundancy_text.step_table(analysis.steps)}")
    if repairs:
        print(f"\n{repair_table(tried, analysis.redundancy, analysis)}")
    if matrices:
        for k, name in enumerate(document["row_names"]):
            print(f"row {k}: {name}")
        with np.printoptions(precision=9, suppress=True, linewidth=160):
            for name, array in arrays.items():
                print(f"\n{name} {list(array.shape)} =\n{array}")


def initial_multipliers(prepared: Prepared) -> Any:
    """λ (nc,) at t = 0 [N, N·m]."""
    integrator = prepared.start(float("inf"))
    integrator.show(0.0)
    return prepared.problem[Rows].lam.copy()


def equations(problem: Problem) -> dict[str, Any]:
    """Matrices of the constraint force algorithm by name.

    X = M⁻¹ Gᵀ,  Y = M⁻¹ h,  S = G X,  S λ = γ − G Y,  v̇ = Y + X λ
    """
    state = problem[State]
    t, q, v = float(state.time[0]), state.q.copy(), state.v.copy()
    M, h = problem.mass(q), problem.forces(t, q, v)
    G, gamma = problem.constraints(t, q, v)
    phi, _ = problem.residuals(t, q, v)
    X, Y = np.linalg.solve(M, G.T), np.linalg.solve(M, h)
    S = G @ X
    lam = np.linalg.lstsq(S, gamma - G @ Y, rcond=1e-12)[0]
    return {
        "M": M,
        "h": h,
        "Phi": phi,
        "G": G,
        "gamma": gamma,
        "X": X,
        "Y": Y,
        "S": S,
        "lambda": lam,
        "v_dot": Y + X @ lam,
    }
