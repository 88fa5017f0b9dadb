"""Loads of bodies at instants are in equilibrium with their inertia, and load cards say the same."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from refusals import refused
from scene_text import SCENES as BUNDLED
from scene_text import body, joint, solver
from test_forces_on_bodies import DOUBLE, END, SCENES
from typer.testing import CliRunner

from mbplugin.api import System
from mbplugin.cli.app import app

BOTH = ("maximal", "joint")
TURN = 2.0 * np.pi


def run(text, kind="rk", coordinates="maximal", **keys):
    ended = text + "[output]\nframes = 10\nseries = false\n"
    return System.from_text(ended + solver(type=kind, end=0.3, coordinates=coordinates, **keys)).run(
        files=False
    )


def largest_difference(result):
    """Accelerations that the loads of all bodies cause, from those that the run stored."""
    found = 0.0
    for name in result.bodies:
        seen = result[name]
        for i, at in enumerate(result.loads(name)):
            linear = at.axes @ at.acceleration - seen.acceleration[i]
            angular = at.axes @ at.angular_acceleration - seen.angular_acceleration[i]
            found = max(found, np.abs(linear).max(), np.abs(angular).max())
    return found


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize("name", SCENES)
def test_loads_at_their_points_cause_the_accelerations_of_the_run(name, coordinates):
    assert largest_difference(run(SCENES[name], coordinates=coordinates)) < 1e-9


def test_so_do_those_of_an_implicit_step():
    assert largest_difference(run(DOUBLE, "galpha", step=1e-3)) < 1e-7


def test_each_contact_is_a_load_at_its_own_point():
    result = System.from_file(BUNDLED / "block_on_incline" / "scene.toml").run(files=False, end=0.2)
    at = result.loads("block", [0.15])[0]
    points = np.array([one.point for one in at.loads if one.name == "contact with ground"])
    assert len(points) == 4 and np.ptp(points[:, :2], axis=0).min() > 0.01
    assert np.abs(at.axes @ at.acceleration - result["block"].acceleration[-1]).max() < 1e-8


def sums(loads, about):
    force = sum((f for _, f, _ in loads), np.zeros(3))
    return force, sum((m + np.cross(p - about, f) for p, f, m in loads), np.zeros(3))


def fields_of_inertia(loads, gravity, acceleration, w, alpha):
    """(point, force, moment) at the mass centre of the fields g, a, ω, α about the origin of the frame."""
    m, c, J = loads.mass, loads.center_of_mass, loads.inertia
    force = m * (gravity + acceleration - np.cross(w, np.cross(w, c)) - np.cross(alpha, c))
    return c, force, -np.cross(w, J @ w) - J @ alpha


def read_abaqus(text):
    """Nodes, and for each step concentrated loads and fields."""
    nodes, steps, word = {}, [], ""
    for line in text.splitlines():
        if line.startswith("*"):
            word = word if line.startswith("**") else line.split(",")[0]
            if line.startswith("*STEP"):
                steps.append(({}, []))
            continue
        parts = [part.strip() for part in line.split(",")]
        if word == "*NODE":
            nodes[int(parts[0])] = np.array(parts[1:], float)
        elif word == "*CLOAD":
            steps[-1][0].setdefault(int(parts[0]), np.zeros(6))[int(parts[1]) - 1] += float(parts[2])
        elif word == "*DLOAD":
            steps[-1][1].append((parts[1], np.array(parts[2:], float)))
    return nodes, steps


def from_abaqus(text, loads, step):
    nodes, steps = read_abaqus(text)
    applied, fields = steps[step]
    points = [(nodes[n], six[:3], six[3:]) for n, six in applied.items()]
    g, w, alpha = np.zeros(3), np.zeros(3), np.zeros(3)
    for word, v in fields:
        if word == "GRAV":
            g = g + v[0] * v[1:]
        elif word == "CENTRIF":
            w = np.sqrt(v[0]) * v[4:]
        else:
            alpha = v[0] * v[4:]
    return points, fields_of_inertia(loads, g, np.zeros(3), w, alpha)


def from_nastran(text, loads, load):
    cards = {}
    lines = [line for line in text.splitlines() if not line.startswith("$")]
    rows = []
    for line in lines:
        values = [line[k : k + 16].strip() for k in range(8, len(line.rstrip("\n")), 16)]
        if line.startswith("*"):
            rows[-1][1].extend(values)
        else:
            rows.append((line[:8].strip().rstrip("*"), values))
        assert len(line) <= 72
    for name, values in rows:
        cards.setdefault(name, []).append(values)
    nodes = {int(v[0]): np.array(v[2:5], float) for v in cards["GRID"]}
    combined = next(v for v in cards["LOAD"] if int(v[0]) == load)
    chosen = {int(n) for n in combined[3::2] if n}
    points, g, w, alpha = [], np.zeros(3), np.zeros(3), np.zeros(3)
    for v in cards["FORCE"]:
        if int(v[0]) in chosen:
            points.append((nodes[int(v[1])], float(v[3]) * np.array(v[4:7], float), np.zeros(3)))
    for v in cards["MOMENT"]:
        if int(v[0]) in chosen:
            points.append((nodes[int(v[1])], np.zeros(3), float(v[3]) * np.array(v[4:7], float)))
    for v in cards["GRAV"]:
        if int(v[0]) in chosen:
            g = g + float(v[2]) * np.array(v[3:6], float)
    for v in cards["RFORCE"]:
        if int(v[0]) in chosen:
            axis = np.array(v[4:7], float)
            w = w + TURN * float(v[3]) * axis
            alpha = alpha - TURN * float(v[8]) * axis  # RACC acts along +α × s
    return points, fields_of_inertia(loads, g, np.zeros(3), w, alpha)


@pytest.fixture(scope="module")
def result():
    return System.from_text(SCENES["in space"] + END).run(files=False)


@pytest.mark.parametrize("suffix", ["inp", "bdf"])
def test_cards_reproduce_resultants_and_are_in_equilibrium(result, tmp_path, suffix):
    times = [0.25, 0.5]
    for name in result.bodies:
        file = result.export(tmp_path / f"{name}.{suffix}", body=name, times="0.25, 0.5")
        loads, forces = result.loads(name, times), result.forces(name)
        for k, at in enumerate(loads):
            read = from_abaqus if suffix == "inp" else from_nastran
            points, field = read(file.read_text(), loads, k if suffix == "inp" else 10 * (k + 1))
            frame = int(np.argmin(abs(result.time - times[k])))
            force, torque = sums(points, loads.center_of_mass)
            weight = forces.applied["gravity"].force[frame] if "gravity" in forces.applied else 0.0
            size = max(1.0, np.abs(force).max())
            assert np.abs(at.axes @ force - (forces.force[frame] - weight)).max() < 1e-8 * size
            assert np.abs(at.axes @ torque - forces.torque[frame]).max() < 1e-8 * size
            total = sums([*points, field], loads.center_of_mass)
            assert max(np.abs(total[0]).max(), np.abs(total[1]).max()) < 1e-8 * size


def test_the_command_prints_a_table_and_writes_csv(tmp_path):
    System.from_text(DOUBLE + END).run(tmp_path / "out")
    command = ["loads", str(tmp_path / "out"), "rod", "--time", "0.5"]
    printed = CliRunner().invoke(app, command)
    assert printed.exit_code == 0 and "elbow" in printed.output and "inertia" in printed.output
    assert CliRunner().invoke(app, [*command, "-o", str(tmp_path / "x.csv")]).exit_code == 0
    rows = list(csv.DictReader((tmp_path / "x.csv").open()))
    assert [row["load"] for row in rows] == ["pivot", "elbow", "gravity", "inertia"]
    total = np.array([[float(row[f"f{c} [N]"]) for c in "xyz"] for row in rows]).sum(0)
    assert np.abs(total).max() < 1e-12


def test_instants_outside_and_unknown_bodies_are_refused(result):
    with refused("time", 2.0):
        result.loads("arm", [2.0])
    with refused("body", "armm"):
        result.loads("armm")


def test_bodies_that_deform_are_refused():
    made = body(
        "jelly",
        type="pseudo_rigid",
        density=1000.0,
        young=1e5,
        poisson=0.3,
        shape=[{"type": "box", "size": [0.1, 0.1, 0.1]}],
    )
    with refused("body", "jelly"):
        run(made).loads("jelly")


def test_the_mass_centre_may_be_off_the_origin():
    made = body("rod", mass=2.0, inertia=[0.1, 0.2, 0.3], center_of_mass=[0.3, 0.1, -0.2])
    assert largest_difference(run(made + joint("pin", "ball", "ground", "rod", at=[0.1, 0.5, 0.0]))) < 1e-9
