"""`check --matrices` prints the matrices of the constraint force algorithm, and they agree with a hand
calculation.
"""

from __future__ import annotations

import json
import runpy

import numpy as np
from child import ROOT, inside
from refusals import error_of
from scene_text import body, solver
from snapshots import same_report

from mbplugin.errors import SceneError

SCENE = ROOT / "scenes" / "two_bodies_one_pin"


def test_every_matrix_of_two_bodies_and_a_pin_agrees_with_the_hand_calculation():
    """Signs are those of the engine: G = −[G_A, G_B] and γ = −C of the printed equations, and λ is the
    force on B.
    """
    hand = runpy.run_path(str(SCENE / "truth.py"))
    found = json.loads(inside("check", str(SCENE), "--matrices", "--json", cwd=ROOT).stdout)
    shown = {name: np.array(value) for name, value in found["matrices"].items()}
    M = np.block([[hand["M_A"], np.zeros((3, 3))], [np.zeros((3, 3)), hand["M_B"]]])
    h, gamma = np.concatenate([hand["R_A"], hand["R_B"]]), -hand["C"]
    G = -np.hstack([hand["G_A"], hand["G_B"]])
    X, Y = np.linalg.solve(M, G.T), np.linalg.solve(M, h)
    at_once = hand["whole"]()
    expected = {"M": M, "h": h, "G": G, "gamma": gamma, "X": X, "Y": Y, "S": G @ X}
    for name, value in (expected | {"lambda": at_once[6:], "v_dot": at_once[:6]}).items():
        np.testing.assert_allclose(shown[name], value, atol=1e-12, err_msg=name)
    assert np.abs(shown["Phi"]).max() < 1e-15
    # the pin's point has one acceleration, whichever body it is taken for
    point = lambda v_dot, arm, w: v_dot[:2] + v_dot[2] * np.array([-arm[1], arm[0]]) - w**2 * arm
    a_AB = point(shown["v_dot"][:3], hand["ARM_A"], hand["W_A"])
    a_BA = point(shown["v_dot"][3:], hand["ARM_B"], hand["W_B"])
    np.testing.assert_allclose(a_AB, a_BA, atol=1e-12)


def test_matrices_are_printed_with_names_and_shapes():
    done = inside("check", str(SCENE), "--matrices", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    same_report("check_matrices", done.stdout)


def test_matrices_of_a_large_model_are_refused(tmp_path):
    bodies = "".join(body(f"b{k}", mass=1, inertia=[1, 1, 1]) for k in range(11))
    (tmp_path / "scene.toml").write_text(bodies + solver(end=1))
    done = inside("check", "scene.toml", "--matrices", "--json", cwd=tmp_path)
    assert error_of(done, SceneError, 66, 0, 60)["key"] == "--matrices"
