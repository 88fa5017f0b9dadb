"""`plotter.mbplugin` on any PyVista plotter: animated results.

PyVista finds this module through an entry point.

plotter = pyvista.Plotter()
scene = plotter.mbplugin.add("out/result.mbr", forces=True)
plotter.mbplugin.seek(0.5)          # the frame nearest to 0.5 s
plotter.mbplugin.slider()           # a time slider, which begins there
plotter.show()
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv


@pv.register_plotter_component("mbplugin")
class Scenes:
    """The results shown by a plotter, all at one time."""

    def __init__(self, plotter: Any) -> None:
        self._plotter = plotter
        self._stages: list[Any] = []
        self._sliders: list[Any] = []
        self._now: float | None = None  # [s]; None: each result at its first frame

    def add(self, path: str, **options: Any) -> Any:
        """Show a result at the time of the others, at first its first frame; options: those of
        `mbplugin.viz.Options`.

        Returns the stage. Raises StoreError, NoGraphicsError, SceneError if there is no such option.
        """
        from mbplugin.errors import SceneError
        from mbplugin.results import RawResult, store_of
        from mbplugin.viz.options import options_of
        from mbplugin.viz.stage import Stage

        raw, chosen = RawResult(store_of(path)), options_of(options)
        if raw.frames == 0:
            raise SceneError("result", str(raw.path), "has no frames to show")
        stage = Stage(raw, raw.gravity, chosen, plotter=self._plotter)
        stage.show(0)
        self._stages.append(stage)
        if self._now is not None:
            self.seek(self._now)
        return stage

    def seek(self, t: float) -> None:
        """Show the frame nearest to t [s], on sliders too. Raises SceneError without a result."""
        from mbplugin.viz.movie import nearest

        self._require_result()
        self._now = float(t)
        for stage in self._stages:
            stage.show(nearest(stage.raw.time, t))
        for slider in self._sliders:
            slider.GetRepresentation().SetValue(t)
        self._plotter.render()

    def slider(self) -> Any:
        """Add a slider for the time of all results, at the time that is shown; returns the widget. Raises
        SceneError without a result.
        """
        self._require_result()
        times = np.concatenate([stage.raw.time for stage in self._stages])
        first, last = float(times.min()), float(times.max())
        slider = self._plotter.add_slider_widget(
            self.seek,
            (first, last),
            value=first if self._now is None else min(max(self._now, first), last),
            title="time [s]",
            style="modern",
        )
        self._sliders.append(slider)
        return slider

    def _require_result(self) -> None:
        from mbplugin.errors import SceneError

        if not self._stages:
            raise SceneError("plotter.mbplugin", mend="shows no result yet; add(path) shows one")

    def __plotter_close__(self) -> None:
        self._stages.clear()
        self._sliders.clear()
