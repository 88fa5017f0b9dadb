"""ParaView itself opens the series: all time steps, bounds where the bodies are, arrays by name."""

import made_up
import numpy as np
from test_series import FLOAT32, bounds, series, truth


def test_paraview_steps_through_the_series_with_the_right_bounds(tmp_path, paraview):
    frames = 25
    series(tmp_path, frames)
    found = paraview(tmp_path, range(frames))
    times = [i * made_up.DT for i in range(frames)]
    assert found["result"]["steps"] == times
    assert found["joints"]["steps"] == times
    for i in range(frames):
        for name, points in (("result", truth(i)), ("joints", made_up.frame(i)["joints/position"])):
            assert np.abs(np.array(found[name]["bounds"][str(i)]) - bounds(points)).max() < FLOAT32, (name, i)
    assert sorted(found["result"]["points"]) == ["Normals", "color", "velocity"]
    assert sorted(found["result"]["cells"]) == ["body", "body_name"]
    assert sorted(found["joints"]["points"]) == sorted(
        ["determined", "force", "joint", "joint_name", "joint_type", "torque"]
    )
    assert "names" in found["result"]["fields"]
    assert "names" in found["joints"]["fields"]
