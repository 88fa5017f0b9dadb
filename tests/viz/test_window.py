"""The window on a virtual screen: its slider seeks, space plays, and playback follows the clock."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from child import told
from screen import SERVER, virtual_screen

from mbplugin.viz import gl

WATCH = """
import json, sys, time
import numpy as np
import pyvista as pv
import mbplugin as mb
from mbplugin.viz import window

result = mb.load(sys.argv[1])
seen = {}
first = window.Player.tick

def tick(self, step=None):
    first(self, step)
    seen["ticks"] = seen.get("ticks", 0) + 1
    plotter = self.stage.plotter
    if seen["ticks"] == 3:
        self.slider.GetRepresentation().SetValue(float(self.times[4]))
        self.slider.InvokeEvent("EndInteractionEvent")
        seen["sought"], seen["wanted"] = self.now, float(self.times[4])
    if seen["ticks"] == 5:
        plotter.iren.interactor.SetKeyEventInformation(0, 0, " ", 0, "space")
        plotter.iren.interactor.InvokeEvent("KeyPressEvent")
        seen["playing"], seen["from"], seen["since"] = self.playing, self.now, time.monotonic()
    if seen["ticks"] == 9:
        seen["to"], seen["seconds"], seen["rate"] = self.now, time.monotonic() - seen["since"], self.rate
        seen["bar"] = self.slider.GetRepresentation().GetValue()
        plotter.close()

window.Player.tick = tick
window.view(result.raw, np.array(result.system.scene.gravity))
print("SEEN " + json.dumps(seen))
"""


@pytest.mark.skipif(SERVER is None, reason="there is no virtual screen (Xvfb)")
def test_the_window_seeks_and_plays(results):
    result = results("piston_crank")
    line = [sys.executable, "-c", WATCH, str(result.folder)]
    with virtual_screen() as screen:
        done = subprocess.run(line, capture_output=True, text=True, timeout=120, env=screen)
    seen = told(done, "SEEN ")
    assert seen["sought"] == pytest.approx(seen["wanted"])
    assert seen["playing"] is True
    went = seen["rate"] * seen["seconds"]
    assert seen["to"] - seen["from"] == pytest.approx(went, rel=0.3)
    assert seen["bar"] == pytest.approx(seen["to"])


@pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
@pytest.mark.parametrize("display", ["", ":4711"])
def test_without_a_display_a_window_is_refused(results, display):
    line = [sys.executable, "-m", "mbplugin", "render", str(results("piston_crank").folder), "--window"]
    environment = {**os.environ, "DISPLAY": display}
    if not display:
        del environment["DISPLAY"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 4
    assert display in done.stderr and "-o movie.mp4" in done.stderr
