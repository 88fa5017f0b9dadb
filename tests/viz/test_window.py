"""The window on a virtual screen: its slider seeks, space plays, and playback follows the clock."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from child import inside, told
from screen import SERVER, virtual_screen

from mbplugin.viz import gl, window

WATCH = """
import json, sys, time
import numpy as np
import pyvista as pv
import mbplugin as mb
from mbplugin.viz import Options, window

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
window.view(result.raw, np.array(result.system.scene.gravity), Options(size=(320, 200)))
print("SEEN " + json.dumps(seen))
"""


class Bar:
    """A slider, and what represents it."""

    value = 0.0

    def GetRepresentation(self) -> Bar:
        return self

    def SetValue(self, value: float) -> None:
        self.value = value


def test_playback_follows_the_clock_and_begins_again_at_the_end(monkeypatch):
    """A run of 4 s that plays in 8 s, with frames every 0.5 s: the frames nearest to its time are shown."""
    clock, shown = [100.0], []
    monkeypatch.setattr(window.time, "monotonic", lambda: clock[0])
    plotter = SimpleNamespace(render=lambda: None)
    stage = SimpleNamespace(raw=SimpleNamespace(time=np.linspace(1.0, 5.0, 9)), show=shown.append)
    stage.plotter = plotter
    player = window.Player(stage)
    player.slider = Bar()
    times = []
    for play, later in ((False, 1.0), (True, 0.0), (False, 2.2), (False, 4.4), (False, 3.0), (True, 1.0)):
        if play:
            player.toggle()
        clock[0] += later
        player.tick()
        times.append(player.now)
    # it stands, begins to play, goes on twice, begins again, stands
    assert times == pytest.approx([1.0, 1.0, 2.1, 4.3, 1.0, 1.0])
    assert shown == [0, 2, 7, 0] and player.slider.value == 1.0 and not player.playing
    player.seek(3.3)
    assert shown[-1] == 5 and player.now == 3.3


@pytest.mark.slow
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
def test_without_a_display_a_window_is_refused(results, display, tmp_path, monkeypatch):
    if display:
        monkeypatch.setenv("DISPLAY", display)
    else:
        monkeypatch.delenv("DISPLAY", raising=False)
    done = inside("render", str(results("piston_crank").folder), "--window", cwd=tmp_path)
    assert done.returncode == 4
    assert display in done.stderr and "-o movie.mp4" in done.stderr
