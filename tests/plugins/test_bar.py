"""A body of many coupled masses: its mass matrix dense or by its profile, and its size a parameter."""

from __future__ import annotations

import time

import numpy as np
import pytest
from foreign_kinds.bar import Bar
from headless import finish
from scene_text import NO_GRAVITY, body, force, joint, solver, spring

from mbplugin.analysis.rank.rank import left_null_space, rank_by_factor
from mbplugin.codegen.compiled import compilations
from mbplugin.kernels import entries
from mbplugin.kernels.schur import factor
from mbplugin.tables.groups import Bodies, Rates, State
from mbplugin.testing import check_body

LENGTH, MASS, STIFFNESS = 2.0, 1.2, 30.0


def bar(name="bar", elements=6, **keys):
    given = {
        "type": "foreign_bar",
        "mass": MASS,
        "inertia": [0.1, 0.1, 0.1],
        "elements": elements,
        "length": LENGTH,
        "stiffness": STIFFNESS,
        "marker": [{"name": "left", "position": [-1, 0, 0]}, {"name": "right", "position": [0.93, 0, 0]}],
    }
    return body(name, **(given | keys))


def frequency(k, n):
    theta = k * np.pi / n
    element = LENGTH / n
    return np.sqrt(6 * STIFFNESS * n / (MASS * element) * (1 - np.cos(theta)) / (2 + np.cos(theta)))


@pytest.mark.parametrize("form", ["dense", "profile"])
@pytest.mark.parametrize(("k", "n"), [(1, 4), (3, 7)])
def test_it_vibrates_at_the_frequencies_of_consistent_elements(runs, form, k, n):
    prepared = runs.prepare(
        NO_GRAVITY + bar(elements=n, mode=k, amplitude=0.03, form=form) + solver(tolerance=1e-10, end=0.4)
    )
    finish(prepared.start(0.4), 0.4)
    along = LENGTH / n * (np.arange(n + 1) - 0.5 * n)
    moved = 0.03 * np.cos(np.arange(n + 1) * k * np.pi / n) * np.cos(frequency(k, n) * 0.4)
    np.testing.assert_allclose(prepared.problem[State].q[::3], along + moved, atol=1e-8)


def loaded(form, method="constraint_force", **keys):
    """A bar of each form hangs between a pivot, a spring and a rigid body."""
    return (
        bar(elements=9, form=form, velocity=[0, 0.1, 0.4])
        + body("weight", mass=0.4, inertia=[0.01, 0.02, 0.03], position=[0.93, 0, 0.2])
        + joint("pivot", "ball", "ground", "bar.left")
        + joint("link", "ball", "bar.right", "weight")
        + spring("ground", "bar", stiffness=20.0)
        + force("weight", name="push", y="3*sin(2*time)")
        + solver(**({"method": method, "tolerance": 1e-9, "end": 0.3} | keys))
    )


def end_of(runs, text, end=0.3):
    prepared = runs.prepare(text)
    finish(prepared.start(end), end)
    problem = prepared.problem
    return prepared, np.concatenate([problem[State].q, problem[State].v, problem[Rates].v_dot])


@pytest.mark.parametrize("method", ["constraint_force", "kkt"])
def test_dense_and_profile_give_the_same_motion(runs, method):
    (one, dense), (two, profile) = (end_of(runs, loaded(form, method)) for form in ("dense", "profile"))
    np.testing.assert_allclose(profile, dense, atol=1e-9 * np.abs(dense).max())
    for name in ("energy/kinetic", "energy/balance"):
        np.testing.assert_allclose(two.recorder.frame()[name], one.recorder.frame()[name], atol=1e-9)
    assert abs(float(two.recorder.frame()["energy/balance"])) < 1e-6
    M = [prepared.problem.mass(prepared.problem.q) for prepared in (one, two)]
    np.testing.assert_array_equal(*M)


def test_an_implicit_solver_uses_the_profile_too(runs):
    ends = [
        end_of(runs, loaded(form, type="galpha", tolerance=1e-6, method=None), end=0.05)[1]
        for form in ("dense", "profile")
    ]
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6 * np.abs(ends[0]).max())


def test_m_inverse_and_its_root_for_numpy(runs):
    problem = runs.prepare(loaded("profile")).problem
    M, b = problem.mass(problem.q), np.random.default_rng(1).normal(size=(problem.nv, 2))
    np.testing.assert_allclose(problem.solve_mass(b), np.linalg.solve(M, b), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        problem.solve_mass(b[:, 0]), np.linalg.solve(M, b[:, 0]), rtol=1e-10, atol=1e-12
    )
    x = problem.solve_mass_root(b)
    np.testing.assert_allclose(x.T @ x, b.T @ np.linalg.solve(M, b), rtol=1e-10)


@pytest.mark.parametrize("form", ["dense", "profile"])
def test_the_rank_by_the_factor_counts_rows_between_such_bodies(runs, form):
    """Two bars with two balls in one place: three of six rows repeat others, and no more."""
    twice = "".join(joint(f"ball{k}", "ball", "one.right", "two.left") for k in range(2))
    text = bar("one", 5, form=form) + bar("two", 4, form=form, position=[1.93, 0, 0]) + twice
    problem = runs.prepare(text + solver(end=1)).problem
    problem.check(entries.evaluate(problem.addresses))
    assert rank_by_factor(problem).rank == 3
    assert left_null_space(problem)[0].shape[1] == 3


def cost(runs, n, form):
    """Numbers of the mass matrix, and CPU time of one evaluation of v̇ [s]."""
    problem = runs.prepare(
        NO_GRAVITY + bar(elements=n, form=form) + joint("pivot", "ball", "ground", "bar.left") + solver(end=1)
    ).problem
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        for _ in range(20):
            entries.evaluate(problem.addresses)
            problem.call_function(factor, 2)
        best = min(best, (time.process_time() - start) / 20)
    return len(problem[Bodies].M), best


def test_a_profile_costs_as_much_as_the_body_is_long(runs):
    """Ten times as many masses: ten times the numbers, and less than 30 times the time; a dense solution
    would take a hundred times.
    """
    (few, short), (many, long) = (cost(runs, n, "profile") for n in (100, 1000))
    assert many < 10.1 * few
    assert long < 30 * short


def test_one_compilation_serves_any_number_of_elements(runs):
    first = runs.prepare(bar("short", 1) + bar("long", 5) + solver(end=0.1)).problem
    counted = compilations[0]
    second = runs.prepare(bar("middle", 3) + bar("longer", 8, form="dense") + solver(end=0.1)).problem
    assert compilations[0] == counted
    assert {k.text for k in first.kernels} == {k.text for k in second.kernels}


def test_the_kit_finds_no_fault():
    report = check_body(Bar)
    assert report.ok, f"\n{report}"
