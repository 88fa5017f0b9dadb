"""A compiled problem is a value: it is copied, changed and run, also by several threads, and nothing is
compiled again.
"""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import foreign_kinds
import mbplugin_least_constraint
import numpy as np
import pytest
from headless import Runs
from refusals import refused
from scene_text import NO_GRAVITY, SCENES, body, joint, solver, spring, table, world

import mbplugin as mb
from mbplugin.api import without_files
from mbplugin.codegen.compiled import compilations
from mbplugin.errors import OtherStructureError, SceneError
from mbplugin.tables.groups import Elements, State
from mbplugin.tables.spec import specs

SPRING = (
    NO_GRAVITY
    + table("parameters", stiffness=40.0, mass=2.0)
    + body("bob", mass="mass", inertia=[0.1, 0.1, 0.1], position=[1.5, 0, 0], marker=[{"name": "eye"}])
    + spring("ground", "bob.eye", stiffness="stiffness", length=1.0, name="coil")
    + solver(tolerance=1e-10, end=1.0)
    + table("output", frames=10)
)


def compiled(name: str, **changes):
    return mb.System.from_file(SCENES / name, set=changes).compile()


def assert_same_tables(one, other):
    """Every number of the tables, bit for bit."""
    for group in one.arena.places:
        for name in specs(group):
            a, b = (getattr(problem[group], name) for problem in (one, other))
            assert a.tobytes() == b.tobytes(), (group.__name__, name)


def assert_same_frames(one, other):
    for key in one.raw.attributes["frame_arrays"]:
        assert one.raw[key].tobytes() == other.raw[key].tobytes(), key


def test_a_copy_and_its_original_do_not_know_each_other():
    original = mb.System.from_text(SPRING).compile()
    before, motion = original.q, original.run()
    copy = original.copy()
    assert_same_tables(original, copy)
    copy.set_parameter("stiffness", 160.0)
    copy.set_state(0.5, 3.0 * copy.q, copy.v + 1.0)
    copy[Elements].p[:] = 7.0
    assert np.array_equal(original.q, before)
    assert_same_frames(original.run(), motion)
    other = original.copy()
    original.set_parameter("mass", 5.0)
    assert_same_frames(other.run(), motion)


def test_a_run_leaves_its_problem_as_it_is():
    problem = compiled("four_bar_n2", **{"solver.end": 0.5})
    before = problem.copy()
    problem.run()
    problem.simulate().step(0.1)
    assert_same_tables(problem, before)


def test_a_problem_with_contacts_runs_as_often_as_one_likes():
    """A run adds kernels for its contacts to its own copy of the problem."""
    changes = {"solver.end": 0.6, "output.frames": 10}
    problem = mb.System.from_file(SCENES / "bouncing_ball", set=changes).compile()
    kernels, first = len(problem.kernels), problem.run()
    assert first["ball"].velocity[-1, 2] > 0.0  # it has hit the floor
    copy = problem.copy()
    for other in (problem.run(), problem.run(), copy.run(), copy.copy().run()):
        assert_same_frames(other, first)
    assert len(problem.kernels) == kernels


@pytest.mark.parametrize("stiffness, mass", [(40.0, 2.0), (90.0, 2.0), (40.0, 0.5)])
def test_a_changed_spring_swings_with_its_new_period(stiffness, mass):
    problem = mb.System.from_text(SPRING).compile()
    problem.set_parameter("stiffness", stiffness)
    problem.set_parameter("body.bob.mass", mass)
    result = problem.run()
    x = 1.0 + 0.5 * np.cos(np.sqrt(stiffness / mass) * result.time)
    np.testing.assert_allclose(result["bob"].position[:, 0], x, atol=1e-8)


@pytest.mark.parametrize(
    "scene, key, value",
    [
        ("piston_crank", "crank", 0.051),
        ("piston_crank", "rate", 100.0),
        ("piston_crank", "rod", 0.15),
        ("piston_crank", "body.rod.shape[1].radius", 0.03),
        ("piston_crank", "joint.cylinder.at", ["crank + rod", -0.0, 0]),
        ("door_and_handle", "scene.gravity", [0.0, -0.0, -1.0]),
        ("piston_crank", "body.rod.density", 1234.5),
        ("piston_crank", "joint[0].at", [0.0, 1e-4, 0.0]),
        ("piston_crank", "scene.gravity", [0.0, 0.0, -3.0]),
        ("piston_crank", "solver.tolerance", 1e-6),
        ("double_pendulum", "mass", 3.0),
        ("three_link_plate", "mass", 4.0),
        ("andrews_squeezer", "torque", 0.02),
        ("four_bar_n2", "body[1].mass", 2.5),
        ("door_with_penalty_hinge", "body[0].mass", 31.0),
        ("bearing_friction", "scene.gravity", [0.0, 0.0, -1.0]),
        ("spring_mass_chain", "force[1].stiffness", 77.0),
        ("spring_mass_chain", "damping", 3.0),
        ("screw_jack", "pitch", 0.01),
        ("cardan_shaft", "bend", 0.3),
        ("cardan_shaft", "rate", 7.0),
        ("door_with_penalty_hinge", "joint[0].enforce.stiffness", 1e6),
        ("block_on_incline", "material[0].friction", 0.1),
        ("heavy_on_light", "heavy", 700.0),
    ],
)
def test_a_changed_problem_is_the_one_compiled_from_the_changed_scene(scene, key, value):
    problem = compiled(scene)
    before = compilations[0]
    first, second = problem.copy(), problem.copy()
    first.set_parameter(key, value)
    problem.structure.layout = None
    second.set_parameter(
        "solver.end", 0.125
    )  # makes a layout of the old numbers, which the next change fills
    layout = problem.structure.layout
    problem.set_parameter(key, value)
    assert problem.structure.layout is layout
    assert compilations[0] == before
    fresh = compiled(scene, **{key: value})
    for changed in (first, problem):
        assert_same_tables(changed, fresh)
        assert vars(changed.names).keys() == vars(fresh.names).keys()
        for name in set(vars(fresh.names)) - {"shapes", "enforced"}:
            assert getattr(changed.names, name) == getattr(fresh.names, name), name
        assert [shape.model_dump() for shape in changed.names.shapes] == [
            shape.model_dump() for shape in fresh.names.shapes
        ]


