"""The kinds of docs/elements-with-memory.md pass the kit and meet the truths that the page tells."""

from __future__ import annotations

import importlib
import re

import numpy as np
import pytest
from child import ROOT
from headless import Runs
from scipy.linalg import expm

from mbplugin.testing import check_constraint, check_force

PAGE = (ROOT / "docs" / "elements-with-memory.md").read_text(encoding="utf-8")
MODULE = "".join(b for b in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S) if "import numpy" not in b)
SLEDGE, BUSHING, PIN = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.S)


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """The module that the blocks of the page make."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "acme_elements.py").write_text(MODULE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("acme_elements")


@pytest.fixture(scope="module")
def offered(kinds):
    return Runs.offering(acme_elements=kinds)


@pytest.mark.slow
def test_they_pass_the_kit(kinds):
    for report in (check_constraint(kinds.Blade), check_force(kinds.Maxwell), check_force(kinds.ShearPin)):
        assert report.ok, f"\n{report}"


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        ("tolerance = 1e-10", 1e-9),
        ('type = "galpha"\nstep = 1e-3', 4e-6),
        ('type = "contact"\nstep = 1e-3', 4e-6),
    ],
)
def test_the_sledge_does_not_go_down(offered, keys, error):
    (frame,) = offered.frames(SLEDGE.replace("tolerance = 1e-10", keys), [3.0])
    g, w, t = 3.0, 2.0, 3.0
    x, y = g * np.sin(w * t) ** 2 / (2 * w**2), g * (t - np.sin(2 * w * t) / (2 * w)) / (2 * w)
    np.testing.assert_allclose(frame["bodies/position"][0, :2], [x, y], atol=error)
    assert abs(float(frame["energy/balance"])) < 2e-8


def test_the_side_force_of_the_blade(offered):
    """m (u ω + g sin ωt) with u = g sin(ωt)/ω, across the blade."""
    (frame,) = offered.frames(SLEDGE, [3.0])
    across = np.array([-np.sin(6.0), np.cos(6.0)])
    assert frame["joints/force"][0, :2] @ across == pytest.approx(2.0 * 2.0 * 3.0 * np.sin(6.0), abs=1e-8)


def test_the_bushing_follows_its_matrix_exponential(offered):
    (frame,) = offered.frames(BUSHING, [1.0])
    k_0, k_1, c, m = 20.0, 80.0, 6.0, 2.0
    A = np.array([[0, 1, 0], [-(k_0 + k_1) / m, 0, k_1 / m], [k_1 / c, 0, -k_1 / c]])
    s, _, z = expm(A) @ [0.1, 0.0, 0.0]
    assert frame["coordinates/value"][0] == pytest.approx(s, abs=1e-10)
    assert frame["states/value"][0] == pytest.approx(z, abs=1e-10)
    assert frame["outputs/value"][0] == pytest.approx(-k_0 * s - k_1 * (s - z), abs=1e-8)
    assert abs(float(frame["energy/balance"])) < 1e-11
    at_start = 0.5 * (k_0 + k_1) * 0.1**2
    assert float(frame["energy/dissipated"]) / at_start == pytest.approx(0.975, abs=0.005)


def test_the_pin_breaks_where_its_strength_is_reached(offered):
    k, m, s, v_0 = 50.0, 2.0, 4.0 / 50.0, 1.0
    w = np.sqrt(k / m)
    broken, v = np.arcsin(s * w / v_0) / w, np.sqrt(v_0**2 - k * s**2 / m)
    before, after = offered.frames(PIN, [0.5 * broken, 1.0])
    assert before["bodies/position"][0, 2] == pytest.approx(v_0 / w * np.sin(0.5 * w * broken), abs=1e-10)
    assert after["bodies/position"][0, 2] == pytest.approx(s + v * (1.0 - broken), abs=1e-9)
    assert after["bodies/velocity"][0, 2] == pytest.approx(v, abs=1e-10)
    assert abs(float(after["energy/balance"])) < 1e-10


def test_a_pin_that_is_strong_enough_swings_on(offered):
    (frame,) = offered.frames(PIN.replace("strength = 4.0", "strength = 40.0"), [1.0])
    assert frame["bodies/position"][0, 2] == pytest.approx(np.sin(5.0) / 5.0, abs=1e-10)
