"""Frames of a result from the states of an analysis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mbplugin.analysis.initial_state.placeholder_masses import massless
from mbplugin.analysis.rank.rank import rank
from mbplugin.analysis.report import States
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.run.recorder import OneFrame, Recorder
from mbplugin.tables.groups import Bounded, Measures, Rates, Rows, State
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.records import OFF

#: quantities that only a time integration computes
OF_RUNS = ("energy/dissipated", "energy/work", "energy/balance", "constraints/dof")
#: and those of rows with bounds, which most analyses leave out
OF_BOUNDS = ("bounds/status", "bounds/force")
#: quantities that depend on the masses of the bodies
OF_MASSES = (
    *("bodies/kinetic_energy", "energy/kinetic", "energy/potential", "coordinates/drive", "loads/wrench"),
    *("joints/force", "joints/torque", "joints/local_force", "joints/local_torque", "joints/determined"),
)


class ReportFrames:
    """Reads a problem's tables at the states of a report. system: as given, without the placeholder masses of
    the problem; where a body has no mass, the frames have nothing of `OF_MASSES`.
    """

    def __init__(self, problem: Problem, system: System, states: States) -> None:
        self.problem, self.states = problem, states
        without: tuple[str, ...] = OF_RUNS + OF_MASSES if massless(system) else OF_RUNS
        modes = problem[State].mode[None] if states.mode is None else states.mode
        if (modes[:, problem[Bounded].index.row] == OFF).all():
            without += OF_BOUNDS
        problem.set_state(float(states.time[0]), states.q[0], states.v[0])
        self.recorder = Recorder(problem, system, rank(problem).determined, without)

    def at_each(self) -> Iterator[float]:
        """Set the tables to each of the states in turn."""
        problem, measures, states = self.problem, self.problem[Measures], self.states
        changing = [name for name in ("mode", "memory", "aux") if getattr(states, name) is not None]
        for k, (t, q, v, v_dot, lam) in enumerate(
            zip(states.time, states.q, states.v, states.v_dot, states.lam)
        ):
            problem.set_state(float(t), q, v)
            for name in changing:
                getattr(problem[State], name)[:] = getattr(states, name)[k]
            problem.check(entries.evaluate(problem.addresses))
            problem.check(entries.call_purpose(problem.addresses, COORDINATE))
            problem.begin_implicit()
            # evaluate again for the rates of the coordinates; angles continue from here
            problem.check(entries.evaluate(problem.addresses))
            measures.last[:] = measures.value
            problem[Rates].v_dot[:], problem[Rows].lam[:] = v_dot, lam
            yield float(t)

    def first(self) -> OneFrame:
        """At the first of the states."""
        next(self.at_each())
        return OneFrame(self.recorder.at_present(), 0, {})

    def frames(self) -> Iterator[dict[str, Any]]:
        """Frames for the result store."""
        for k, _ in enumerate(self.at_each()):
            frame = self.recorder.frame()
            if self.states.touching is not None:
                frame |= self.states.touching(k)
            yield frame


def write_states(folder: Path, problem: Problem, system: System, states: States) -> None:
    """`result.zarr` and the ParaView series of the states, in `folder`. Raises StoreError."""
    from mbplugin.export import SeriesWriter, chosen_series
    from mbplugin.results import ResultWriter, write_index
    from mbplugin.results.folder import STORE, locked
    from mbplugin.results.without_forces import without_forces

    frames = ReportFrames(problem, system, states)
    static = frames.recorder.static()
    lists = {} if states.touching is None else {"contacts": frames.recorder.lists()["contacts"]}
    with locked(folder, *STORE):
        writer = ResultWriter(
            folder / "result.zarr",
            static,
            {"scene": system.to_toml(), "plugins": []},
            capacity=len(states.time),
            arrays=frames.recorder.frame_arrays,
            lists=lists,
        )
        write_index(folder)
        kind, decided = chosen_series(system.output.series, static)
        series = SeriesWriter(folder, static, lists.get("contacts"), kind) if kind is not None else None
        if decided:
            writer.message(None, "info", decided)
        if bare := massless(system):
            writer.message(None, "info", without_forces(bare))
        for frame in frames.frames():
            writer.append(frame)
            if series is not None:
                series.append(frame)
        writer.close(True)
        if series is not None:
            series.close()
