"""What the Python interface refuses at once."""

import inspect
from typing import get_args

import pytest
from child import ROOT
from refusals import has, refused
from scene_text import SCENES
from small_systems import chain
from snapshots import same_report

import mbplugin as mb
from mbplugin.model.shape import ENGINE_SHAPES


def falling():
    system = mb.System(scene={"gravity": [0, 0, -9.81]})
    system.add(mb.Body(name="ball", mass=1.0, inertia=[1, 1, 1]))
    return system


@pytest.mark.parametrize(
    ("element", "key"),
    [
        (mb.Body(name="a", type="spatal", mass=1), "body[1].type"),
        (mb.Joint(name="a", type="revolut", a="ground", b="ball"), "joint[0].type"),
        (mb.Force(name="a", type="nothing", body="ball"), "force[0].type"),
    ],
)
def test_an_unknown_type_is_refused_where_it_is_added(element, key):
    system = falling()
    with refused(key):
        system.add(element)
    assert (len(system.bodies), system.joints, system.forces) == (1, [], [])


@pytest.mark.parametrize("dt", [-0.1, float("nan"), float("inf")])
def test_a_simulation_steps_forwards_only(dt):
    simulation = falling().simulate()
    with refused("Simulation.step"):
        simulation.step(dt)
    simulation.step(0.0)
    simulation.step(0.1)
    assert simulation["ball"].position[2] == pytest.approx(-0.5 * 9.81 * 0.01, rel=1e-9)


def test_a_state_of_another_version_or_system_is_refused_and_nothing_is_lost():
    simulation = falling().simulate()
    simulation.step(0.1)
    saved = simulation.save()
    with refused("saved"):
        simulation.load({name.replace("stateful", "kept"): array for name, array in saved.items()})
    two = falling()
    two.add(mb.Body(name="stone", mass=1.0, inertia=[1, 1, 1]))
    with refused("saved.q0", (14,)):
        simulation.load(two.simulate().save())
    simulation.step(0.1)
    assert simulation["ball"].position[2] == pytest.approx(-0.5 * 9.81 * 0.04, rel=1e-9)
    simulation.load(saved)
    assert simulation.time == 0.1


def test_systems_bodies_and_simulations_say_what_they_are():
    system = mb.System.from_file(ROOT / "scenes/double_pendulum")
    simulation = system.simulate()
    simulation.step(0.25)
    box, rod = mb.Box(size=[1, 2, 3], color=[1, 0, 0]), mb.Body(name="rod", mass=1.0, inertia=[1, 1, 1])
    shown = (system, simulation, system.compile(), box, rod, inspect.signature(mb.Body))
    same_report("shown_in_python", "\n".join(map(str, (*map(repr, shown[:-1]), shown[-1]))))


def test_every_table_and_shape_of_a_scene_has_a_class_in_python():
    lists = [get_args(field.annotation) for field in mb.System.model_fields.values()]
    tables = {one for args in lists for one in args if getattr(one, "__module__", "").startswith("mbplugin")}
    for cls in {*tables, *ENGINE_SHAPES.values()}:
        assert getattr(mb, cls.__name__) is cls and cls.__name__ in dir(mb)
        assert f"`{cls.__name__}`" in (ROOT / "docs" / "python.md").read_text()
    plane, ball = mb.Plane(size=[2, 3]), mb.Sphere(radius=0.1)
    system = mb.System()
    system.add(mb.Body(name="ball", mass=1.0, inertia=[1, 1, 1], shape=[ball]))
    system.add(mb.Body(name="plate", mass=1.0, inertia=[1, 1, 1], shape=[plane]))
    assert mb.System.from_text(system.to_toml()).bodies[1].shapes[0].size == (2.0, 3.0)


def test_reports_and_problems_are_shown_as_text():
    system = mb.System.from_file(ROOT / "scenes/double_pendulum")
    assert repr(system.check()) == str(system.check())
    report = system.analyze("static")
    assert repr(report).splitlines() == ["static analysis", *report.lines()] and str(report) in repr(report)
    long = mb.System.from_text(chain(50)).analyze("acceleration")
    assert len(long.lines()) > 50 and len(repr(long).splitlines()) == 42
    assert repr(long).endswith("more; print() shows all")


def test_every_table_of_a_scene_has_a_class():
    offered = {getattr(mb, name) for name in dir(mb) if name[0].isupper()}
    assert {kind for kind, *_ in mb.System().kinds()} <= offered
    assert {type(getattr(mb.System(), name)) for name in ("scene", "solver", "output")} <= offered


def test_completion_shows_no_method_of_the_validation_library():
    offered = {*dir(mb.System()), *dir(mb.Body(name="rod"))}
    assert {"bodies", "run", "changed", "mass", "position"} <= offered
    assert not {name for name in offered if name.startswith("model_")} | offered & {
        "json",
        "dict",
        "parse_raw",
    }


def with_parameter():
    return mb.System(
        parameters={"load": 2.0},
        scene={"gravity": [0, 0, -9.81]},
        body=[{"name": "ball", "mass": "load", "inertia": [1, 1, 1]}],
    )


def test_a_simulation_refuses_attributes_that_would_do_nothing():
    simulation = with_parameter().simulate()
    with refused("Simulation.torque"):
        simulation.torque = 3.0
    with refused("Simulation.load"):
        simulation.load = 3.0
    assert not hasattr(simulation, "torque")
    simulation.step(0.1)


def test_a_problem_refuses_attributes_that_would_do_nothing():
    problem = with_parameter().compile()
    with refused("Problem.load"):
        problem.load = 3.0
    problem.set_parameter("load", 3.0)
    with refused("Problem.load"):
        problem.copy().load = 3.0


@pytest.mark.parametrize(
    ("what", "key", "value"),
    [("eigen", "positions", 5), ("static", "load_steps", 0), ("eigen", "frame", "world")],
)
def test_messages_name_keywords_and_not_options_of_the_command_line(what, key, value):
    system = mb.System.from_file(SCENES / "double_pendulum")
    with refused(key, value) as caught:
        system.analyze(what, **{key: value})
    assert "--" not in str(caught.value)


def test_so_do_those_of_runs(tmp_path):
    system = mb.System.from_file(SCENES / "double_pendulum", set={"output.frames": 2})
    with refused("end", -1.0):
        system.run(files=False, end=-1.0)
    system.run(tmp_path / "out", end=0.1)
    other = mb.System.from_file(SCENES / "double_pendulum", set={"mass": 2.0, "output.frames": 2})
    with refused("resume", str(tmp_path / "out")) as caught:
        other.run(tmp_path / "out", end=0.2, resume=True)
    assert has(str(caught.value), "resume=True")


def test_commands_in_messages_stay_commands():
    from mbplugin.errors import options_as_keywords

    assert options_as_keywords("(`mbplugin check SCENE --repairs`), or omit --resume") == (
        "(`mbplugin check SCENE --repairs`), or omit resume=True"
    )
