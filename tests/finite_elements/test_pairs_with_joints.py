"""Bodies that deform in generated pairs with joints, forces and solvers: no force from outside acts, so both
momenta of the pair stay, the ledger of energy closes, and the mirror image of a scene moves as its image.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from bodies_of_elements import material
from headless import finish
from scene_text import NO_GRAVITY, body, joint, solver, spring

from mbplugin import System
from mbplugin.tables.groups import Bodies, State

SIZE, DENSITY = np.array([0.4, 0.2, 0.1]), 1e3
PENALTY = "penalty"
#: a body that deforms: keys, and those of its marker at its end
KINDS = {
    "pseudo_rigid": (
        {"type": "pseudo_rigid", "shape": [{"type": "box", "size": SIZE.tolist()}]},
        {"position": [0.2, 0, 0]},
    ),
    "elements, rbe2": ({"type": "finite_element", "elements": "hex8"}, {"nodes": "x+", "coupling": "rbe2"}),
    "elements, rbe3": ({"type": "finite_element", "elements": "tet10"}, {"nodes": "x+", "coupling": "rbe3"}),
}
JOINTS = ("ball", "revolute", "fixed", "universal", "cylindrical", "translational", "spring", PENALTY)
SOLVERS = {
    "rk": {"type": "rk", "tolerance": 1e-9},
    "rk4": {"type": "rk", "integrator": "rk4", "step": 2e-4},
    "contact": {"type": "contact", "step": 2e-4},
}
END = 0.02
#: momentum, angular momentum and energy, in parts of their size; fixed steps have the error of their order
ALLOWED = {"rk": (1e-11, 1e-8, 1e-7), "rk4": (1e-11, 1e-6, 1e-4), "contact": (1e-11, 1e-5, 2e-3)}
PAIRS = list(itertools.product(KINDS, JOINTS, SOLVERS))
#: by default each kind meets each joint with one solver, and each joint all three
DEFAULT = {
    (kind, what, list(SOLVERS)[(i + j) % 3]) for i, kind in enumerate(KINDS) for j, what in enumerate(JOINTS)
}


def scene(kind, what, seed, mirror=1.0):
    """Two free bodies that spin, joined at the end of the one that deforms; mirror: -1 for y → −y."""
    random = np.random.default_rng(seed)
    flip, turn = np.array([1.0, mirror, 1.0]), np.array([mirror, 1.0, mirror])
    keys, marker = KINDS[kind]
    keys = dict(keys)
    if elements := keys.pop("elements", None):
        keys["mesh"] = {"shape": "box", "size": SIZE.tolist(), "divisions": [2, 1, 1], "elements": elements}
    moving = lambda: {
        "velocity": (flip * random.normal(size=3)).tolist(),
        "angular_velocity": (turn * 3.0 * random.normal(size=3)).tolist(),
    }
    text = NO_GRAVITY + material(young=1e6, poisson=0.3, stiffness_damping=0.0)
    text += body("soft", material="elastic", marker=[{"name": "end"} | marker], **keys, **moving())
    text += body(
        "hard",
        mass=3.0,
        inertia=[0.02, 0.03, 0.04],
        position=[0.4, 0, 0],
        marker=[{"name": "end", "position": [-0.2, 0, 0]}],
    )
    axis = (turn * np.array([0.3, 1.0, 0.5])).tolist()
    if what == "spring":
        return text + spring("soft.end", "hard", stiffness=500.0, damping=3.0, length=0.1)
    if what == PENALTY:
        return text + joint("pin", "fixed", "soft.end", "hard", enforce={"type": "penalty", "stiffness": 1e5})
    return text + joint("pin", what, "soft.end", "hard", axis=axis)


def momenta(prepared):
    """Momentum and angular momentum about the world's origin, of both bodies, and the sum of the sizes."""
    problem, system = prepared.problem, prepared.system
    q, v, index = problem[State].q, problem[State].v, problem[Bodies].index
    P, L = np.zeros((2, 3)), np.zeros((2, 3))
    for k, one in enumerate(system.bodies):
        record = index[problem.names.body_index[k]]
        mass = one.mass_properties()
        x, u = q[record.first_q :][: record.kind_q], v[record.first_v :][: record.kind_v]
        if one.type == "finite_element":
            n = len(one.content.data.mass)
            nodes = problem[Bodies].scratch[record.first_scratch :][: 6 * n].reshape(2, n, 3)
            m = one.content.data.mass
            P[k], L[k] = m @ nodes[1], m @ np.cross(nodes[0], nodes[1])
        elif one.type == "pseudo_rigid":
            second = mass.mass * SIZE**2 / 12.0
            F, F_dot = x[3:].reshape(3, 3), u[3:].reshape(3, 3)
            P[k] = mass.mass * u[:3]
            L[k] = np.cross(x[:3], P[k]) + sum(second[j] * np.cross(F[:, j], F_dot[:, j]) for j in range(3))
        else:
            w, i, j, l = x[3:]
            R = np.array(
                [
                    [1 - 2 * (j * j + l * l), 2 * (i * j - w * l), 2 * (i * l + w * j)],
                    [2 * (i * j + w * l), 1 - 2 * (i * i + l * l), 2 * (j * l - w * i)],
                    [2 * (i * l - w * j), 2 * (j * l + w * i), 1 - 2 * (i * i + j * j)],
                ]
            )
            P[k] = mass.mass * u[:3]
            L[k] = np.cross(x[:3], P[k]) + R @ (np.array([0.02, 0.03, 0.04]) * u[3:])
    return P.sum(axis=0), L.sum(axis=0), np.abs(P).sum(), np.abs(L).sum()


