"""A window with a time slider; the space bar plays and pauses."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.results import RawResult
from mbplugin.viz import gl
from mbplugin.viz.movie import nearest
from mbplugin.viz.options import Options
from mbplugin.viz.stage import Stage


class Player:
    """The current time of the window, and whether it plays; `seconds`: how long the run takes to play."""

    def __init__(self, stage: Stage, seconds: float = 8.0) -> None:
        self.stage, self.times = stage, stage.raw.time
        self.rate = float(self.times[-1] - self.times[0]) / seconds
        self.now, self.playing, self.before = float(self.times[0]), False, time.monotonic()

    def seek(self, t: float) -> None:
        """Show the frame nearest to t [s]."""
        self.now = t
        self.stage.show(nearest(self.times, t))

    def toggle(self) -> None:
        self.playing, self.before = not self.playing, time.monotonic()

    def tick(self, _: Any = None) -> None:
        """Advance by the time passed on the clock; restart at the end."""
        clock = time.monotonic()
        if self.playing:
            later = self.now + self.rate * (clock - self.before)
            self.seek(later if later <= self.times[-1] else float(self.times[0]))
            self.slider.GetRepresentation().SetValue(self.now)
            self.stage.plotter.render()
        self.before = clock

    slider: Any = None


def view(raw: RawResult, gravity: np.ndarray[Any, Any], options: Options | None = None) -> None:
    """Open a window and wait until it is closed. Raises NoGraphicsError, SceneError without frames."""
    gl.require_display()
    if raw.frames == 0:
        raise SceneError("result", str(raw.path), "has no frames to show")
    stage = Stage(raw, gravity, options or Options(), off_screen=False)
    plotter: Any = stage.plotter
    player = Player(stage)
    stage.show(0)
    times = raw.time
    player.slider = plotter.add_slider_widget(
        player.seek,
        (float(times[0]), float(times[-1])),
        value=float(times[0]),
        title="time [s]",
        style="modern",
    )
    plotter.add_key_event("space", player.toggle)
    plotter.add_timer_event(max_steps=10**9, duration=30, callback=player.tick)
    plotter.show(title=str(raw.path))
