"""Arrays and tables of a scene in kernels of third parties: a cam, springs, an array of any length."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from child import command, distribution
from derivatives import check_rows
from foreign_kinds import Cam, Cogging, MatrixSpring, TableSpring
from refusals import has, refused, stopped
from scene_text import NO_GRAVITY, body, joint, motion, solver, table, world
from scipy.integrate import quad
from scipy.special import ellipk
from snapshots import same_report

from mbplugin.codegen import compiled
from mbplugin.errors import PluginError
from mbplugin.hooks.offered import check_parameters
from mbplugin.math.spline import spline, spline_integral
from mbplugin.model.tabulated import SplineTable
from mbplugin.stepping.loop import advance
from mbplugin.testing import check_constraint, check_force

LIFT, SPEED, MASS, GRAVITY = 0.02, 7.0, 0.4, 9.81


def harmonic(n):
    """f = ½ L (1 − cos θ) at n + 1 angles of a turn."""
    theta = np.linspace(0.0, 2.0 * np.pi, n + 1)
    return {"x": theta, "y": 0.5 * LIFT * (1.0 - np.cos(theta))}


def machine(profile, **of_motion):
    """A cam that turns at constant speed, and a follower in a vertical guide."""
    markers = [{"name": "guide", "orientation": {"x": [1, 0, 0], "z": [0, -1, 0]}}]
    return (
        world(gravity=[0, 0, -GRAVITY], marker=markers)
        + body(
            "cam",
            mass=1,
            inertia=[1e-3] * 3,
            marker=[{"name": "disc", "orientation": {"x": [1, 0, 0], "z": [0, -1, 0]}}],
        )
        + body("follower", mass=MASS, inertia=[1e-3] * 3, marker=[{"name": "foot"}])
        + joint("shaft", "revolute", "ground", "cam", axis=[0, -1, 0])
        + joint("slide", "translational", "ground", "follower", axis=[0, 0, 1])
        + table(
            "joint",
            name="cam",
            type="foreign_cam",
            markers=["ground.guide", "cam.disc", "follower.foot"],
            profile=profile,
        )
        + motion("shaft", **(of_motion or {"angle_velocity": SPEED}))
        + solver(tolerance=1e-10, end=1.0)
    )


def check_follower(frames, times):
    """z = ½ L (1 − cos Ωt); the drive gives what lifts and accelerates the follower: τ = f'(θ) m (g + z̈)."""
    for t, frame in zip(times, frames):
        c, s = np.cos(SPEED * t), np.sin(SPEED * t)
        z, v, a = 0.5 * LIFT * (1.0 - c), 0.5 * LIFT * SPEED * s, 0.5 * LIFT * SPEED**2 * c
        np.testing.assert_allclose(frame["bodies/position"][1, 2], z, atol=1e-9)
        np.testing.assert_allclose(frame["bodies/velocity"][1, 2], v, atol=1e-7)
        np.testing.assert_allclose(frame["bodies/acceleration"][1, 2], a, atol=3e-5)
        torque = 0.5 * LIFT * s * MASS * (GRAVITY + a)
        np.testing.assert_allclose(frame["coordinates/drive"][0], torque, atol=1e-6)


TIMES = np.array([0.1, 0.5, 1.0])  # more than a turn


def test_a_harmonic_cam_lifts_its_follower(runs):
    check_follower(runs.frames(machine(harmonic(360)), TIMES), TIMES)


def test_a_cam_from_a_file_in_degrees_and_millimetres(runs, tmp_path, monkeypatch):
    table_ = harmonic(360)
    rows = "".join(
        f"{x!r},{y!r}\n" for x, y in zip(np.degrees(table_["x"]).tolist(), (1e3 * table_["y"]).tolist())
    )
    (tmp_path / "cam.csv").write_text(f"angle [deg],lift [mm]\n{rows}")
    monkeypatch.chdir(tmp_path)
    check_follower(runs.frames(machine("cam.csv"), TIMES), TIMES)


def test_its_rows_are_derivatives(runs):
    check_rows(runs.prepare(machine(harmonic(24), angle=0.0)).problem)