@pytest.mark.parametrize(
    ("kind", "what", "how"),
    [
        pytest.param(*pair, id=" - ".join(pair), marks=() if pair in DEFAULT else pytest.mark.slow)
        for pair in PAIRS
    ],
)
def test_a_pair_keeps_its_momenta_and_its_energy(runs, kind, what, how):
    text = scene(kind, what, PAIRS.index((kind, what, how)))
    prepared = runs.prepare(text + solver(end=END, **SOLVERS[how]))
    before = momenta(prepared)
    finish(prepared.start(END), END)
    frame = prepared.recorder.frame()
    after = momenta(prepared)
    linear, angular, energy = ALLOWED[how]
    np.testing.assert_allclose(after[0], before[0], rtol=0, atol=linear * before[2])
    if what != PENALTY:
        # forces of a penalty act at two points that are apart
        np.testing.assert_allclose(after[1], before[1], rtol=0, atol=angular * before[3])
    assert abs(float(frame["energy/balance"])) < energy * float(frame["energy/kinetic"])


@pytest.mark.parametrize("kind", list(KINDS)[:2])  # the tetrahedra of a box are not its image
def test_a_mirror_image_moves_as_the_image(runs, kind):
    """Positions are reflected, angular velocities are reflected and reversed."""
    found = []
    for mirror in (1.0, -1.0):
        prepared = runs.prepare(scene(kind, "universal", 3, mirror) + solver(end=END, **SOLVERS["rk"]))
        finish(prepared.start(END), END)
        frame = prepared.recorder.frame()
        found.append((frame["bodies/position"].copy(), frame["bodies/angular_velocity"].copy()))
    np.testing.assert_allclose(found[1][0], found[0][0] * [1, -1, 1], atol=1e-8)
    np.testing.assert_allclose(found[1][1], found[0][1] * [-1, 1, -1], atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_halved_steps_of_contact_bring_four_times_the_accuracy(runs, kind):
    last = []
    for step in (4e-4, 2e-4, 1e-4):
        prepared = runs.prepare(scene(kind, "ball", 5) + solver(type="contact", step=step, end=END))
        finish(prepared.start(END), END)
        last.append(prepared.recorder.frame()["bodies/position"].copy())
    coarse, fine = np.abs(last[0] - last[1]).max(), np.abs(last[1] - last[2]).max()
    assert 2.8 < coarse / fine < 5.5


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        pytest.param(kind, form, marks=() if (k + f) % 2 else pytest.mark.slow)
        for k, kind in enumerate(KINDS)
        for f, form in enumerate(("acceleration", "momentum"))
    ],
)
def test_a_body_that_deforms_on_an_arm_in_joint_coordinates_moves_as_in_all(kind, form):
    """The arm is a link of a tree then, and the other body is none: its frames are those of its own state."""
    keys, _ = KINDS[kind]
    keys = dict(keys)
    if elements := keys.pop("elements", None):
        keys["mesh"] = {"shape": "box", "size": SIZE.tolist(), "divisions": [2, 1, 1], "elements": elements}
    root = {"name": "root"} | ({"position": [-0.2, 0, 0]} if elements is None else {"nodes": "x-"})
    text = material(young=1e6, poisson=0.3) + body("soft", material="elastic", marker=[root], **keys)
    text += body("arm", mass=1.0, inertia=[0.01, 0.01, 0.01], position=[-0.2, 0, -0.3])
    text += joint("hinge", "revolute", "ground", "arm", axis=[0, 1, 0], at=[-0.2, 0, -0.6])
    text += joint("flange", "fixed", "arm", "soft.root", at=[-0.2, 0, 0])
    found = []
    for chosen in ({}, {"coordinates": "joint", "form": form}):
        result = System.from_text(text + solver(type="rk", tolerance=1e-9, end=0.2, **chosen)).run(
            files=False
        )
        assert np.abs(result.energy.balance).max() < 1e-8
        found.append(np.concatenate([result["soft"].position[-1], result["soft"].velocity[-1]]))
    np.testing.assert_allclose(*found, rtol=0, atol=1e-7)
    assert np.abs(found[0][3:]).max() > 0.5
