"""Frequency responses of a linear model, as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array
from mbplugin.viz.plot import refuse_file, saved, styled, with_panels


def plot_bode(frequency: Array, responses: Mapping[str, Array], file: str | Path | None = None) -> Any:
    """A matplotlib figure with sizes over phases; saved if `file` is given.

    frequency: (n,) [Hz]
    responses: label -> (n,) complex

    Raises SceneError, StoreError.
    """
    refuse_file(file, None)
    figure, (size, phase) = with_panels(2, None, sharex=True)
    for label, response in responses.items():
        size.loglog(frequency, np.abs(response), label=label, linewidth=1.4)
        phase.semilogx(frequency, np.degrees(np.unwrap(np.angle(response))), label=label, linewidth=1.4)
    for axis, words in ((size, "size of output / input"), (phase, "phase [°]")):
        styled(axis)
        axis.set_ylabel(words)
    phase.set_xlabel("frequency [Hz]")
    phase.yaxis.set_major_locator(locator())
    size.legend(frameon=False, fontsize="small")
    return saved(figure, file)


def locator() -> Any:
    """Ticks at multiples of 45°, or of more."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(steps=[1.5, 3, 4.5, 9, 10], nbins=7)