def test_the_spline_converges_with_the_fourth_power_of_the_spacing():
    error = []
    for n in (20, 40):
        of = SplineTable(tuple(harmonic(n)["x"]), tuple(harmonic(n)["y"]), "periodic")
        error.append(max(abs(of(x)[0] - 0.5 * LIFT * (1.0 - np.cos(x))) for x in np.linspace(0, 6, 301)))
    assert np.log2(error[0] / error[1]) == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("ends", ["not-a-knot", "natural", "clamped", "periodic"])
def test_splines_repeat_or_go_on_straight_and_their_integral_is_one(ends):
    x, y = np.array([0.0, 0.5, 1.2, 2.0]), np.array([1.0, 0.2, -0.4, 1.0])
    of = SplineTable(tuple(x), tuple(y), ends)
    for at in (-2.7, -0.3, 0.0, 0.7, 2.0, 2.4, 5.1):
        assert of.integral(at) == pytest.approx(
            quad(lambda s: of(s)[0], 0.0, at, points=x, limit=500)[0], abs=1e-7
        )
        assert spline(of.numbers, at) == of(at) and spline_integral(of.numbers, at) == of.integral(at)
    if ends == "periodic":
        assert of(-0.3) == pytest.approx(of(3.7)) and of(2.0)[1:] == pytest.approx(of(0.0)[1:])
    else:
        assert of(2.4)[0] == pytest.approx(1.0 + 0.4 * of(2.0)[1]) and of(2.4)[2] == 0.0
        slope = {"clamped": 0.0}.get(ends, of(0.0)[1])
        assert of(0.0)[1] == pytest.approx(slope, abs=1e-12)
        assert ends != "natural" or of(0.0)[2] == pytest.approx(0.0, abs=1e-12)


def swinging(force, start, end):
    return (
        NO_GRAVITY
        + body("b", mass=2.0, inertia=[2.0, 2.0, 2.0])
        + joint("guide", "translational", "ground", "b", axis=[1, 2, 2], start={"length": start})
        + table("force", name="spring", type="foreign_table_spring", joint="guide", force=force)
        + solver(tolerance=1e-11, end=end)
    )


def test_a_spring_by_table_swings_with_the_period_of_its_law(runs):
    """Duffing, m ẍ = −α x − β x³ from rest at A: T = 4 K(k²)/ω, ω² = (α + β A²)/m, k² = β A²/(2 m ω²).

    A cubic is its own spline.
    """
    A, alpha, beta, m = 0.7, 3.0, 8.0, 2.0
    omega = np.sqrt((alpha + beta * A**2) / m)
    period = 4.0 * ellipk(beta * A**2 / (2.0 * m * omega**2)) / omega
    x = np.array([-1.0, -0.4, 0.1, 0.5, 1.0])
    half, full = runs.frames(
        swinging({"x": x, "y": alpha * x + beta * x**3}, A, period), [period / 2, period]
    )
    assert half["coordinates/value"][0] == pytest.approx(-A, abs=1e-9)
    assert full["coordinates/value"][0] == pytest.approx(A, abs=1e-9)
    assert abs(float(full["energy/balance"])) < 1e-9


def test_tables_and_arrays_of_any_length_are_compiled_once(runs):
    def run(n):
        x = np.linspace(-1.0, 1.0, n)
        scene = swinging({"x": x, "y": 3.0 * x}, 0.5, 0.1) + joint(
            "hinge", "revolute", "ground", "c", axis=[0, 0, 1]
        )
        scene += body("c", mass=1.0, inertia=[1.0, 1.0, 1.0])
        scene += table("force", name="cogging", type="foreign_cogging", joint="hinge", amplitudes=[0.1] * n)
        runs.frames(scene, [0.1])

    run(4)
    before = len(compiled._made), compiled.compilations[0], len(advance.signatures)
    run(90)
    assert (len(compiled._made), compiled.compilations[0], len(advance.signatures)) == before


