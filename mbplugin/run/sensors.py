"""The numbers of sensors at frames."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError, PluginError, one_line
from mbplugin.model import System
from mbplugin.results.frame_view import FrameView
from mbplugin.run.observers import Observers
from mbplugin.tables.spec import Array


def samples(system: System, frame: FrameView, observers: Observers | None = None) -> list[float]:
    """The numbers of all sensors at a frame. Raises PluginError where no observers of a run are given: there
    a sensor that fails has NaN from then on.
    """
    found: list[float] = []
    for sensor in system.sensors:
        if observers is None:
            found += sample(sensor, frame).tolist()
            continue
        lost = np.full(len(sensor.kind.outputs), np.nan)
        found += observers.ask_plugin(
            f'sensor "{sensor.name}"', partial(sample, sensor, frame), lost
        ).tolist()
    return found


def sample(sensor: Any, frame: FrameView) -> Array:
    """(outputs,) of one sensor. Raises PluginError."""
    where = f't = {frame.time:.9g} s: sensor "{sensor.name}" (type "{sensor.type}")'
    try:
        numbers = np.array(sensor.kind.sample(sensor.params, frame), float).reshape(-1)
    except MbpluginError as error:
        raise PluginError(f"{where}: {error}") from error
    except Exception as error:
        raise PluginError(f"{where}: {type(error).__name__}: {one_line(str(error))}") from error
    if len(numbers) != len(sensor.kind.outputs):
        raise PluginError(
            f"{where} returned {len(numbers)} numbers, and has {len(sensor.kind.outputs)} outputs"
        )
    if not np.isfinite(numbers).all():
        raise PluginError(f"{where} returned {numbers.tolist()}; its numbers must be finite")
    return numbers
