"""Systems run without files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.run.prepare import Prepared, prepare


def show(integrator: Any, end: float, t: float) -> None:
    """Advance past the time t on the way to `end`, and put the state at t into the tables."""
    while integrator.advance(end, t, 10**6) == "busy":
        pass
    integrator.show(t)


def finish(integrator: Any, end: float, steps: int = 10**6) -> None:
    """Advance to the end, by so many steps at a time."""
    while integrator.advance(end, np.inf, steps) != "end":
        pass


class Runs:
    """A system from text, prepared or run to its end; frames as the recorder makes them."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    @classmethod
    def offering(cls, **plugins: Any) -> Runs:
        """Runs with further plugins, by name."""
        return cls(load_plugins(extra=list(plugins.items()))[0])

    def prepare(self, text: str) -> Prepared:
        return prepare(System.from_text(text), self.registry)

    def prepare_file(self, scene: Path) -> Prepared:
        """The prepared run of a scene with the files beside it."""
        return prepare(System.from_file(scene), self.registry)

    def frames(self, text: str, times: Any) -> list[dict[str, Any]]:
        prepared = self.prepare(text)
        integrator = prepared.start(float(times[-1]))
        found = []
        for t in times:
            show(integrator, float(times[-1]), float(t))
            found.append({key: np.array(value) for key, value in prepared.recorder.frame().items()})
        return found
