"""Robots that installed packages bring: read as mujoco has them, or refused in one line."""

import pytest
from robots import PACKAGES, models_of, outcome, urdf_files, urdf_outcome

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


@pytest.mark.parametrize("file", [pytest.param(file, id=file.stem) for file in urdf_files()])
def test_a_robot_of_urdf_accelerates_as_in_mujoco_or_is_refused_in_one_line(file, tmp_path):
    worst, refusal = urdf_outcome(file, tmp_path)
    if worst is None and not refusal.startswith("mujoco"):
        assert "\n" not in refusal and str(file) in refusal
    else:
        assert worst is None or worst < TOLERANCE
