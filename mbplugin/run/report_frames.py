"""Frames of a result from the states of an analysis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.analysis.report import States
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.run.recorder import OneFrame, Recorder
from mbplugin.tables.groups import Measures, Rates, Rows
from mbplugin.tables.purposes import COORDINATE

#: quantities that only a time integration computes
UNKNOWN = ("energy/dissipated", "energy/work", "energy/balance")


class ReportFrames:
    """Reads a problem's tables at the states of a report."""

    def __init__(self, problem: Problem, system: System) -> None:
        self.problem = problem
        self.recorder = Recorder(problem, system, np.full((len(problem.names.joints), 6), 2, np.int8))

    def at_each(self, states: States) -> Iterator[float]:
        """Set the tables to each of the states in turn."""
        problem, measures = self.problem, self.problem[Measures]
        for t, q, v, v_dot, lam in zip(states.time, states.q, states.v, states.v_dot, states.lam):
            problem.set_state(float(t), q, v)
            problem.check(entries.evaluate(problem.addresses))
            problem.check(entries.call_purpose(problem.addresses, COORDINATE))
            # evaluate again for the rates of the coordinates; angles continue from here
            problem.check(entries.evaluate(problem.addresses))
            measures.last[:] = measures.value
            problem[Rates].v_dot[:], problem[Rows].lam[:] = v_dot, lam
            yield float(t)

    def first(self, states: States) -> OneFrame:
        """At the first of the states."""
        next(self.at_each(states))
        return OneFrame(self.recorder.at_present(), 0, {})

    def frames(self, states: States, masses: bool = True) -> Iterator[dict[str, Any]]:
        """Frames for the result store; without masses the energies are NaN."""
        unknown = UNKNOWN if masses else (*UNKNOWN, "energy/kinetic", "energy/potential")
        for _ in self.at_each(states):
            yield self.recorder.frame() | dict.fromkeys(unknown, float("nan"))


def write_states(folder: Path, problem: Problem, system: System, states: States, masses: bool = True) -> None:
    """`result.zarr` and the ParaView series of the states, in `folder`. Raises StoreError."""
    from mbplugin.export import SeriesWriter, chosen_series
    from mbplugin.results import ResultWriter, write_index
    from mbplugin.results.folder import STORE, locked

    frames = ReportFrames(problem, system)
    static = frames.recorder.static()
    with locked(folder, *STORE):
        writer = ResultWriter(
            folder / "result.zarr",
            static,
            {"scene": system.to_toml(), "plugins": []},
            capacity=len(states.time),
        )
        write_index(folder)
        kind, decided = chosen_series(system.output.series, static)
        series = SeriesWriter(folder, static, kind=kind) if kind is not None else None
        if decided:
            writer.message(None, "info", decided)
        for frame in frames.frames(states, masses):
            writer.append(frame)
            if series is not None:
                series.append(frame)
        writer.close(True)
        if series is not None:
            series.close()
