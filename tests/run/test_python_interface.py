"""What the Python interface refuses at once."""

import pytest

import mbplugin as mb
from mbplugin.errors import SceneError


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
