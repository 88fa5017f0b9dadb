"""Transfer functions and state spaces of scenes, against partial fractions and matrix exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refusals import refused
from scene_text import body, hinge, solver, table, world
from test_motors import COORDINATES, INERTIA, PLANT, SOLVERS, closed_loop, step_response

import mbplugin as mb

A, B = np.array([[0.0, 1.0], [-4.0, -0.6]]), np.array([[0.0, 1.0], [2.0, 0.0]])
C, D = np.array([[1.0, 0.5], [0.0, 1.0]]), np.array([[0.0, 0.3], [0.0, 0.0]])
START = np.array([0.2, -0.1])
LISTS = {name: matrix.tolist() for name, matrix in zip("ABCD", (A, B, C, D))}


def text(*tables: str, coordinates: str = "maximal", type_: str = "rk") -> str:
    """A wheel at rest on an axle, and these tables."""
    return (
        world(gravity=[0, 0, 0])
        + body("wheel", mass=2.0, inertia=[INERTIA] * 3)
        + hinge("axle", "ground", "wheel", axis=(0, 0, 1))
        + "".join(tables)
        + solver(type=type_, coordinates=coordinates, end=1.0, **SOLVERS[type_][0])
        + "[output]\nframes = 20\n"
    )


def run(*tables: str, **keys: Any) -> mb.Result:
    return mb.System.from_text(text(*tables, **keys)).run(files=False)


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [([2, 1], [1, 0.6, 4]), ([3, 0, 1], [2, 1, 5]), ([5], [0.1, 1]), ([7], [2]), ([0, 1], [1, 3, 3, 1])],
)
def test_a_transfer_function_answers_a_step_by_its_partial_fractions(numerator, denominator):
    given = {"name": "filter", "input": 1, "numerator": numerator, "denominator": denominator}
    result = run(table("transfer_function", **given))
    expected = step_response(np.trim_zeros(np.array(numerator, float), "f"), denominator, result.time)
    assert result.output("filter") == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("file", ["", "plant.npz", "plant.mat"])
def test_a_state_space_follows_its_matrix_exponential(file, tmp_path):
    """x = exp(A t) x₀ + ∫ exp(A s) ds B u, of lists and of files."""
    from scipy.io import savemat
    from scipy.linalg import expm

    matrices: dict[str, Any] = {"file": file} if file else LISTS
    if file.endswith("npz"):
        np.savez(tmp_path / file, **{name: np.array(matrix) for name, matrix in LISTS.items()})
    elif file:
        savemat(tmp_path / file, {name: np.array(matrix) for name, matrix in LISTS.items()})
    given = {"name": "plant", "inputs": [1, "2*1.5"], "start": START.tolist(), **matrices}
    (tmp_path / "scene.toml").write_text(text(table("state_space", **given)))
    result = mb.System.from_file(tmp_path).run(files=False)
    u = np.array([1.0, 3.0])
    whole = np.block([[A, (B @ u)[:, None]], [np.zeros((1, 3))]])
    x = np.array([(expm(whole * t) @ [*START, 1.0])[:2] for t in result.time])
    for k in range(2):
        assert result.output(f"plant_{k + 1}") == pytest.approx(x @ C[k] + D[k] @ u, abs=1e-9)
        assert result.state(f"plant_x{k + 1}") == pytest.approx(x[:, k], abs=1e-9)


#: a lead compensator on the error of the angle
LEAD = ([30.0, 60.0], [0.05, 1.0])


def loop(target: float) -> tuple[str, str]:
    given = {"name": "lead", "input": f"{target} - axle.angle", "numerator": LEAD[0], "denominator": LEAD[1]}
    keys = {"name": "drive", "type": "motor", "joint": "axle", "mode": "torque", "target": "lead"}
    return table("transfer_function", **given), table("force", **keys)


@pytest.mark.parametrize("solver_", SOLVERS)
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_compensator_closes_its_loop(coordinates, solver_):
    result = run(*loop(0.5), coordinates=coordinates, type_=solver_)
    expected = 0.5 * step_response(*closed_loop(LEAD, PLANT), result.time)
    assert result.coordinate("axle.angle").value == pytest.approx(expected, abs=SOLVERS[solver_][1])


def test_poles_of_a_linear_model_are_those_of_the_loop():
    found = np.linalg.eigvals(mb.System.from_text(text(*loop(0.0))).linearize().A)
    for pole in np.roots(closed_loop(LEAD, PLANT)[1]):
        assert np.abs(found - pole).min() < 1e-6 * abs(pole)


@pytest.mark.parametrize(
    ("place", "table_", "keys"),
    [
        ("numerator", "transfer_function", {"numerator": [1, 2, 3], "denominator": [1, 1]}),
        ("denominator", "transfer_function", {"numerator": [1], "denominator": [0, 0]}),
        ("A", "state_space", {"inputs": [1]}),
        ("B", "state_space", {"inputs": [1], **LISTS}),
        ("A", "state_space", {"inputs": [1, 2], **LISTS, "A": [[1.0, 2.0], [3.0]]}),
        ("start", "state_space", {"inputs": [1, 2], **LISTS, "start": [1]}),
        ("A", "state_space", {"inputs": [1, 2], **LISTS, "file": "plant.npz"}),
        ("file", "state_space", {"inputs": [1, 2], "file": "plant.csv"}),
        ("file", "state_space", {"inputs": [1, 2], "file": "gone.npz"}),
    ],
)
def test_matrices_that_do_not_fit_are_refused_by_their_key(place, table_, keys):
    given = {"name": "filter", **({"input": 1} if table_ == "transfer_function" else {}), **keys}
    with refused(f"{table_}[0].{place}"):
        run(table(table_, **given))


def test_names_of_states_are_taken_and_inputs_are_checked():
    given = {"name": "filter", "input": "nothing", "numerator": [1], "denominator": [1, 1]}
    with refused("transfer_function[0].input"):
        run(table("transfer_function", **given))
    with refused("transfer_function[0].name"):
        run(table("state", name="filter_x1", rate=0), table("transfer_function", **{**given, "input": 1}))


def test_a_coefficient_is_a_parameter():
    given = {"name": "filter", "input": 1, "numerator": ["gain"], "denominator": [0.1, 1]}
    scene = "[parameters]\ngain = 2.0\n" + text(table("transfer_function", **given))
    problem = mb.System.from_text(scene).compile()
    for gain in (2.0, 3.0):
        problem.set_parameter("gain", gain)
        result = problem.run()
        assert result.output("filter")[-1] == pytest.approx(gain * (1.0 - np.exp(-10.0)), abs=1e-9)
