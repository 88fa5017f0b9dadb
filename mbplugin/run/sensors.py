"""The numbers of sensors at frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError, PluginError, one_line
from mbplugin.model import System
from mbplugin.results.frame_view import FrameView
from mbplugin.tables.spec import Array


def samples(system: System, frame: FrameView) -> list[float]:
    """The numbers of all sensors at a frame. Raises PluginError."""
    return [number for sensor in system.sensors for number in sample(sensor, frame)]


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
