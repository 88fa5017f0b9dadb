"""Models of MuJoCo that installed packages bring: read as mujoco has them, or refused in one line."""

import pytest

from benchmarks.robots import PACKAGES, models_of, outcome

pytest.importorskip("mujoco")
pytestmark = pytest.mark.slow

#: accelerations relative to the largest; rounding is about 1e-12
TOLERANCE = 1e-8
#: a hand of 1e-9 kg on a joint with an armature of 2 kg m2: that is 13 digits of rounding
ROUNDED = {"jaco_arm": 1e-3}
MODELS = [(package, file) for package in PACKAGES for file in models_of(package)]


@pytest.mark.parametrize(
    "file", [pytest.param(file, id=f"{package}-{file.parent.name}-{file.stem}") for package, file in MODELS]
)
def test_a_model_accelerates_as_in_mujoco_or_is_refused_in_one_line(file, tmp_path):
    worst, refusal = outcome(file, tmp_path)
    assert worst < ROUNDED.get(file.stem, TOLERANCE)
    assert "\n" not in refusal
    assert not refusal or str(file) in refusal
