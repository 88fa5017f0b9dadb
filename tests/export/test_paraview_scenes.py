"""ParaView opens the series of three scenes: as many steps as frames, bodies and joints at their positions
in the result, and the reactions of the joints in its history.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import SCENES
from test_series import bounds

import mbplugin as mb
from mbplugin.export.geometry import Geometry


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "end"), [("piston_crank", None), ("double_pendulum", 0.5), ("four_bar_n2", 0.8)]
)
def test_paraview_shows_the_scene_where_the_result_has_it(tmp_path, paraview, name, end):
    result = mb.System.from_file(SCENES / name, {"output.frames": "20"}).run(tmp_path / "out", end=end)
    frames = [0, 5, 10, 15, 20]
    found = paraview(tmp_path / "out", frames)
    geometry = Geometry(result.raw.static())
    for i in frames:
        frame = result.raw.frame(i)
        for what, points in (("result", geometry.at(frame)[0]), ("joints", frame["joints/position"])):
            np.testing.assert_allclose(found[what]["bounds"][str(i)], bounds(points), atol=1e-6)
        history = found["history"][str(i)]
        for k, joint in enumerate(result.raw.names("joints")):
            for what in ("force", "torque"):
                assert history[f"joint.{joint}.{what}"] == frame[f"joints/{what}"][k].tolist()
    for what in ("result", "joints"):
        np.testing.assert_allclose(found[what]["steps"], result.time, atol=1e-12)
    assert {"velocity"} <= set(found["result"]["points"]) and "body" in found["result"]["cells"]
    assert {"force", "torque", "determined", "joint"} <= set(found["joints"]["points"])