@pytest.mark.parametrize(
    "scene, key, value",
    [
        ("six_axis_arm", "body[2].mass", 7.0),
        ("stewart_platform", "scene.gravity", [0.0, 0.5, -3.0]),
        ("double_pendulum", "mass", 3.0),
    ],
)
def test_so_it_is_in_joint_coordinates(scene, key, value):
    """Also with the rows of loops that move nothing; no table is laid out again."""
    in_joints = lambda **keys: compiled(scene, **{"solver.coordinates": "joint"}, **keys)
    assert_changed_as_compiled(in_joints(), in_joints(**{key: value}), key, value)


def test_so_are_inertias_on_coordinates():
    arm = body("arm", mass=1, inertia=[1, 1, 1], position=[1, 0, 0])
    arm += joint("pin", "revolute", "ground", "arm", axis=[0, 1, 0], armature="rotor")
    arm += solver(coordinates="joint", end=1.0)
    one, other = (mb.System.from_text(table("parameters", rotor=a) + arm).compile() for a in (0.5, 2.0))
    assert_changed_as_compiled(one, other, "rotor", 2.0)


def assert_changed_as_compiled(problem, fresh, key, value):
    before = compilations[0]
    problem.set_parameter("solver.end", 0.125)
    layouts = [one.structure.layout for one in stepped_forms(problem)]
    problem.set_parameter(key, value)
    assert compilations[0] == before
    for one, layout, other in zip(stepped_forms(problem), layouts, stepped_forms(fresh)):
        assert one.structure.layout is layout
        assert_same_tables(one, other)
    assert_same_frames(problem.run(0.01), fresh.run(0.01))


def stepped_forms(problem):
    """A problem in joint coordinates, with all rows and as it is stepped."""
    joint = problem.source.prepared.joint
    return [joint.whole, joint.problem]


def test_a_change_reaches_what_mentions_it_and_nothing_else():
    system = mb.System.from_file(SCENES / "piston_crank")
    same = lambda key, value: [a is b for a, b in zip(system.changed(key, value).bodies, system.bodies)]
    assert same("rate", 1.0) == [True, True, True]
    assert same("offset", 0.03) == [True, True, False]
    assert same("body.rod.density", 1.0) == [True, False, True]
    assert same("scene.gravity", [0.0, -1.0, 0.0]) == [False, False, False]
    crank = system.changed("crank", 0.05).body("crank")
    assert [a is b for a, b in zip(crank.shapes, system.body("crank").shapes)] == [True, False]
    # equal numbers with other bits, and equal values of which one is no number
    assert np.signbit(system.changed("offset", 0.0).changed("offset", -0.0).parameters["offset"])
    at = system.changed("joint.cylinder.at", [0.0, 0.0, 0.0]).changed("joint.cylinder.at", [0.0, -0.0, 0.0])
    assert np.signbit(at.joint("cylinder").at[1])
    with refused("--set body[1].density", True):
        system.changed("body.rod.density", 1.0).changed("body.rod.density", True)


def test_changes_add_up_and_a_scene_changed_in_python_keeps_its_expressions():
    system = mb.System.from_file(SCENES / "piston_crank")
    system.output = {"frames": 4}
    problem = system.compile()
    problem.set_parameter("crank", 0.05)
    problem.set_parameter("rate", 200.0)
    fresh = compiled("piston_crank", crank=0.05, rate=200.0, **{"output.frames": 4})
    assert_same_tables(problem, fresh)
    assert_same_frames(problem.run(), fresh.run())


