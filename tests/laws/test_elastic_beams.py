"""Beams between markers: Timoshenko's matrix, cantilevers, a circle, momentum, sections."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, force, solver, table, torque
from scipy.spatial.transform import Rotation

import mbplugin as mb

E, NU, L = 2e6, 0.25, 0.8
GIVEN = {"young": E, "poisson": NU, "area": 3e-3, "second_moment_y": 4e-6, "second_moment_z": 7e-6}
GIVEN |= {"torsion_constant": 5e-6, "shear_factor_y": 0.8, "shear_factor_z": 0.6}
G = E / (2 * (1 + NU))
OBLIQUE = Rotation.from_rotvec([0.3, -0.7, 0.5])


def quaternion(rotation):
    return {"quaternion": np.roll(rotation.as_quat(), 1)}


def beam(a, b, **keys):
    return table("force", type="beam", name=f"{a}_{b}".replace(".", "_"), a=a, b=b, **(GIVEN | keys))


def bending(inertia, factor, length=L):
    """Shear and bending over (deflection a, rotation a, deflection b, rotation b) in one plane."""
    phi = 12 * E * inertia / (factor * G * GIVEN["area"] * length**2)
    rows = [
        [12, 6 * length, -12, 6 * length],
        [6 * length, (4 + phi) * length**2, -6 * length, (2 - phi) * length**2],
        [-12, -6 * length, 12, -6 * length],
        [6 * length, (2 - phi) * length**2, -6 * length, (4 + phi) * length**2],
    ]
    return E * inertia / ((1 + phi) * length**3) * np.array(rows)


def timoshenko():
    """The matrix (12, 12) over translations and rotations of both ends, axes of the beam."""
    K = np.zeros((12, 12))
    ends = np.array([[1.0, -1.0], [-1.0, 1.0]])
    K[np.ix_([0, 6], [0, 6])] = E * GIVEN["area"] / L * ends
    K[np.ix_([3, 9], [3, 9])] = G * GIVEN["torsion_constant"] / L * ends
    K[np.ix_([1, 5, 7, 11], [1, 5, 7, 11])] = bending(GIVEN["second_moment_z"], GIVEN["shear_factor_y"])
    signs = np.diag([1.0, -1.0, 1.0, -1.0])  # w' = −θ_y
    plane = signs @ bending(GIVEN["second_moment_y"], GIVEN["shear_factor_z"]) @ signs
    K[np.ix_([2, 4, 8, 10], [2, 4, 8, 10])] = plane
    return K


def test_the_stiffness_of_a_beam_at_rest_is_timoshenkos_matrix():
    """Between markers that are turned differently, in an oblique direction."""
    turned = Rotation.from_rotvec([0.2, 1.1, -0.4])
    marker = [{"name": "m", "orientation": quaternion(OBLIQUE)}]
    text = NO_GRAVITY + body("a", mass=1, inertia=[1, 1, 1], marker=marker)
    marker = [{"name": "m", "orientation": quaternion(turned)}]
    text += body("b", mass=1, inertia=[1, 1, 1], position=OBLIQUE.apply([L, 0, 0]), marker=marker)
    problem = mb.System.from_text(text + beam("a.m", "b.m") + solver(end=1)).compile()
    problem.prepare_tangents()
    problem.form_tangent(0.0, 0.0, 1.0)
    R = np.kron(np.eye(4), OBLIQUE.as_matrix())
    truth = timoshenko()
    found = R.T @ problem.tangent().toarray() @ R
    np.testing.assert_allclose(found, truth, atol=1e-12 * np.abs(truth).max())


def chain(n, load):
    """A cantilever of n beams of the length L with bodies at their ends."""
    text = NO_GRAVITY
    for k in range(n):
        text += body(f"b{k}", mass=1, inertia=[1, 1, 1], position=[(k + 1) * L, 0, 0])
        text += beam("ground" if k == 0 else f"b{k - 1}", f"b{k}")
    return text + load + solver(end=0.1)


@pytest.mark.parametrize("n", [1, 3])
def test_a_cantilever_bends_and_shears_as_timoshenkos(n):
    """w = F ℓ³/3EI + F ℓ/κGA; loads so small that the deflection is linear to 1e-11."""
    P, length = 1e-6, n * L
    system = mb.System.from_text(chain(n, force(f"b{n - 1}", y=P, z=P)))
    tip = system.analyze("static").position[n - 1]
    for k, axis, other in ((1, "y", "z"), (2, "z", "y")):
        shear = P * length / (GIVEN[f"shear_factor_{axis}"] * G * GIVEN["area"])
        truth = P * length**3 / (3 * E * GIVEN[f"second_moment_{other}"]) + shear
        assert tip[k] == pytest.approx(truth, rel=1e-9)


def test_a_moment_bends_a_chain_of_beams_into_a_polygon():
    """Each beam turns by M L/EI and its chord keeps its length: six of them make half a regular dodecagon."""
    n, EI = 6, E * GIVEN["second_moment_y"]
    step = np.pi / n
    system = mb.System.from_text(chain(n, torque(f"b{n - 1}", y=-EI * step / L)))
    found = system.analyze("static", load_steps=8).position
    angles = step * (np.arange(n) + 0.5)
    truth = L * np.cumsum(np.column_stack([np.cos(angles), np.sin(angles)]), axis=0)
    np.testing.assert_allclose(found[:, ::2], truth, atol=1e-8)


@pytest.mark.parametrize(
    ("keys", "tolerance"),
    [
        ({"type": "rk", "tolerance": 1e-10}, 1e-9),
        ({"type": "galpha", "step": 2e-3, "coordinates": "joint"}, 1e-4),
    ],
)
def test_a_flying_beam_keeps_its_momentum(keys, tolerance):
    """Two bodies that tumble, the beam between them bent and damped; linear momentum to rounding."""
    text = NO_GRAVITY + body("a", mass=2, inertia=[0.1, 0.2, 0.15], velocity=[1.0, 0.5, 0.2])
    text += body("b", mass=1, inertia=[0.1, 0.1, 0.1], position=[L, 0, 0], velocity=[0, -1.0, 0.8])
    text += beam("a", "b", stiffness_damping=2e-3)
    result = mb.System.from_text(text + solver(end=1.0, **keys)).run(files=False)
    a, b = result["a"], result["b"]
    momentum = 2 * a.velocity + b.velocity
    assert np.abs(momentum - momentum[0]).max() < 1e-12
    spin = 2 * np.cross(a.position, a.velocity) + np.cross(b.position, b.velocity)
    for one, inertia in ((a, [0.1, 0.2, 0.15]), (b, [0.1, 0.1, 0.1])):
        R = Rotation.from_quat(np.roll(one.orientation, -1, axis=1))
        spin += R.apply(inertia * R.inv().apply(one.angular_velocity))
    assert np.abs(spin - spin[0]).max() < tolerance
    assert np.ptp(result.output("a_b.moment_z")) > 0.5


def test_torsion_constants_and_shear_factors_of_sections():
    """A square: 0.1405770 a⁴, 2 to 1: 0.2286816 a b³ (S. P. Timoshenko & J. N. Goodier, § 94); a circle and a
    thin tube by the polar moment; factors of G. R. Cowper for ν = 0.3: 0.8497, 0.8863, 0.5306.
    """
    from mbplugin_forces.beam_keys import rectangle, tube

    assert rectangle(0.1, 0.1, 0.3)[3] == pytest.approx(0.1405770 * 0.1**4, rel=1e-6)
    assert rectangle(0.1, 0.2, 0.3)[3] == pytest.approx(0.2286816 * 0.2 * 0.1**3, rel=1e-6)
    np.testing.assert_allclose(rectangle(0.1, 0.2, 0.3)[1:3], [0.1 * 0.2**3 / 12, 0.2 * 0.1**3 / 12])
    assert rectangle(0.1, 0.2, 0.3)[4] == pytest.approx(0.8497, abs=1e-4)
    assert tube(0.1, 0.0, 0.3)[4] == pytest.approx(0.8863, abs=1e-4)
    assert tube(0.1, 0.0999999, 0.3)[4] == pytest.approx(0.5306, abs=1e-4)
    assert tube(0.1, 0.05, 0.3)[3] == pytest.approx(np.pi / 2 * (0.1**4 - 0.05**4))


@pytest.mark.parametrize(
    ("key", "value", "keys"),
    [
        ("section", {"radus": 0.1}, {"section": {"radus": 0.1}}),
        ("section.inner", 0.2, {"section": {"radius": 0.1, "inner": 0.2}}),
        ("area", 1.0, {"section": {"radius": 0.1}, "area": 1.0}),
        ("second_moment_y", None, {"area": 1.0}),
        ("poisson", 0.7, {"poisson": 0.7, "section": {"radius": 0.1}}),
        ("a", None, {"section": {"radius": 0.1}, "b": "upright"}),
        ("length", None, {"section": {"radius": 0.1}, "b": "same"}),
    ],
)
def test_bad_keys_are_refused(runs, key, value, keys):
    text = NO_GRAVITY
    for name, position in (("level", [1, 0, 0]), ("upright", [0, 1, 0]), ("same", [0, 0, 0])):
        text += body(name, mass=1, inertia=[1, 1, 1], position=position)
    text += table("force", **({"type": "beam", "a": "ground", "b": "level", "young": E} | keys))
    with refused(f"force[0].{key}", *([] if value is None else [value])):
        runs.prepare(text)
