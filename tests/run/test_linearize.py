"""Linear models: A, B, C and D against closed forms, and against K and D of the eigen analysis."""

import json

import numpy as np
import pytest
from child import inside
from refusals import refused, stopped

import mbplugin as mb
from mbplugin.errors import PhysicsError

M, m, l, I, c, g = 2.0, 0.5, 0.3, 0.02, 0.7, 9.81
CART = f"""
[[input]]
name = "push"
unit = "N"
[[input]]
name = "wind"
[[body]]
name = "cart"
mass = {M}
inertia = [0.01, 0.01, 0.01]
[[body]]
name = "pole"
mass = {m}
inertia = [{I}, {I}, 0.001]
position = [0, 0, {l}]
[[joint]]
name = "slider"
type = "translational"
a = "ground"
b = "cart"
axis = [1, 0, 0]
damping = {c}
[[joint]]
name = "hinge"
type = "revolute"
a = "cart"
b = "pole"
at = [0, 0, 0]
axis = [0, 1, 0]
[[force]]
type = "joint_force"
joint = "slider"
force = "push"
[[force]]
type = "force"
body = "pole"
force_x = "wind"
"""


def of_cart():
    """Closed form: (M + m) ẍ + m l θ̈ = u − c ẋ + w,   m l ẍ + (I + m l²) θ̈ = m g l θ + w l."""
    inverse = np.linalg.inv([[M + m, m * l], [m * l, I + m * l * l]])
    A, B = np.zeros((4, 4)), np.zeros((4, 2))
    A[:2, 2:] = np.eye(2)
    A[2:, 1], A[2:, 2] = inverse @ [0, m * g * l], inverse @ [-c, 0]
    B[2:, 0], B[2:, 1] = inverse @ [1, 0], inverse @ [1, l]
    return A, B


def test_a_cart_with_a_pole_has_the_matrices_of_its_closed_form():
    linear = mb.System.from_text(CART).linearize(["hinge.angle", "pole.position.x", "cart.acceleration.x"])
    A, B = of_cart()
    assert linear.states == ["slider.length", "hinge.angle", "rate(slider.length)", "rate(hinge.angle)"]
    np.testing.assert_allclose(linear.A, A, atol=1e-9)
    np.testing.assert_allclose(linear.B, B, atol=1e-10)
    np.testing.assert_allclose(linear.C, [[0, 1, 0, 0], [1, l, 0, 0], A[2]], atol=1e-9)
    np.testing.assert_allclose(linear.D, [[0, 0], [0, 0], B[2]], atol=1e-10)
    assert linear.error < 1e-8
    assert linear.units["hinge.angle"] == "rad" and linear.units["push"] == "N"
    one = mb.System.from_text(CART).linearize(inputs=["wind"])
    np.testing.assert_array_equal(one.B[:, 0], linear.B[:, 1])
    assert one.outputs == ["coordinate.slider.length.value", "coordinate.hinge.angle.value"]


def test_a_marker_is_an_output():
    """The end of the pole at 2 l moves by x + 2 l θ."""
    text = CART.replace(
        "position = [0, 0, 0.3]",
        'position = [0, 0, 0.3]\nmarker = [{ name = "end", position = [0, 0, 0.3] }]',
    )
    linear = mb.System.from_text(text).linearize(outputs=["pole.end.position.x"])
    assert linear.C[0, :2] == pytest.approx([1.0, 2.0 * l], abs=1e-6)


def test_a_regulator_designed_with_it_holds_the_pole_up():
    from scipy.linalg import solve_continuous_are

    system = mb.System.from_text(
        CART.replace("axis = [0, 1, 0]", "axis = [0, 1, 0]\nstart = { angle = 0.2 }", 1)
    )
    A, B, _, _ = mb.System.from_text(CART).linearize(inputs=["push"])
    K = B.T @ solve_continuous_are(A, B, np.eye(4), np.eye(1))
    simulation = system.simulate()

    def control(simulation):
        x, angle = (simulation.coordinate(name) for name in ("slider.length", "hinge.angle"))
        state = np.array([x.value, angle.value, x.speed, angle.speed])
        simulation.inputs["push"] = float((-K @ state)[0])

    simulation.run(15.0, control=control, every=0.01)
    assert abs(simulation.coordinate("hinge.angle").value) < 1e-4


PID = """
[[input]]
name = "goal"
[[state]]
name = "sum"
rate = "goal - axle.angle"
[[body]]
name = "wheel"
mass = 1
inertia = [0.1, 0.1, 0.2]
[[joint]]
name = "axle"
type = "revolute"
a = "ground"
b = "wheel"
axis = [0, 0, 1]
[[force]]
type = "joint_force"
joint = "axle"
torque = "5*sum + 20*(goal - axle.angle) - 3*rate(axle.angle)"
"""


def test_inner_states_are_states_of_the_model():
    linear = mb.System.from_text(PID).linearize()
    assert linear.states == ["axle.angle", "rate(axle.angle)", "sum"]
    np.testing.assert_allclose(linear.A, [[0, 1, 0], [-100, -15, 25], [-1, 0, 0]], atol=1e-8)
    np.testing.assert_allclose(linear.B, [[0], [100], [1]], atol=1e-8)


