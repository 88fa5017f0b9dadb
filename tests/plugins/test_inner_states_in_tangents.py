"""Inner states that follow an implicit rule, dx = s dẋ, in the matrix of a step."""

from __future__ import annotations

import numpy as np
import pytest
from foreign_kinds.elements_with_states import LuGre, Maxwell
from scene_text import body, solver, table

import mbplugin as mb
from mbplugin.analysis.tangent.derivative import derivative
from mbplugin.compile import compile_system
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import ForceKind, hookimpl
from mbplugin.kernels import entries
from mbplugin.math.patch import add_diagonal, add_outer
from mbplugin.math.vec3 import norm, scale, sub
from mbplugin.tables.groups import Bodies, Rates, State


class WithTangent(Maxwell):
    """The same, with its tangent at a held inner state: F P with P = (1 − u uᵀ)/s."""

    name = "foreign_maxwell_with_tangent"
    kernel = Maxwell.kernel

    @staticmethod
    def tangent(a, b, p, x, K):
        d = sub(b.x, a.x)
        s = norm(d)
        u = scale(1.0 / s, d)
        for i in (0, 6):
            for j in (0, 6):
                f = (1.0 if i == j else -1.0) * p.stiffness * x[0] / s
                add_diagonal(K, i, j, f)
                add_outer(K, i, j, -f, u, u)


class Derived(ForceKind):
    """The same from V and ẋ: x is the elongation of the damper."""

    name = "foreign_maxwell_derived"
    parameters = Maxwell.parameters
    states = 1

    @staticmethod
    def potential(a, b, p, x):
        return 0.5 * p.stiffness * (norm(sub(b.x, a.x)) - x[0]) ** 2

    @staticmethod
    def state_rates(a, b, p, x):
        return p.stiffness * (norm(sub(b.x, a.x)) - x[0]) / p.damping


class Plugin:
    @hookimpl
    def mbplugin_force_elements(self, register):
        for kind in (Maxwell, LuGre, WithTangent, Derived):
            register(kind)


END = {"name": "end", "position": [0.1, 0.4, -0.3]}
REGISTRY = load_plugins(extra=[("acme", Plugin())])[0]


@pytest.mark.parametrize("kind", [Maxwell.name, WithTangent.name, Derived.name])
@pytest.mark.parametrize("s", [0.0, 0.02, 0.5])
def test_inner_states_follow_their_rule(kind, s):
    text = "".join(
        body(name, mass=1.3, inertia=[0.1, 0.2, 0.25], position=[x, 0.1, 0.2], marker=[END])
        for name, x in (("left", 0.0), ("right", 2.0))
    )
    ends = {"a": "left", "b": "right.end"}
    text += table("force", name="m", type=kind, **ends, stiffness=20.0, damping=5.0)
    text += table("force", name="f", type="foreign_lugre", body="right", stiffness=50.0, friction=3.0)
    problem = compile_system(mb.System.from_text(text + solver(end=1.0)), REGISTRY)
    state = problem[State]
    random = np.random.default_rng(0)
    state.v[:] = random.normal(size=problem.nv) + [1.5, 0, 0, 0, 0, 0] * 2
    state.aux[2:] = 0.03, -0.02
    q, v, x = problem.q, problem.v, state.aux[2:].copy()
    b, c = 0.7, 0.3

    def rates(inner: np.ndarray) -> np.ndarray:
        state.aux[2:] = inner
        problem.check(entries.evaluate(problem.addresses))
        return problem[Rates].aux_dot[2:].copy()

    before = rates(x)

    def residual(change: np.ndarray) -> np.ndarray:
        problem.move_to(q, c * change)
        state.v[:] = v + b * change
        # ẋ of both elements is linear in their x: x − x₀ = s (ẋ − ẋ₀) from two values
        at_0, at_1 = rates(0.0 * x), rates(0.0 * x + 1.0)
        rates((x + s * (at_0 - before)) / (1.0 - s * (at_1 - at_0)))
        return -problem[Bodies].h.copy()

    unit = np.eye(problem.nv)
    truth = np.column_stack([derivative(lambda e, n=n: residual(e * n), 0.1) for n in unit])
    residual(0.0 * v)
    state.aux[2:] = x
    problem.check(entries.evaluate(problem.addresses))
    problem.form_tangent(0.0, b, c, s)
    np.testing.assert_allclose(problem.tangent().toarray(), truth, atol=1e-9 * np.abs(truth).max())
    np.testing.assert_array_equal(state.aux[2:], x)
