"""Kinds that take any number of markers: a rope over n pulleys, and an elastic cable through n eyes.

The eyes lie on one vertical line, in turn on the ground and on a block, so that N = n − 1 parts of an elastic
cable carry the block:  ω = N √(k/m). A rope from a weight A over the ground to a block B with N parts gives
s_A + N s_B = const:  a_B = (m_B − N m_A) g/(m_B + N² m_A), downwards.
"""

from __future__ import annotations

import numpy as np
import pytest
from derivatives import check_rows
from foreign_kinds import Cable, ElasticCable, Path
from headless import finish
from refusals import has
from scene_text import NO_GRAVITY, body, solver, table, variable, world
from whole_system import whole_system

from mbplugin.analysis.tangent.stiffness import damping, stiffness
from mbplugin.codegen.compiled import compilations
from mbplugin.kernels import entries
from mbplugin.tables.groups import Functions, State, Wrenches
from mbplugin.testing import check_constraint, check_force, check_measure

GRAVITY, BLOCK, WEIGHT, K = 9.81, 2.0, 0.6, 400.0


def block(name, x, **keys):
    return body(name, mass=BLOCK, inertia=[0.1, 0.1, 0.1], position=[x, 0, -1], **keys)


def ground_eyes(*names):
    return world(marker=[{"name": name, "position": [x, 0, 0]} for x, name in enumerate(names)])


