"""Joints that a law holds in the analyses: springs where forces are asked for, exact where only geometry is."""

from __future__ import annotations

import numpy as np
import pytest

import mbplugin as mb
from mbplugin.errors import SceneError

M, J, K, K_TURN, D, G = 2.0, (0.3, 0.2, 0.1), 5e3, 80.0, 12.0, 9.81
BLOCK = f"""
[[body]]
name = "block"
mass = {M}
inertia = {list(J)}
[[joint]]
name = "weld"
type = "fixed"
a = "ground"
b = "block"
enforce = {{ type = "penalty", stiffness = {K}, angular_stiffness = {K_TURN}, damping = DAMPING, angular_damping = 0, augment = AUGMENT }}
"""


def block(damping=0.0, augment="false"):
    return mb.System.from_text(BLOCK.replace("DAMPING", str(damping)).replace("AUGMENT", augment))


def test_a_weight_on_a_penalty_joint_sags_by_load_over_stiffness():
    report = block().analyze("static")
    assert report.position[0] == pytest.approx([0, 0, -M * G / K], abs=1e-12)
    assert report.reactions[0] == pytest.approx([0, 0, M * G, 0, 0, 0], abs=1e-9) and report.stable
    # least stiffness in unit masses: the smallest of k/m and k_θ/J
    assert report.stiffnesses == pytest.approx(sorted([K / M] * 3 + [K_TURN / j for j in J]), rel=1e-9)


def test_its_modes_are_those_of_a_body_on_springs():
    modes = block().analyze("eigen")
    assert modes.frequencies == pytest.approx(
        np.sqrt(sorted([K / M] * 3 + [K_TURN / j for j in J])), rel=1e-9
    )
    damped = [mode for mode in block(D).analyze("eigen").modes if mode.zeta > 1e-6]
    assert len(damped) == 3
    for mode in damped:
        assert (mode.omega, mode.zeta) == pytest.approx((np.sqrt(K / M), D / (2 * np.sqrt(K * M))), rel=1e-9)


def test_what_a_run_iterates_until_it_is_closed_is_closed_in_balance():
    report = block(augment="true").analyze("static")
    assert np.abs(report.position).max() < 1e-14
    assert report.reactions[0] == pytest.approx([0, 0, M * G, 0, 0, 0], abs=1e-9)


def test_a_run_comes_to_rest_where_static_analysis_says(runs):
    """Critically damped by the joint itself: after 2 s nothing moves."""
    text = BLOCK.replace("DAMPING", str(2 * np.sqrt(K * M))).replace("AUGMENT", "false")
    (frame,) = runs.frames(text + "[solver]\nend = 2.0\n", [2.0])
    assert frame["bodies/position"][0, 2] == pytest.approx(
        mb.System.from_text(text).analyze("static").position[0, 2], abs=1e-9
    )


CRANK = """
[[body]]
name = "crank"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
[[joint]]
name = "pin"
type = "revolute"
a = "ground"
b = "crank"
at = [0, 0, 0]
axis = [0, 1, 0]
ENFORCE
[[motion]]
joint = "pin"
angle = "2*time + 0.3*sin(3*time)"
"""


@pytest.mark.parametrize("what", ["kinematic", "inverse"])
def test_analyses_of_geometry_hold_them_exactly(what):
    """Without forces nothing deviates: the same as with the joint held by multipliers."""
    elastic = mb.System.from_text(CRANK.replace("ENFORCE", 'enforce = "penalty"')).analyze(
        what, positions=20, end=1.0
    )
    exact = mb.System.from_text(CRANK.replace("ENFORCE", "")).analyze(what, positions=20, end=1.0)
    for name in ("q", "v", "v_dot", "lam"):
        np.testing.assert_allclose(getattr(elastic.states, name), getattr(exact.states, name), atol=1e-11)
    assert "held exactly here, as if stiff: pin" in elastic.messages


@pytest.mark.parametrize("what", ["static", "eigen"])
def test_inner_states_are_refused_where_they_would_be_left_as_they_are(what):
    text = (
        BLOCK.replace("DAMPING", "0").replace("AUGMENT", "false")
        + '[[state]]\nname = "sum"\nrate = "distance(block, ground)"\nstart = 0\n'
    )
    with pytest.raises(SceneError, match=rf'analyze = "{what}": this scene has inner states \(sum\)'):
        mb.System.from_text(text).analyze(what)
