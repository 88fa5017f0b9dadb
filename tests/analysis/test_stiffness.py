"""K and D, assembled from elements and bodies, against differences of the whole system, at moving states
and with any multipliers.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import SCENES, body, hinge, joint, motion, table, torque
from small import hanging_chain, system
from whole_system import whole_system

import mbplugin as mb
from mbplugin.analysis.tangent.stiffness import damping, stiffness
from mbplugin.compile import compile_system
from mbplugin.hooks.load import load_plugins
from mbplugin.kernels import entries
from mbplugin.tables.groups import State
from mbplugin.testing import samples

REGISTRY = load_plugins()[0]
#: each row's truth is itself a difference, whose rounding this is
TOLERANCE = 1e-10


def agree(problem, seed=1, moving=True, own_lam=None) -> None:
    random = np.random.default_rng(seed)
    problem[State].v[:] = random.normal(size=problem.nv) * moving
    lam = random.normal(size=problem.nc) if own_lam is None else own_lam
    problem.check(entries.evaluate(problem.addresses))
    q = problem.q
    K, D = whole_system(problem, lam)
    np.testing.assert_allclose(stiffness(problem, lam), K, atol=TOLERANCE * max(1.0, np.abs(K).max()))
    np.testing.assert_allclose(damping(problem), D, atol=TOLERANCE * max(1.0, np.abs(D).max()))
    np.testing.assert_array_equal(problem.q, q)


def joints(planar: bool) -> list[str]:
    """Names of the joints of two markers."""
    kinds = {name: REGISTRY.constraint(name) for name in REGISTRY.names("constraint type")}
    related = lambda kind: kind.parameters is not None and "joints" in kind.parameters.model_fields
    has_rows = lambda kind: kind.Planar and not kind.kernel if planar else kind.basics or kind.kernel
    return [name for name, kind in kinds.items() if not related(kind) and has_rows(kind)]


@pytest.mark.parametrize(
    ("name", "planar"),
    [(name, planar) for planar in (False, True) for name in joints(planar)],
    ids=lambda value: ("planar" if value else "spatial") if isinstance(value, bool) else value,
)
def test_stiffness_and_damping_of_every_joint(name, planar):
    kind, keys = REGISTRY.constraint(name), samples.sample(REGISTRY.constraint(name))
    if name == "rope":
        # sheaves have as many radii as there are eyes: the kit tries them (tests/bounded/test_sheaves.py)
        keys = {key: value for key, value in keys.items() if key not in ("radius", "direction")}
    scene = samples.with_joint(kind, keys, np.random.default_rng(3), planar)
    agree(compile_system(scene, REGISTRY))


# forces on faces need a body with a mesh: tests/finite_elements and the kit try theirs
@pytest.mark.parametrize(
    "name", [name for name in REGISTRY.names("force element") if not REGISTRY.force(name).on_faces]
)
def test_stiffness_and_damping_of_every_force(name):
    kind = REGISTRY.force(name)
    agree(compile_system(samples.with_force(kind, samples.sample(kind), np.random.default_rng(4)), REGISTRY))


@pytest.mark.parametrize(
    "scene",
    [
        "double_pendulum_modes",
        "spring_mass_chain",
        "door_with_penalty_hinge",
        "cardan_shaft",
        "screw_jack",
        "atwood",
    ],
)
def test_stiffness_and_damping_of_scenes_with_penalties_gears_and_motions(scene):
    agree(mb.System.from_file(SCENES / scene).compile())


def test_stiffness_and_damping_of_a_chain_at_rest():
    agree(system(hanging_chain(6, 1.0, 0.6)).compile(), moving=False)


TWO = "".join(
    body(
        name,
        mass=1.3,
        inertia=[0.1, 0.2, 0.25],
        position=[x, 0.1, 0.2],
        orientation={"axis": [1, 2, 0.5], "angle": 0.4},
        marker=[{"name": "m", "position": [0.1, 0.2, 0.3]}],
    )
    + hinge(f"{name}_pin", "ground", name, at=[x, 0, 0], axis=[0, 1, 0.3])
    for name, x in (("left", 0.0), ("right", 2.0))
)


def test_forces_between_the_same_markers_add_up():
    """Two springs with dampers and a bushing; on a universal joint a damper of either angle."""
    text = body("a", mass=1, inertia=[1, 2, 3], position=[0.1, 0.2, 0.3])
    text += body("b", mass=2, inertia=[1, 2, 2], position=[0.9, -0.4, 0.5])
    for k, keys in enumerate(({"stiffness": 5.0, "damping": 0.7}, {"stiffness": 3.0, "damping": 1.1})):
        text += table("force", type="spring_damper", name=f"s{k}", a="a", b="b", **keys)
    text += table("force", type="bushing", a="a", b="b", stiffness=[4.0, 5.0, 6.0], damping=[0.1, 0.2, 0.3])
    shaft = {"damping": {"angle_x": 0.3, "angle_y": 0.8}, "stiffness": {"angle_x": 7.0, "angle_y": 9.0}}
    text += joint("shaft", "universal", "ground", "a", at=[0, 0, 0], axis=[0, 0, 1], **shaft)
    agree(system(text).compile())


def test_a_force_that_depends_on_another_body_couples_both():
    """The torque on the left body is a function of the right one's angle and rate: K and D couple bodies
    that no element joins.
    """
    text = TWO + torque("left", y="-3*sin(right_pin.angle)*left_pin.angle - 2*rate(right_pin.angle)")
    problem = system(text).compile()
    agree(problem)
    assert np.abs(stiffness(problem, np.zeros(problem.nc))[3:6, 9:12]).max() > 0.1
    assert np.abs(damping(problem)[3:6, 9:12]).max() > 0.1


def test_a_motion_that_is_a_function_of_another_coordinate():
    agree(system(TWO + motion("left_pin", angle="sin(right_pin.angle) + 0.2*time")).compile())


def test_stiffness_and_damping_of_a_gear():
    gear = table("joint", name="mesh", type="gear", joints=["left_pin", "right_pin"], radii=[0.1, 0.3])
    agree(system(TWO + gear).compile())
