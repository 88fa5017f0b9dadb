"""Values of measures at t = 0 as the scene is written, before compilation and assembly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.codegen.wrapper import arguments
from mbplugin.compile.parameters import plain_parameters
from mbplugin.interface import Marker, Measure
from mbplugin.tables.spec import Array

REST = (0.0, 0.0, 0.0)


def drawn_value(measure: Measure, poses: Sequence[tuple[Array, Array]]) -> float:
    """First value of a measure [m] or [rad]; poses: (x, R) of its markers."""
    return drawn(measure, poses)[0]


def drawn_rate(measure: Measure, poses: Sequence[tuple[Array, Array]], twists: Sequence[Array]) -> float:
    """Rate of the first value of a measure [m/s] or [rad/s]; twists: (6,) of its markers."""
    return float(drawn(measure, poses)[1] @ np.concatenate(twists))


def drawn(measure: Measure, poses: Sequence[tuple[Array, Array]]) -> tuple[float, Array]:
    """First value of a measure of markers at rest, and its Jacobian over their twists."""
    numbers: Any = lambda array: tuple(map(float, array.ravel()))
    markers = tuple(Marker(numbers(x), numbers(R), REST, REST) for x, R in poses)
    value, J, bias = np.zeros(measure.rows), np.zeros(measure.rows * 6 * len(markers)), np.zeros(measure.rows)
    values = {
        "m": markers,
        "a": markers[0],
        "b": markers[-1],
        "p": plain_parameters(measure.settings),
        "mem": np.zeros(len(measure.unknowns)),
        "value": value,
        "J": J,
        "bias": bias,
        "t": 0.0,
    }
    measure.kernel(*(values[name] for name in arguments(measure.kernel, "measure", "measure")))
    return float(value[0]), J[: 6 * len(markers)]
