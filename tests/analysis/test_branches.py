"""Branches at a singular position: velocity ratios of a flat parallelogram, a locked strut, a drive out of
reach.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import has
from scene_text import NO_GRAVITY, body, joint, pin, solver, table, world
from small import planar_rod, system
from snapshots import same_message

from mbplugin.analysis.singular.branches import solutions
from mbplugin.analysis.singular.singular import scaled
from mbplugin.kernels import entries
from mbplugin.run.loop import run_system
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import Rates
from mbplugin.tables.purposes import RETRACT


def four_bar(
    crank: float, ground: float, angle: float = 0.0, shift: float = 0.0, speed: float | None = None
) -> str:
    """A planar parallelogram at this angle of its cranks; `shift`: by how much the ground is longer than the
    coupler.
    """
    tip, far = crank * np.array([np.cos(angle), np.sin(angle)]), np.array([ground, 0.0])
    text = world(
        gravity=[0, 0, 0],
        marker=[{"name": "A", "position": [0, 0, 0]}, {"name": "D", "position": [ground + shift, 0, 0]}],
    )
    rods = (
        ("crank", "AB", crank, tip / 2, angle),
        ("coupler", "BC", ground, tip + far / 2, 0),
        ("rocker", "DC", crank, far + tip / 2, angle),
    )
    for name, ends, length, at, turn in rods:
        marks = [{"name": end, "position": [side * length / 2, 0]} for end, side in zip(ends, (-1, 1))]
        text += planar_rod(name, 1.0, length, at, turn, inertia=0.1, marker=marks)
    for name, a, b in (
        ("A", "ground", "crank"),
        ("B", "crank", "coupler"),
        ("C", "coupler", "rocker"),
        ("D", "ground", "rocker"),
    ):
        start = {"speed": speed} if name == "A" and speed is not None else None
        text += joint(name, "pin", f"{a}.{name}", f"{b}.{name}", start=start)
    return text + solver(tolerance=1e-10, end=1.0) + table("output", frames=200)


def singular_at(text: str, registry):
    """The singular configuration at the start of a run, or None."""
    return prepare(system(text), registry).singular


def warning_of_a_run(text: str, folder, registry) -> tuple[str, list[str]]:
    """The one warning of a run with a time, and the branches that it lists."""
    run_system(system(text), folder, registry)
    messages = (folder / "messages.txt").read_text().splitlines()
    (said,) = [line for line in messages if line.startswith("[warning] t = ")]
    return said, said.partition("branches: ")[2].partition(". To avoid")[0].split("; ")


def ratios(found) -> list[float]:
    """Velocity of the rocker over that of the crank, of each branch; planar velocities are x, y, turn of each
    body.
    """
    return sorted(float(line[8] / line[2]) for line in found.branches.lines)


@pytest.mark.parametrize(("crank", "ground"), [(1.0, 2.0), (0.5, 3.0), (2.0, 1.0)])
def test_a_flat_parallelogram_continues_parallel_or_crossed(registry, crank, ground):
    """(θ − φ)(g (θ + φ) + a (θ − φ)) = 0 to second order: φ/θ is 1, or (a + g)/(a − g)."""
    found = singular_at(four_bar(crank, ground), registry)
    assert found.branches.kind == "several"
    assert ratios(found) == pytest.approx(sorted([1.0, (crank + ground) / (crank - ground)]), abs=1e-9)


def test_a_rhombus_turns_its_crank_or_its_coupler_and_rocker(registry):
    """With a = g coupler and rocker move together on the second branch, the crank at rest."""
    found = singular_at(four_bar(1.0, 1.0), registry)
    rates = sorted(
        [np.abs(line[[2, 5, 8]]) / np.abs(line[[2, 5, 8]]).max() for line in found.branches.lines],
        key=lambda r: r[0],
    )
    np.testing.assert_allclose(rates, [[0, 1, 1], [1, 0, 1]], atol=1e-9)


def test_the_message_lists_the_branches_and_what_to_change(registry):
    text = str(singular_at(four_bar(1.0, 2.0), registry))
    # the two rates that the tests above derive
    assert has(text, "crank 1, coupler 0, rocker 1", "crank -0.3333, coupler 0.6667, rocker 1")
    assert has(text, '"A"', "0.03 m", "(1, 0, 0)")
    same_message(text, hide=r"value above \S+|before \w+")


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_moving_the_joint_keeps_the_singular_value_above_the_reported_one(registry, sign):
    """The ground is longer (or shorter) by a hundredth of the reported shift, and the mechanism is moved
    past the fold: the least σ is the reported one times the root of that ratio. Rows have the axes of the
    bodies at t = 0, so it begins close to the fold.
    """
    told = singular_at(four_bar(1.0, 2.0), registry).branches
    problem = prepare(system(four_bar(1.0, 2.0, angle=0.1, shift=0.01 * sign * told.moved)), registry).problem
    sigma, direction = [], np.zeros(problem.nv)
    for _ in range(300):
        problem.evaluate_at(v=0.0)
        X, root, _ = scaled(problem)
        _, values, right = np.linalg.svd(X, full_matrices=True)
        sigma.append(values[-1])
        step = right[-1] * root
        step *= 1.0 if step @ direction > 0 or (not direction.any() and step[2] < 0) else -1.0
        direction = step
        problem[Rates].v_dot[:] = 0.001 * step / np.abs(step).max()
        entries.call_purpose(problem.addresses, RETRACT)
        entries.assemble_positions(problem.addresses, problem.names.size)
    # the other sign goes by the larger eigenvalue, of the form (0, 0.7001; 0.7001, 1.0206) by hand: 1.3767
    # and −0.3561
    wanted = 0.1 * told.least * (1.0 if sign > 0 else np.sqrt(1.3767 / 0.3561))
    assert min(sigma) == pytest.approx(wanted, rel=0.05)


def test_a_straight_strut_is_locked(registry):
    """Two rods in line between two fixed points: the mobility of the joint between them is infinitesimal."""
    text = NO_GRAVITY
    text += "".join(
        body(f"rod{k}", type="planar", mass=1.0, inertia=0.1, position=[k + 0.5, 0]) for k in (0, 1)
    )
    text += pin("A", "ground", "rod0", 0) + pin("B", "rod0", "rod1", 1) + pin("C", "ground", "rod1", 2)
    singular = singular_at(text, registry)
    assert singular is not None and singular.branches.kind == "locked"
    same_message(str(singular))


def test_solutions_of_quadratic_forms_in_three_unknowns():
    """x² = z² and y² = z²: four lines; a definite form has none; one form alone leaves a cone."""
    forms = np.array([np.diag([1.0, 0, -1]), np.diag([0, 1.0, -1])])
    lines = solutions(forms)
    assert len(lines) == 4 and np.allclose(np.abs(lines), 1 / np.sqrt(3))
    assert solutions(np.diag([1.0, 2.0, 3.0])[None]) == []
    assert solutions(forms[:1]) is None
    assert solutions(np.diag([1.0, 2.0])[None]) == []


def test_a_run_through_the_fold_reports_its_branch(registry, tmp_path):
    """From 0.5 rad the parallelogram comes down at 1 rad/s and is flat after 0.5 s; it stays parallel,
    because its velocities are smooth.
    """
    said, branches = warning_of_a_run(four_bar(1.0, 2.0, angle=0.5, speed=-1.0), tmp_path, registry)
    assert float(said.split("t = ")[1].split(" s")[0]) == pytest.approx(0.5, abs=1e-5)
    number = int(said.partition("The run continues on branch ")[2])
    assert has(branches[number - 1], "crank 1, coupler 0, rocker 1")


def test_a_run_close_to_the_fold_changes_its_branch(registry, tmp_path):
    """With the ground 0.1 mm longer it cannot pass: it arrives as a parallelogram and leaves crossed."""
    text = four_bar(1.0, 2.0, angle=0.5, shift=1e-4, speed=-1.0)
    said, branches = warning_of_a_run(text, tmp_path, registry)
    came, goes = (int(said.partition(f"{verb} on branch ")[2][0]) for verb in ("arrives", "continues"))
    rates = [np.array(re.findall(r"(?:crank|coupler|rocker) (-?[\d.]+)", one), float) for one in branches]
    np.testing.assert_allclose(rates[came - 1], [1, 0, 1], atol=0.02)
    np.testing.assert_allclose(rates[goes - 1], [-1 / 3, 2 / 3, 1], atol=0.02)