def test_an_array_of_any_length_is_summed(runs):
    """From rest the acceleration is the torque over the inertia."""
    amplitudes = [0.3, -0.7, 0.2, 0.9]
    scene = (
        NO_GRAVITY
        + body("c", mass=1.0, inertia=[1.0, 1.0, 2.0])
        + joint("hinge", "revolute", "ground", "c", axis=[0, 0, 1], start={"angle": 0.8})
        + table("force", name="cogging", type="foreign_cogging", joint="hinge", amplitudes=amplitudes)
        + solver(end=0.1)
    )
    (frame,) = runs.frames(scene, [0.0])
    torque = sum(a * np.sin(k * 0.8) for k, a in enumerate(amplitudes, 1))
    assert frame["bodies/angular_acceleration"][0, 2] == pytest.approx(torque / 2.0, rel=1e-12)


def test_a_matrix_with_what_defaults_derives_swings_at_its_frequencies(runs):
    """m ü = −K u: u(t) = V cos(ω t) Vᵀ u₀ + V sin(ω t)/ω Vᵀ u̇₀, with rest where the body begins: u₀ = 0."""
    K, m, v = (
        np.array([[50.0, 10.0, 2.0], [10.0, 30.0, 4.0], [2.0, 4.0, 20.0]]),
        2.0,
        np.array([0.3, -0.2, 0.5]),
    )
    scene = (
        NO_GRAVITY
        + body("b", type="point", mass=m, position=[1.0, 2.0, 3.0], velocity=v)
        + table("force", name="s", type="foreign_matrix_spring", a="ground", b="b", stiffness=K)
        + solver(tolerance=1e-11, end=1.0)
    )
    (frame,) = runs.frames(scene, [1.0])
    squares, V = np.linalg.eigh(K / m)
    omega = np.sqrt(squares)
    u = V @ (np.sin(omega) / omega * (V.T @ v))
    np.testing.assert_allclose(frame["bodies/position"][0], np.array([1.0, 2.0, 3.0]) + u, atol=1e-9)


@pytest.mark.parametrize("kind", [Cogging, MatrixSpring, TableSpring])
def test_the_kit_tries_springs_with_arrays(kind):
    report = check_force(kind)
    assert report.ok, f"\n{report}"


def test_the_kit_tries_the_cam():
    report = check_constraint(Cam)
    assert report.ok, f"\n{report}"


GOOD = {"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 0.0]}


@pytest.mark.parametrize(
    ("profile", "key"),
    [
        ({**GOOD, "y": [0.0, 1.0]}, "joint[2].profile.x"),
        ({**GOOD, "x": [0.0, 2.0, 1.0]}, "joint[2].profile.x"),
        ({**GOOD, "y": [0.0, "nan", 1.0]}, "joint[2].profile.y[1]"),
        ({**GOOD, "y": [0.0, 1.0, 2.0]}, "joint[2].profile.y"),
        ({**GOOD, "units": ["deg"]}, "joint[2].profile.units"),
        ({**GOOD, "units": ["deg", "inch"]}, "joint[2].profile.units"),
        ({**GOOD, "z": 1}, "joint[2].profile.z"),
        ({"x": [0.0, 1.0, 2.0]}, "joint[2].profile.y"),
        ({**GOOD, "y": 3.0}, "joint[2].profile.y"),
        (3.0, "joint[2].profile"),
        (None, "joint[2].profile"),
    ],
)
def test_a_bad_table_is_told_by_its_key(runs, profile, key):
    with refused(key):
        runs.prepare(machine(profile))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (None, ""),
        ("0,1\n1,2\n2,1\n", ""),
        ("x,y\n0,1\n1,2\n2,1\n", ""),
        ("x [rad],y [inch]\n0,1\n1,2\n2,1\n", '"inch"'),
        ("x [rad],y [m]\n0,1\n2,2\n1,1\n", "line 4"),
        ("x [rad],y [m]\n0,1\n1,nan\n2,1\n", "line 3"),
        ("x [rad],y [m]\nnan,1\n1,2\n2,1\n", "line 2"),
        ("x [rad],y [m]\n0,1\n1\n2,1\n", "line 3"),
        ("x [rad],y [m]\n0,1\nend\n2,1\n", "line 3"),
        ("x [rad],y [m]\n0,1\n1,2\n", "2 lines"),
        ("x [rad],y [m]\n0,1\n1,2\n2,3\n", ""),
    ],
)
def test_a_bad_file_is_told_by_key_and_line(runs, tmp_path, monkeypatch, text, line):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "cam.csv").write_text(text)
    with refused("joint[2].profile") as caught:
        runs.prepare(machine("cam.csv"))
    assert has(str(caught.value), line)


