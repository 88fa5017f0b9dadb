"""`mbplugin check`: assemble a scene and print its counts; for small models also its matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from mbplugin.cli.common import loaded, read
from mbplugin.cli.options import NONE, Changes, Disabled, Json, Scene, Strict
from mbplugin.cli.streams import print_document
from mbplugin.errors import SceneError
from mbplugin.tables.groups import Rows, State

if TYPE_CHECKING:
    from mbplugin.problem import Problem
    from mbplugin.run.prepare import Prepared

MAX_SIZE = 60  # velocities and rows of a model whose matrices are printed
MAX_BODIES = 24  # whose masses are printed


def check_scene(
    scene: Scene,
    changes: Changes = NONE,
    matrices: Annotated[
        bool, typer.Option("--matrices", help="print M, G, h, γ, X, Y, S, λ of a small model")
    ] = False,
    steps: Annotated[bool, typer.Option("--steps", help="print the rank added by each joint")] = False,
    repairs: Annotated[
        bool, typer.Option("--repairs", help="propose replacements for redundant joints")
    ] = False,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.analysis.rank import levels
    from mbplugin.analysis.redundancy import redundancy_text
    from mbplugin.analysis.redundancy.redundancy import redundancy
    from mbplugin.analysis.redundancy.repair_text import repair_table
    from mbplugin.analysis.redundancy.repairs import repairs as repairs_of
    from mbplugin.run.prepare import prepare

    system = read(scene, changes)
    registry, _ = loaded(no_plugin, strict)
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
        "masses": masses(system),
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
    trees = prepared.trees(with_rank=True)
    document["joint_coordinates"] = trees.as_dict() if trees is not None else None
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
    if trees is not None:
        print("\n".join(["", *trees.lines()]))
    for line in system.scene.left_out:
        print(f"left out at the import: {line}")
    for line in mass_lines(document["masses"]):
        print(line)
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


def masses(system: Any) -> dict[str, dict[str, Any]]:
    """Masses of bodies: name -> mass [kg], centre (3,) in the body's frame [m], inertia (3, 3)
    about it [kg·m²], and whether they come from its shapes or are given.
    """
    found = {body.name: (body, body.mass_properties()) for body in system.bodies if body.has_mass}
    return {
        name: {
            "mass": float(of.mass),
            "center": of.center_of_mass.tolist(),
            "inertia": of.inertia.tolist(),
            "from": "shapes" if body.mass is None else "given",
        }
        for name, (body, of) in found.items()
    }


def mass_lines(found: dict[str, dict[str, Any]]) -> list[str]:
    """Table of the masses of at most MAX_BODIES bodies, and the sum of all masses."""
    if not found:
        return []
    from mbplugin.analysis.report import table

    head = ["body", "from", "mass [kg]", "x [m]", "y [m]", "z [m]"]
    head += ["Ixx [kg m2]", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    rows = []
    for name, of in list(found.items())[:MAX_BODIES]:
        moments = [of["inertia"][i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        floor = 1e-12 * max(moments)
        rows.append(
            [name, of["from"], of["mass"], *of["center"], *(0.0 if abs(m) < floor else m for m in moments)]
        )
    more = len(found) - len(rows)
    total = sum(of["mass"] for of in found.values())
    return [
        "",
        "masses, centres in the body's frame, inertia about the centre along its axes",
        *table(head, rows),
        *([f"and {more} bodies more; --json lists all"] if more else []),
        f"total mass {total:.7g} kg",
    ]


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