@pytest.mark.parametrize("scene", ["double_pendulum", "four_bar_n2"])
def test_its_poles_are_those_of_the_eigen_analysis(scene):
    """K and D of kernels in closed form, loops and redundant joints included."""
    system = mb.System.from_file(f"scenes/{scene}")
    modes = system.analyze("eigen", about="static").modes
    squares = np.sort_complex(system.linearize(about="static").poles ** 2)
    expected = np.sort_complex([mode.s**2 for mode in modes for _ in range(2)])
    np.testing.assert_allclose(squares, expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"inputs": ["pusch"]}, "inputs"),
        ({"outputs": ["hinge.angel"]}, "what"),
        ({"about": "moving"}, "about"),
    ],
)
def test_names_that_do_not_exist_are_refused(options, key):
    with refused(key):
        mb.System.from_text(CART).linearize(**options)


def test_what_is_no_equilibrium_or_cannot_move_is_refused():
    leaning = CART.replace("axis = [0, 1, 0]", "axis = [0, 1, 0]\nstart = { angle = 0.2 }")
    with stopped(PhysicsError, "hinge.angle"):
        mb.System.from_text(leaning).linearize()
    locked = PID.replace('"revolute"', '"fixed"').replace("axle.angle", "time*0")
    locked = locked.split("[[force]]")[0]
    with stopped(PhysicsError, 0):  # the mobility
        mb.System.from_text(locked).linearize()


def test_the_command_writes_a_file_of_the_model(tmp_path):
    from scipy.io import loadmat

    (tmp_path / "cart.toml").write_text(CART)
    words = ["linearize", "cart.toml", "-y", "hinge.angle", "-u", "push", "-o"]
    for name, read in {
        "cart.json": lambda file: json.loads(file.read_text()),
        "cart.npz": np.load,
        "cart.mat": loadmat,
    }.items():
        done = inside(*words, name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "rate(hinge.angle) [rad/s]" in done.stdout and "damping ratio" in done.stdout
        np.testing.assert_allclose(np.array(read(tmp_path / name)["A"]), of_cart()[0], atol=1e-9)
    wrong = inside(*words, "cart.txt", cwd=tmp_path)
    assert wrong.returncode == 2 and "must end in" in wrong.stderr


OSCILLATOR = """
[scene]
gravity = [0, 0, 0]
[[input]]
name = "push"
unit = "N"
[[body]]
name = "block"
mass = 2.0
inertia = [1, 1, 1]
[[joint]]
name = "rail"
type = "translational"
a = "ground"
b = "block"
axis = [1, 0, 0]
stiffness = 50.0
damping = {damping}
[[force]]
type = "joint_force"
joint = "rail"
force = "push"
"""


def test_an_oscillator_answers_to_its_frequencies(tmp_path):
    """1/(k − m ω² + i c ω); at its pole an undamped one has no answer."""
    linear = mb.System.from_text(OSCILLATOR.format(damping=3.0)).linearize()
    f = np.array([0.01, 0.5, 0.8, 2.0, 30.0])
    w = 2 * np.pi * f
    found = linear.frequency_response(f)
    assert found.shape == (5, 1, 1)
    np.testing.assert_allclose(found[:, 0, 0], 1 / (50 - 2 * w**2 + 3j * w), rtol=1e-9)
    bare = mb.System.from_text(OSCILLATOR.format(damping=0.0)).linearize()
    bare.A[:] = [[0, 1], [-25, 0]]
    pole = bare.frequency_response([5 / (2 * np.pi), 1.0])[:, 0, 0]
    assert not np.isfinite(pole[0]) or abs(pole[0]) > 1e12
    assert pole[1] == pytest.approx(1 / (50 - 2 * (2 * np.pi) ** 2), rel=1e-9)


def test_a_run_settles_to_the_response(tmp_path):
    """Amplitude and phase of a run of a damped one, driven at 0.9 Hz."""
    damping, f = 6.0, 0.9
    text = OSCILLATOR.format(damping=damping)
    response = mb.System.from_text(text).linearize().frequency_response(f)[0, 0, 0]
    driven = text.replace('[[input]]\nname = "push"\nunit = "N"\n', "").replace(
        'force = "push"', f'force = "cos(2*pi*{f}*time)"'
    )
    driven += "[solver]\ntolerance = 1e-10\nend = 20.0\n[output]\nframes = 400\n"
    result = mb.System.from_text(driven).run(files=False)
    late = result.time > 15.0
    x = result.coordinate("rail.length").value[late]
    expected = (response * np.exp(2j * np.pi * f * result.time[late])).real
    np.testing.assert_allclose(x, expected, atol=1e-8)


def test_the_command_draws_the_response(tmp_path):
    (tmp_path / "spring.toml").write_text(OSCILLATOR.format(damping=3.0))
    done = inside("linearize", "spring.toml", "--bode", "bode.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "bode.png").read_bytes().startswith(b"\x89PNG")
    wrong = inside("linearize", "spring.toml", "--bode", "bode.txt", cwd=tmp_path)
    assert wrong.returncode == 2 and "--bode" in wrong.stderr