@pytest.mark.parametrize(
    ("stiffness", "key"),
    [
        ([1, 2, 3], "[0]"),
        ([[1, 2, 3]], ""),
        ([[1, 2, 3], [1, 2], [1, 2, 3]], "[1]"),
        ([[1, 2, 3], [1, True, 3], [1, 2, 3]], "[1][1]"),
        (5.0, ""),
    ],
)
def test_a_bad_matrix_is_told_by_its_entry(runs, stiffness, key):
    scene = body("b", type="point", mass=1.0) + table(
        "force", name="s", type="foreign_matrix_spring", a="ground", b="b", stiffness=stiffness
    )
    with refused(f"force[0].stiffness{key}"):
        runs.prepare(scene + solver(end=1.0))


def test_a_wrong_array_of_defaults_is_told(runs):
    class Wrong(MatrixSpring):
        name = "wrong"

        @classmethod
        def defaults(cls, params, markers):
            return params.model_copy(update={"rest": [1.0, 2.0]})

    with stopped(PluginError, "rest", 3):
        check_force(Wrong)


def test_a_key_without_a_mark_is_refused():
    class Keys(MatrixSpring.parameters):
        rest: list[float] = []

    class Unmarked(MatrixSpring):
        parameters = Keys

    with stopped(PluginError, "p.rest"):
        check_parameters("force element", "unmarked", Unmarked)
    check_parameters("force element", "marked", MatrixSpring)
    with stopped(PluginError, '"law"', "p.stiffness"):
        check_parameters("enforcement", "law", MatrixSpring)  # a law of rows gets numbers only


HOOK = """

from mbplugin.interface import hookimpl


@hookimpl
def mbplugin_force_elements(register):
    register(TableSpring)
    register(MatrixSpring)
"""


@pytest.fixture
def installed(tmp_path):
    """A folder with a scene, and a distribution outside the tree on the path."""
    source = (Path(__file__).parent / "foreign_kinds" / "tabulated.py").read_text()
    site = distribution(tmp_path / "site", "acme", "acme_tabulated", source + HOOK)
    (tmp_path / "s.toml").write_text(
        swinging("spring.csv", 0.3, 0.1) + table("output", frames=2, series=False)
    )
    (tmp_path / "spring.csv").write_text("s [mm],force [kN]\n-500,-1\n0,0\n500,1\n")
    return lambda *words: command(*words, cwd=tmp_path, extra=[site])


def test_an_installed_plugin_with_a_file_from_the_command_line(installed, tmp_path):
    done = installed("run", "s.toml", "-o", "out")
    assert done.returncode == 0, done.stderr
    (tmp_path / "spring.csv").write_text("s [mm],force [kN]\n-500,-1\n0,0\n0,2\n")
    done = installed("check", "s.toml")
    said = 'force[0].force = "spring.csv": line 4: x must increase, but 0 follows 0'
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_run_goes_on_with_the_same_file_only(installed, tmp_path):
    assert installed("run", "s.toml", "-o", "out").returncode == 0
    assert installed("run", "s.toml", "-o", "out", "--resume").returncode == 0
    (tmp_path / "spring.csv").write_text("s [mm],force [kN]\n-500,-1\n0,0\n500,2\n")
    done = installed("run", "s.toml", "-o", "out", "--resume")
    assert done.returncode == 2 and 'file "spring.csv" has changed' in done.stderr


def test_listing_and_schema_tell_shapes_and_units(installed):
    for name in ("foreign_matrix_spring", "foreign_table_spring"):
        same_report(f"plugins_show_{name}", installed("plugins", "show", name).stdout)
    schema = json.loads(installed("schema").stdout)
    rules = {r["if"]["properties"]["type"]["const"]: r["then"] for r in schema["$defs"]["Force"]["allOf"]}
    stiffness = rules["foreign_matrix_spring"]["properties"]["stiffness"]
    assert (stiffness["minItems"], stiffness["items"]["maxItems"]) == (3, 3)
    assert rules["foreign_table_spring"]["properties"]["force"]["anyOf"][0]["required"] == ["x", "y"]
