"""What the Python interface refuses at once."""

import inspect
from typing import get_args

import pytest
from child import ROOT
from scene_text import SCENES
from small_systems import chain

import mbplugin as mb
from mbplugin.errors import SceneError
from mbplugin.model.shape import ENGINE_SHAPES


def falling():
    system = mb.System(scene={"gravity": [0, 0, -9.81]})
    system.add(mb.Body(name="ball", mass=1.0, inertia=[1, 1, 1]))
    return system


@pytest.mark.parametrize(
    "element, message",
    [
        (mb.Body(name="a", type="spatal", mass=1), r'body\[1\]\.type = "spatal": .*did you mean "spatial"'),
        (mb.Joint(name="a", type="revolut", a="ground", b="ball"), r'joint\[0\]\.type .*"revolute"'),
        (mb.Force(name="a", type="nothing", body="ball"), r"force\[0\]\.type .*known: force, gravity"),
    ],
)
def test_an_unknown_type_is_refused_where_it_is_added(element, message):
    system = falling()
    with pytest.raises(SceneError, match=message):
        system.add(element)
    assert (len(system.bodies), system.joints, system.forces) == (1, [], [])


@pytest.mark.parametrize("dt", [-0.1, float("nan"), float("inf")])
def test_a_simulation_steps_forwards_only(dt):
    simulation = falling().simulate()
    with pytest.raises(SceneError, match=r"Simulation\.step = .*must be 0 or more, and finite"):
        simulation.step(dt)
    simulation.step(0.0)
    simulation.step(0.1)
    assert simulation["ball"].position[2] == pytest.approx(-0.5 * 9.81 * 0.01, rel=1e-9)


def test_systems_bodies_and_simulations_say_what_they_are():
    system = mb.System.from_file(ROOT / "scenes/double_pendulum")
    assert repr(system) == 'System "double_pendulum": 2 bodies, 2 joints; solver "rk"'
    simulation = system.simulate()
    simulation.step(0.25)
    assert repr(simulation) == f"Simulation at t = 0.25 s of {system!r}"
    assert (
        repr(mb.Box(size=[1, 2, 3], color=[1, 0, 0]))
        == "Box(color=(1.0, 0.0, 0.0), type='box', size=(1.0, 2.0, 3.0))"
    )
    body = mb.Body(name="rod", mass=1.0, inertia=[1, 1, 1])
    assert repr(body) == "Body(name='rod', type='spatial', mass=1.0, inertia=(1.0, 1.0, 1.0))"


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
    assert (
        repr(system.compile()) == "Problem: 2 bodies, 2 joints and motions; 12 velocities, 10 constraint rows"
    )
    assert repr(system.check()) == str(system.check())
    report = system.analyze("static")
    assert repr(report).splitlines() == ["static analysis", *report.lines()] and str(report) in repr(report)
    long = mb.System.from_text(chain(50)).analyze("acceleration")
    assert len(long.lines()) > 50 and len(repr(long).splitlines()) == 42
    assert repr(long).endswith("more; print() shows all")


def test_the_signature_of_a_table_has_its_keys_and_no_annotations():
    shown = str(inspect.signature(mb.Body))
    assert shown.startswith("(*, position=(0.0, 0.0, 0.0), orientation=None, name, type='spatial', mass=None")
    assert "Annotated" not in shown and "raw" not in shown and "shape=()" in shown


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
    with pytest.raises(SceneError, match=r"Simulation\.torque.*set_parameter"):
        simulation.torque = 3.0
    with pytest.raises(SceneError, match=r'Simulation\.load.*problem\.set_parameter\("load"'):
        simulation.load = 3.0
    assert not hasattr(simulation, "torque")
    simulation.step(0.1)


def test_a_problem_refuses_attributes_that_would_do_nothing():
    problem = with_parameter().compile()
    with pytest.raises(SceneError, match=r"Problem\.load.*set_parameter"):
        problem.load = 3.0
    problem.set_parameter("load", 3.0)
    with pytest.raises(SceneError, match=r"Problem\.load.*set_parameter"):
        problem.copy().load = 3.0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"what": "static", "positions": 5},
            "positions = 5: is an option of kinematic, inverse, not of static",
        ),
        ({"what": "static", "load_steps": 0}, "load_steps = 0: must be from 1"),
        ({"what": "eigen", "frame": "world"}, 'frame = "world": needs about="motion"'),
    ],
)
def test_messages_name_keywords_and_not_options_of_the_command_line(options, says):
    system = mb.System.from_file(SCENES / "double_pendulum")
    with pytest.raises(SceneError) as caught:
        system.analyze(**options)
    assert says in str(caught.value) and "--" not in str(caught.value)


def test_so_do_those_of_runs(tmp_path):
    system = mb.System.from_file(SCENES / "double_pendulum", set={"output.frames": 2})
    with pytest.raises(SceneError, match=r"^end = -1\.0: must be greater than 0"):
        system.run(files=False, end=-1.0)
    system.run(tmp_path / "out", end=0.1)
    other = mb.System.from_file(SCENES / "double_pendulum", set={"mass": 2.0, "output.frames": 2})
    with pytest.raises(SceneError, match=r"^resume = .*another scene; .* omit resume=True to replace it"):
        other.run(tmp_path / "out", end=0.2, resume=True)


def test_commands_in_messages_stay_commands():
    from mbplugin.errors import in_python

    assert in_python("(`mbplugin check SCENE --repairs`), or omit --resume") == (
        "(`mbplugin check SCENE --repairs`), or omit resume=True"
    )