@pytest.mark.parametrize(
    "key, value, at, kind",
    [
        ("joint[1].type", "revolute", "joint[1].type", OtherStructureError),
        ("body.rod.name", "bar", "joint[1].b", SceneError),
        ("joint[2].a", "crank", "joint[2].a", OtherStructureError),
        ("solver.method", "kkt", "solver.method", OtherStructureError),
        ("crnk", 1.0, "crnk", SceneError),
        ("body.rodd.mass", 1.0, "body.rodd.mass", SceneError),
        ("body.rod.density", -1.0, "--set body[1].density", SceneError),
    ],
)
def test_what_cannot_be_changed_is_refused_by_name_and_nothing_is_changed(key, value, at, kind):
    problem = compiled("piston_crank")
    before = problem.copy()
    with refused(at, kind=kind):
        problem.set_parameter(key, value)
    assert_same_tables(problem, before)


def test_a_constant_that_becomes_zero_stays_a_problem_of_this_structure():
    problem = compiled("piston_crank")
    problem.set_parameter("rate", 0.0)
    assert_same_tables(problem, compiled("piston_crank", rate=0.0))


def test_two_threads_give_the_bits_of_one():
    problem = compiled("piston_crank")

    def point(crank):
        changed = problem.copy()
        changed.set_parameter("crank", crank)
        return changed.run(0.005)

    cranks = np.linspace(0.04, 0.046, 8)
    alone = [point(crank) for crank in cranks]
    with ThreadPoolExecutor(2) as transient:
        together = list(transient.map(point, cranks))
    for one, other in zip(alone, together):
        assert_same_frames(one, other)
    assert len({result.joint("main_bearing").force.tobytes() for result in alone}) == len(cranks)


@pytest.mark.parametrize(
    "keys, force",
    [({"method": "least_constraint"}, "spring_damper"), ({}, "foreign_plain_spring")],
    ids=["method in numpy", "force in plain Python"],
)
@pytest.mark.filterwarnings("ignore::mbplugin.codegen.compiled.PythonKernelWarning")
def test_callbacks_in_plain_python_are_right_in_threads(keys, force):
    """Compiled loops run without the interpreter's lock; what they call in Python takes it."""
    runs = Runs.offering(foreign_kinds=foreign_kinds, least=mbplugin_least_constraint)
    eye = [{"name": "eye"}]
    text = (
        body("bob", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0], marker=eye)
        + table("force", type=force, a="ground", b="bob.eye", stiffness=40.0, length=0.3)
        + solver(tolerance=1e-8, end=0.3, **keys)
        + table("output", frames=6)
    )
    prepared = runs.prepare(text)
    whole = lambda number: without_files(prepared.with_problem(prepared.problem.copy()), None).raw
    alone = whole(0)
    with ThreadPoolExecutor(2) as transient:
        for other in transient.map(whole, range(4)):
            assert other["bodies/position"].tobytes() == alone["bodies/position"].tobytes()
    assert np.ptp(alone["bodies/position"][:, 0, 0]) > 0.01


def test_a_copied_problem_keeps_its_state():
    problem = compiled("double_pendulum")
    problem.set_state(0.0, problem.q, problem.v + 0.25)
    assert np.array_equal(problem.copy()[State].v, problem.v)


def test_other_threads_go_on_while_a_compiled_loop_runs():
    """A call of a tenth of a second: with the interpreter's lock held, nothing would be counted meanwhile."""
    prepared = mb.api.prepare(mb.System.from_file(SCENES / "four_bar_n2"), mb.api.plugins()[0])
    integrator = prepared.start(1e4)
    during: list[int] = []

    def one_call():
        before = counted[0]
        integrator.advance(1e4, np.inf, 20_000)
        during.append(counted[0] - before)

    counted = [0]
    with ThreadPoolExecutor(1) as transient:
        call = transient.submit(one_call)
        while not call.done():
            counted[0] += 1
    assert during[0] > 1000


def test_points_of_a_sweep_leave_no_garbage():
    problem = compiled("piston_crank", **{"output.frames": 10})

    def point(value):
        changed = problem.copy()
        changed.set_parameter("crank", value)
        return changed.run(1e-3).joint("main_bearing").force.max()

    for value in (0.04, 0.041):  # makes what is kept
        point(value)
    left = []
    for value in (0.042, 0.043, 0.044):  # threads of others may leave some beside one point
        gc.collect()
        gc.disable()
        try:
            point(value)
            left.append(gc.collect())
        finally:
            gc.enable()
    assert min(left) == 0


def test_weight_follows_the_density_of_a_mesh():
    """A block of one element falls by ½ g t², whatever its density."""
    text = world(gravity=[0, 0, -9.81]) + table(
        "material", name="rubber", density=1000, young=1e6, poisson=0.3
    )
    mesh = {"shape": "box", "size": [0.1, 0.1, 0.1], "divisions": [1, 1, 1]}
    text += body("block", type="finite_element", material="rubber", mesh=mesh) + solver(end=0.01)
    problem = mb.System.from_text(text).compile()
    problem.set_parameter("material.rubber.density", 1500.0)
    assert problem.run()["block"].center_of_mass[-1, 2] == pytest.approx(-0.5 * 9.81 * 1e-4, rel=1e-9)
