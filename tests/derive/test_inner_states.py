"""Inner states, memory, `active` and time in derived functions: closed forms and balances of energy."""

from __future__ import annotations

import derived_kinds
import numpy as np
import pytest
from headless import Runs
from scene_text import NO_GRAVITY, body, joint, solver, table, world
from scipy.linalg import expm
from test_against_hand import called, markers, tangent_of

from mbplugin.derive.forces import ForceSource
from mbplugin.errors import PluginError
from mbplugin.interface import (
    COORDINATE,
    ConstraintKind,
    ForceKind,
    Function,
    Parameters,
    TraceError,
    axis,
    hookimpl,
)
from mbplugin.math.vec3 import dot, norm, sub

BY = {
    "rk": (solver(tolerance=1e-11, end=1.0), 1e-9),
    "galpha": (solver(type="galpha", tolerance=1e-9, end=1.0), 1e-5),
    "contact": (solver(type="contact", step=5e-4, end=1.0), 1e-4),
}


@pytest.mark.parametrize("by", BY)
def test_a_maxwell_element_on_a_coordinate(runs, by):
    """(s, ṡ, x) is linear; the heat is c ẋ², so that energy and loss balance."""
    m, k, c, rest, start = 2.0, 80.0, 6.0, 20.0, 0.1
    text = NO_GRAVITY + body("block", mass=m, inertia=[1, 1, 1])
    text += joint("rail", "translational", "ground", "block", axis=[0, 0, 1], start={"length": start})
    keys = {"stiffness": k, "damping": c, "at_rest": rest}
    text += table("force", name="bush", type="acme_maxwell", joint="rail", **keys)
    how, tolerance = BY[by]
    (frame,) = runs.frames(text + how, [1.0])
    A = np.array([[0, 1, 0], [-(k + rest) / m, 0, k / m], [k / c, 0, -k / c]])
    s, speed, x = expm(A) @ [start, 0.0, 0.0]
    assert frame["bodies/position"][0, 2] == pytest.approx(s, abs=tolerance)
    assert frame["states/value"][0] == pytest.approx(x, abs=tolerance)
    assert frame["outputs/value"][0] == pytest.approx(-k * (s - x) - rest * s, abs=100 * tolerance)
    if by == "rk":
        assert abs(float(frame["energy/balance"])) < 1e-10
        left = 0.5 * m * speed**2 + 0.5 * k * (s - x) ** 2 + 0.5 * rest * s**2
        assert 0.01 < left / (0.5 * (k + rest) * start**2) < 0.1


def test_the_force_of_a_maxwell_element_relaxes(runs):
    """A body that moves away at v: F = c v (1 − exp(−k t/c)); the damper is longer by v t − F/k."""
    text = NO_GRAVITY + body("b", mass=1e9, inertia=[1, 1, 1], position=[1, 0, 0], velocity=[0.5, 0, 0])
    keys = {"a": "ground", "b": "b", "stiffness": 20.0, "damping": 5.0}
    text += table("force", name="m", type="acme_maxwell_of_markers", **keys)
    (frame,) = runs.frames(text + solver(end=0.4, tolerance=1e-10), [0.4])
    force = 5.0 * 0.5 * (1 - np.exp(-20.0 * 0.4 / 5.0))
    assert frame["forces/wrench"][0, 0] == pytest.approx(-force, rel=1e-7)
    assert frame["states/value"][0] == pytest.approx(1.0 + 0.5 * 0.4 - force / 20.0, rel=1e-8)


@pytest.mark.parametrize("by", BY)
def test_a_rod_that_creeps(runs, by):
    """r = l + (r₀ − l) exp(−t/τ) whatever else moves, and r² φ̇ = r₀² φ̇₀."""
    tau, length, start, speed = 0.7, 0.9, 0.5, 0.8
    text = world(gravity=[0, 0, 0], marker=[{"name": "centre"}])
    rate = (length - start) / tau
    text += body("bob", type="point", mass=1.3, position=[start, 0, 0], velocity=[rate, speed, 0])
    text += joint("rod", "acme_creeping", "ground.centre", "bob", time=tau, length=length)
    how, tolerance = BY[by]
    (frame,) = runs.frames(text + how, [1.0])
    x, v = frame["bodies/position"][0], frame["bodies/velocity"][0]
    r = length + (start - length) * np.exp(-1.0 / tau)
    assert np.linalg.norm(x) == pytest.approx(r, abs=tolerance)
    assert np.cross(x, v)[2] == pytest.approx(start * speed, abs=10 * tolerance)
    assert x @ v / r == pytest.approx((length - r) / tau, abs=10 * tolerance)


def test_rates_by_velocities_of_a_state_that_phi_reads_are_refused():
    class Wrong(ConstraintKind):
        labels = ("row",)
        states = 1

        @staticmethod
        def phi(a, b, x):
            return norm(sub(b.x, a.x)) - x[0]

        @staticmethod
        def state_rates(a, b):
            return dot(b.v, b.v)

    with pytest.raises(TraceError, match="inner states that phi reads depend on velocities of markers"):
        assert Wrong.kernel


def test_states_and_their_rates_belong_together():
    class Lacking(ForceKind):
        name, states = "lacking", 1

        @staticmethod
        def potential(a, b, x):
            return x[0] * norm(sub(b.x, a.x))

    with pytest.raises(PluginError, match="potential: a kind with inner states needs `state_rates`"):
        assert Lacking.kernel
    Lacking.states, Lacking.state_rates = 0, staticmethod(lambda x: x[0])
    with pytest.raises(PluginError, match="needs `states`, their names and units"):
        assert Lacking.kernel


