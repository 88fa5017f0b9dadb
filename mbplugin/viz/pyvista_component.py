"""`plotter.mbplugin` on any PyVista plotter: animated results.

PyVista finds this module through an entry point.

plotter = pyvista.Plotter()
scene = plotter.mbplugin.add("out/result.mbr", forces=True)
plotter.mbplugin.seek(0.5)          # the frame nearest to 0.5 s
plotter.mbplugin.slider()           # or: a time slider
plotter.show()
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv


@pv.register_plotter_component("mbplugin")
class Scenes:
    """The results shown by a plotter."""

    def __init__(self, plotter: Any) -> None:
        self._plotter = plotter
        self._stages: list[Any] = []

    def add(self, path: str, **options: Any) -> Any:
        """Show a result at its first frame; options as in `mbplugin.viz.Options`.

        Returns the stage. Raises StoreError, NoGraphicsError.
        """
        from mbplugin.results import RawResult, store_of
        from mbplugin.viz.options import Options
        from mbplugin.viz.stage import Stage

        raw = RawResult(store_of(path))
        stage = Stage(raw, raw.gravity, Options(**options), plotter=self._plotter)
        stage.show(0)
        self._stages.append(stage)
        return stage

    def seek(self, t: float) -> None:
        """Show the frame nearest to t [s]."""
        from mbplugin.viz.movie import nearest

        for stage in self._stages:
            stage.show(nearest(stage.raw.time, t))
        self._plotter.render()

    def slider(self) -> Any:
        """Add a slider for the time of all results; returns the widget."""
        times = np.concatenate([stage.raw.time for stage in self._stages])
        return self._plotter.add_slider_widget(
            self.seek, (float(times.min()), float(times.max())), title="time [s]", style="modern"
        )

    def __plotter_close__(self) -> None:
        self._stages.clear()