def tackle(name, n):
    """n eyes, the first on the ground."""
    return [f"ground.{name}", name] * (n // 2) + [f"ground.{name}"] * (n % 2)


def elastic(name, n, **keys):
    """A cable through n eyes that begins without tension."""
    return block(name, {"few": 0, "many": 1}[name]) + table(
        "force",
        name=f"cable_{name}",
        type="foreign_elastic_cable",
        markers=tackle(name, n),
        stiffness=K,
        **keys,
    )


EYE = {"name": "eye"}
EYES = ground_eyes("few", "many")


def test_a_block_in_an_elastic_cable_vibrates_as_its_parts_say(runs):
    """Cables through 3 and through 7 eyes in one scene."""
    text = EYES + elastic("few", 3) + elastic("many", 7)
    prepared = runs.prepare(text + solver(tolerance=1e-11, end=0.5))
    finish(prepared.start(0.5), 0.5)
    z = prepared.problem[State].q.reshape(-1, 7)[:, 2]
    for found, parts in zip(z, (2, 6)):
        w = parts * np.sqrt(K / BLOCK)
        np.testing.assert_allclose(found, -1 - GRAVITY / w**2 * (1 - np.cos(0.5 * w)), atol=1e-9)
    assert abs(float(prepared.recorder.frame()["energy/balance"])) < 1e-8
    wrench = prepared.problem[Wrenches]
    for row in wrench.index[-2:]:
        tension = wrench.wrench[6 * row.first_slot : 6 * (row.first_slot + row.slots)].reshape(-1, 6)[:, 2]
        np.testing.assert_allclose(np.abs(tension[1:-1]), 2 * np.abs(tension[0]), rtol=1e-12)


def rope(name, n):
    """A rope from a weight, over the ground and a block in turn: n markers, n − 2 parts at the block."""
    x = {"few": 0, "many": 1}[name]
    eyes = [f"ground.{name}" if k % 2 == 0 else f"{name}.eye" for k in range(n - 1)]
    return (
        block(name, x, marker=[EYE])
        + body(f"weight_{name}", mass=WEIGHT, inertia=[0.1, 0.1, 0.1], position=[x, 0, -2], marker=[EYE])
        + table("joint", name=f"rope_{name}", type="foreign_cable", markers=[f"weight_{name}.eye", *eyes])
    )


def test_a_weight_on_a_rope_over_pulleys_lifts_a_block(runs):
    prepared = runs.prepare(EYES + rope("few", 3) + rope("many", 7) + solver(tolerance=1e-10, end=0.3))
    finish(prepared.start(0.3), 0.3)
    problem = prepared.problem
    z = dict(zip(problem.names.bodies, prepared.recorder.frame()["bodies/position"][:, 2]))
    for name, parts in (("few", 1), ("many", 5)):
        down = (BLOCK - parts * WEIGHT) * GRAVITY / (BLOCK + parts**2 * WEIGHT)
        assert z[name] == pytest.approx(-1 - 0.5 * down * 0.09, abs=1e-9)
        assert z[f"weight_{name}"] == pytest.approx(-2 + parts * 0.5 * down * 0.09, abs=1e-9)
    assert abs(float(prepared.recorder.frame()["energy/balance"])) < 1e-8


def slack(n, seed=1):
    """Bodies at random places with a rope and an elastic cable over n of them."""
    random = np.random.default_rng(seed)
    names = [f"b{k}" for k in range(n)]
    return (
        NO_GRAVITY
        + "".join(
            body(
                name,
                mass=1.0,
                inertia=[0.1, 0.2, 0.25],
                position=random.normal(size=3),
                marker=[{"name": "eye", "position": random.normal(size=3)}],
            )
            for name in names
        )
        + table("joint", name="rope", type="foreign_cable", markers=[f"{name}.eye" for name in names])
        + table(
            "force",
            name="cable",
            type="foreign_elastic_cable",
            markers=[f"{name}.eye" for name in reversed(names)],
            stiffness=3.0,
            damping=0.4,
            length=0.5,
        )
    )


@pytest.mark.parametrize("n", [2, 5])
def test_their_jacobians_and_tangents_are_derivatives(runs, n):
    text = slack(n) + solver(end=1.0)
    check_rows(runs.prepare(text).problem)
    problem = runs.prepare(text).problem
    random = np.random.default_rng(2)
    problem[State].v[:] = random.normal(size=problem.nv)
    problem.check(entries.evaluate(problem.addresses))
    lam = random.normal(size=problem.nc)
    K, D = whole_system(problem, lam)
    np.testing.assert_allclose(stiffness(problem, lam), K, atol=1e-9 * np.abs(K).max())
    np.testing.assert_allclose(damping(problem), D, atol=1e-9 * np.abs(D).max())


def test_one_compilation_serves_any_number_of_markers(runs):
    first = runs.prepare(slack(3) + solver(end=0.1)).problem
    first.prepare_tangents()
    counted = compilations[0]
    second = runs.prepare(slack(7) + solver(end=0.1)).problem
    second.prepare_tangents()
    assert compilations[0] == counted
    texts = lambda problem: {k.text for k in [*problem.kernels, *problem.tangent_kernels]}
    assert texts(first) == texts(second)


def test_an_expression_measures_a_path_over_any_number_of_markers(runs):
    text = (
        NO_GRAVITY
        + "".join(
            body(n, mass=1.0, inertia=[1, 1, 1], position=p) for n, p in zip("abc", np.eye(3) * [1, 2, 3])
        )
        + variable("two", "foreign_path(a, b)")
        + variable("three", "foreign_path(a, b, c)")
        + table("force", name="push", type="force", body="a", force_x="two + three")
    )
    problem = runs.prepare(text + solver(end=0.1)).problem
    problem.check(entries.evaluate(problem.addresses))
    two, last = np.sqrt(5), np.sqrt(13)
    u = problem[Functions].u[:, 0]
    assert np.abs(u - (two + two + last)).min() < 1e-12


@pytest.mark.parametrize(
    "check",
    [
        lambda: check_force(ElasticCable, {"stiffness": 3.0, "damping": 0.4, "length": 0.1}),
        lambda: check_constraint(Cable),
        lambda: check_measure("foreign_path", Path),
    ],
)
def test_the_kit_finds_no_fault(check):
    report = check()
    assert report.ok, f"\n{report}"


def writes_one_too_many(m, wrench):
    for k in range(len(m) + 1):
        for i in range(6):
            wrench[k, i] = 0.0


def test_the_kit_finds_a_wrench_of_a_marker_that_is_not_there():
    kind = type(
        "Faulty",
        (ElasticCable,),
        {
            "name": "faulty",
            "kernel": staticmethod(writes_one_too_many),
            "parameters": None,
            "defaults": classmethod(lambda cls, params, markers: params),
        },
    )
    report = check_force(kind)
    assert not report.ok and has(str(report), "wrench", "(3, 6)")