def test_an_energy_that_forgets_what_states_take_is_seen(monkeypatch):
    """The kit finds a derived power without ∂V/∂x ẋ."""
    from mbplugin.derive import functions
    from mbplugin.testing import check_force

    monkeypatch.setattr(ForceSource, "power_of", lambda self, g, V, leaf: g.zero)
    monkeypatch.setattr(functions, "import_path", lambda _: None)  # no stored text
    functions.derived.cache_clear()
    try:
        failed = [each.what for each in check_force(derived_kinds.MaxwellOfMarkers).checks if not each.ok]
        assert failed == ["power of the wrenches = power - rate of energy"]
    finally:
        functions.derived.cache_clear()


def test_rows_differ_where_they_are_off_and_tangents_are_those_of_rows_that_hold():
    """Φ = z + x²/10, doubled where the row is off."""
    kind, m = derived_kinds.Held, markers(np.random.default_rng(4))
    found = {}
    for on in (0, 1):
        value, G, gamma = np.zeros(1), np.zeros(12), np.zeros(1)
        given = {"phi": value, "G": G, "gamma": gamma, "phi_t": np.zeros(1), "active": np.array([on])}
        called(kind.kernel, a=m[0], b=m[1], **given)
        found[on] = np.concatenate([value, G, gamma])
    np.testing.assert_allclose(found[0], 2.0 * found[1], rtol=1e-14)
    d = np.subtract(m[1].x, m[0].x)
    x, z = (np.dot(m[0].R[k::3], d) for k in (0, 2))
    assert found[1][0] == pytest.approx(z + 0.1 * x * x, rel=1e-14)
    K = tangent_of(kind.tangent, np.ones(1), None, m)
    n = np.array(m[0].R[0::3])
    np.testing.assert_allclose(K[6:9, 6:9], -0.2 * np.outer(n, n), atol=1e-14)
    assert "active" not in kind.tangent.source


class Ratchet(ConstraintKind):
    """Marker b is as high over a as it has ever been: Φ = z − mem (1 row that only pushes)."""

    name = "acme_ratchet"
    labels = ("height",)
    row_type = "nonnegative"
    memory = 1

    @staticmethod
    def phi(a, b, mem):
        return dot(axis(a, 2), sub(b.x, a.x)) - mem[0]

    @staticmethod
    def accept(a, b, mem, mem_new):
        mem_new[0] = max(mem[0], dot(axis(a, 2), sub(b.x, a.x)))


class StiffeningParameters(Parameters):
    factor: Function


class Stiffening(ForceKind):
    """V = ½ k(t) s² (1 + 0.3 t): what time adds to V is work of the surroundings."""

    name = "acme_stiffening"
    parameters = StiffeningParameters
    measures = (COORDINATE,)
    examples = ({"factor": "3 + sin(time)", "joint": {"type": "translational"}},)

    @staticmethod
    def potential(s, u, t):
        return 0.5 * u.factor[0] * s[0] ** 2 * (1.0 + 0.3 * t)


class Plugin:
    @hookimpl
    def mbplugin_force_elements(self, register):
        register(Stiffening)

    @hookimpl
    def mbplugin_constraint_types(self, register):
        register(Ratchet)


@pytest.mark.parametrize("factor", ["3 + sin(time)", "3 + slide.length**2"])
def test_work_of_time_is_in_the_balance(factor):
    text = NO_GRAVITY + body("block", mass=0.7, inertia=[0.1, 0.1, 0.1])
    text += joint("slide", "translational", "ground", "block", axis=[1, 0, 0], start={"length": 0.4})
    text += table("force", name="spring", type="acme_stiffening", joint="slide", factor=factor)
    (frame,) = Runs.offering(acme=Plugin()).frames(text + solver(tolerance=1e-11, end=1.0), [1.0])
    assert abs(float(frame["energy/balance"])) < 1e-11


def test_a_function_of_accelerations_has_no_known_rate():
    """It acts all the same."""
    text = NO_GRAVITY + body("block", mass=0.7, inertia=[0.1, 0.1, 0.1])
    text += joint("slide", "translational", "ground", "block", axis=[1, 0, 0], start={"length": 0.4})
    how = {"type": "acme_stiffening", "joint": "slide", "factor": "3 + 0.1*rate(slide.length)"}
    text += table("force", name="spring", **how)
    (frame,) = Runs.offering(acme=Plugin()).frames(text + solver(tolerance=1e-9, end=1.0), [1.0])
    assert frame["bodies/position"][0, 0] < 0.0


def test_a_ratchet_remembers(runs):
    """A body thrown up with v stays at v²/2g, up to the last step, which ends a little later."""
    text = world(gravity=[0, 0, -9.81])
    text += body("b", type="point", mass=0.3, velocity=[0, 0, 2.0])
    text += joint("stop", "acme_ratchet", "ground", "b")
    (frame,) = Runs.offering(acme=Plugin()).frames(text + solver(tolerance=1e-9, end=1.0), [1.0])
    assert frame["bodies/position"][0, 2] == pytest.approx(2.0**2 / (2 * 9.81), abs=1e-3)
    assert abs(frame["bodies/velocity"][0, 2]) < 1e-9
