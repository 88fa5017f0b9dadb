"""Frames and messages of a motion in a sink: what a run and a recorded simulation share."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mbplugin.analysis.singular.singular import ADVICE, Singular
from mbplugin.errors import SceneError, cut
from mbplugin.interface.solver import Integrator
from mbplugin.results.summary import RunSummary
from mbplugin.run.activity import ActivityMessages
from mbplugin.run.faults import attribute_errors
from mbplugin.run.frame_blocks import FrameBlocks
from mbplugin.run.observers import Observers
from mbplugin.run.opening import moved_bodies, shares, watch
from mbplugin.run.pair_sums import NO_SUMS, PairSums
from mbplugin.run.pending import PendingEvents
from mbplugin.run.prepare import Prepared
from mbplugin.run.recorder import Frames
from mbplugin.run.resume import without_end
from mbplugin.run.sharing import Sharing
from mbplugin.run.sink import Message, Sink
from mbplugin.run.times import FrameTimes
from mbplugin.stepping import Doubt
from mbplugin.tables import groups
from mbplugin.tables.groups import Wrenches

#: wall time between checkpoints [s]
CHECKPOINT = 5.0
#: what is stored of each frame for the detector of singular positions
WATCHED_ARRAYS = (
    (groups.Blocks, "G"),
    (groups.Rows, "scale"),
    (groups.State, "q"),
    (groups.State, "v"),
    (groups.Rates, "v_dot"),
)
#: largest energy, relative to what the forces could do, of a system at rest
AT_REST = 1e-9
#: an observer that is asked at several places
DETECTOR = "the search for singular positions"
#: energy balance, relative to the largest energy, that gets a warning
UNBALANCED = 0.05
#: residual of positions that gets one [size or rad]
OPEN = 1e-6
#: time [s], level and text of a message
Told = tuple[float, str, str]


class Recording:
    """Frames, events and messages of one motion of a prepared system, which go into a sink.

    end: of the motion [s], infinite where its caller steps it; times: of the planned frames. Its problem is
    at its initial state.
    """

    complete = False

    def __init__(self, prepared: Prepared, sink: Sink, end: float, times: FrameTimes) -> None:
        self.prepared, self.sink, self.end = prepared, sink, end
        self.system, self.registry = prepared.system, prepared.registry
        self.observers = Observers()
        self.ask = self.observers.ask
        prepared.recorder.observers = self.observers
        with attribute_errors(self.system, self.registry):
            self.integrator: Integrator = prepared.start(end)
            self.problem = prepared.stepped
            self.watch = self.ask(DETECTOR, lambda: watch(prepared), None)
        self.blocks = FrameBlocks(prepared, self.integrator, times, end)
        self.events = PendingEvents(prepared.recorder)
        self.pair_sums = NO_SUMS  # those of the last frame
        self.advised = prepared.singular is not None
        self.next = 0  # number of the next frame
        self.unplanned = 0  # frames at other times than the planned ones
        self.worst = [0.0, 0.0, 0.0]  # drift of positions and of velocities, energy balance
        self.energy_scale = 1e-300
        self.cpu = 0.0
        self.resumed = 0.0
        self.notes: list[str] = []  # on how the run began
        self.remarks: tuple[str, ...] = ()  # of the solver, at the end
        self.doubts: list[str] = []  # warnings about steps that may have no solution
        self.result_warnings: tuple[str, ...] = ()  # warnings about constraints and energy
        self.stopped = ""  # by which condition, and when
        self.reached = -1.0  # time of the last frame [s]
        self.stopped_before = False  # the motion that is continued has been stopped
        sink.attach(self)

    @property
    def planned(self) -> int:
        """Number of the next planned frame."""
        return self.next - self.unplanned

    @property
    def expected_frames(self) -> int:
        """Frames that it will have; 0: its caller decides."""
        return len(self.times) if np.isfinite(self.end) else 0

    @functools.cached_property
    def text(self) -> str:
        """The scene as TOML."""
        return self.system.to_toml()

    @functools.cached_property
    def identity(self) -> str:
        """Keys in which a resumed run has to agree."""
        return hashlib.sha256(without_end(self.system).encode()).hexdigest()

    @property
    def times(self) -> FrameTimes:
        """Times of the frames."""
        return self.blocks.times

    # what is saved, and continued from

    def saved(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and attributes of a checkpoint."""
        arrays = {f"solver_{name}": array for name, array in self.integrator.save().items()}
        of_events, of_changes = self.events.saved()
        arrays |= of_events | {"pair_sums": self.pair_sums.saved()}
        attributes = {
            "worst": list(map(float, self.worst)),
            "energy_scale": float(self.energy_scale),
            "time": self.integrator.time,
            "unplanned": self.unplanned,
            "inputs": self.played_inputs(),
            "changes": {**of_changes, "dof": self.prepared.recorder.dof},
            "observers": self.observers.saved(),
        }
        return arrays, attributes

    def resume_from(self, saved: Any, times: FrameTimes, frames: int, reached: float) -> None:
        """Continue from a checkpoint of `saved`, after so many frames, the last at the time `reached` [s].
        Raises many exceptions if it is of something else.
        """
        solver = {k.removeprefix("solver_"): a for k, a in saved.arrays.items() if k.startswith("solver_")}
        self.integrator.load(solver)
        if not np.isfinite(self.integrator.time):
            raise ValueError("a time that is not finite")
        self.worst = [float(saved.attributes["worst"][k]) for k in range(3)]
        self.energy_scale = float(saved.attributes["energy_scale"])
        self.events.load(saved.arrays, saved.attributes["changes"])
        self.pair_sums = PairSums.of(saved.arrays["pair_sums"])
        self.prepared.recorder.dof = int(saved.attributes["changes"]["dof"])
        self.unplanned = int(saved.attributes.get("unplanned", 0))
        if of_observers := saved.attributes.get("observers"):
            self.observers.load(of_observers)
        self.blocks.times, self.next, self.reached = times, frames, reached
        self.stopped_before = self.integrator.at_stop
        self.resumed = self.integrator.time

    def refuse_end_before_start(self) -> None:
        """Raises SceneError if the run that is continued has gone further."""
        if self.end < self.resumed:
            raise SceneError("--end", self.end, f"that run has reached t = {self.resumed:.9g} s already")

    def played_inputs(self) -> str:
        """Digest of the schedules of the inputs up to the present time; "" without any."""
        inputs = self.problem[groups.Inputs]
        n = int(np.searchsorted(inputs.time, self.integrator.time, side="right"))
        arrays = (inputs.time[:n], inputs.input[:n], inputs.sample[:n])
        return hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest() if n else ""

    # messages

    def report(self, t: float | None, level: str, text: str) -> None:
        self.sink.message(t, level, cut(text))

    def note(self, text: str) -> None:
        """Say, here and in the summary, how the run began."""
        self.notes.append(text)
        self.report(self.resumed, "info", text)

    def report_failures(self) -> None:
        """Say which observers have failed."""
        for level, text in self.observers.told():
            self.report(self.integrator.time, level, text)

    def report_final_messages(self) -> None:
        """Write the messages of the solver and of enforcement laws at the end."""
        closing = self.ask("the final messages of the solver", self.integrator.closing, [])
        for level, text in closing:
            self.report(self.integrator.time, level, text)
        self.remarks = tuple(text for _, text in closing)
        found = self.ask(
            "the check of drift and energy", lambda: [*result_warnings(self.worst[0], self.energy_error)], []
        )
        for text in found:
            self.report(None, "warning", text)
        self.result_warnings = (*self.doubts, *found)
        for level, text in self.ask("the final messages of enforcement laws", self.of_laws, []):
            self.report(self.integrator.time, level, text)

    def of_laws(self) -> list[tuple[str, str]]:
        """(level, text) of the messages of enforcement laws at the end."""
        if self.prepared.laws:
            self.integrator.show(self.integrator.time)
        return [message for law in self.prepared.laws for message in law.after(self.problem)]

    def followers(self) -> dict[str, Callable[[Any], list[Told]]]:
        """By name who looks at the changes of rows after some steps, and has messages."""
        time, dof = self.integrator.time, self.prepared.recorder.dof
        nobody: Any = None
        sharing, acting = "the messages on shared forces", "the messages on what acts"
        of_sharing = self.ask(sharing, lambda: Sharing(self.problem, self.prepared.rank, time, dof), nobody)
        of_acting = self.ask(acting, lambda: ActivityMessages(self.problem, dof), nobody)
        return {
            "the messages of the solver": lambda _: self.integrator.messages(),
            acting: lambda changes: of_acting.follow(changes),
            sharing: lambda changes: of_sharing.follow(changes),
        }

    def note_events(self, changes: Any, impacts: Any) -> None:
        """Note the changes of rows and the impacts that the last steps have brought."""
        self.events.add(changes, impacts)
        self.ask("the events of the summary", lambda: self.events.describe(changes, impacts), None)

    def tell(self, messages: list[Told]) -> None:
        """Write messages, and keep doubts for the end."""
        for t, level, text in messages:
            self.report(t, level, text)
            if isinstance(text, Doubt):
                self.doubts.append(text)

    def record(self, frames: Frames | None, quiet: bool = False) -> None:
        """Write the frames that the last steps have passed; quiet: without entries of lists, whatever the
        tables hold.
        """
        if frames is None:
            return
        frames.quiet = quiet
        frames.changes, frames.impacts = self.events.until(float(frames.times[-1]))
        frames.sums_before = self.pair_sums
        if len(frames.changes):
            self.prepared.recorder.dof = int(frames.changes["dof"][-1])
        if self.system.sensors:
            frames["outputs/value"]  # now: frames in memory are read later
        self.sink.write(frames, self.singular_positions(frames))
        if not quiet:
            self.pair_sums = self.prepared.recorder.pair_sums
        self.next += frames.count
        # the first block has one frame where rows are redundant
        if self.next == 1 and self.prepared.rank.rank < self.prepared.rank.rows:
            text = self.ask("the report of shared reactions", lambda: shares(self.prepared), "")
            if text:
                self.report(0.0, "info", text)
        if not quiet:
            self.ask("the solver's look at frames", self.integrator.observe, None)
        self.reached = float(frames.times[-1])
        known = self.ask("the measure of drift and energy", lambda: self.measure(frames), False)
        if not known:
            self.worst, self.energy_scale = [np.nan] * 3, np.nan

    def record_unplanned(self, t: float) -> None:
        """Write the frame at the present time t [s], which is none of the planned ones."""
        self.integrator.show(t)
        self.unplanned += 1
        self.record(self.prepared.recorder.frames(self.prepared.recorder.row(), np.array([t])))

    def measure(self, frames: Frames) -> bool:
        """Note the largest drift and energies of these frames. Returns True."""
        kinetic, potential, *drifts = (
            np.abs(frames.numbers[groups.FrameValues, "numbers"]).max(axis=0).tolist()
        )
        largest = lambda key: float(np.abs(frames[key]).max())
        for k, value in enumerate((*drifts, largest("energy/balance"))):
            self.worst[k] = max(self.worst[k], value)
        moved = [largest(key) for key in ("energy/work", "energy/dissipated", *self.prepared.recorder.losses)]
        self.energy_scale = max(self.energy_scale, kinetic, potential, *moved)
        return True

    def singular_positions(self, frames: Frames) -> Iterator[tuple[int, Message]]:
        """(frame, (time, level, text)) of the messages on singular positions before a frame, in order."""
        if self.watch is None:
            return
        for number, singular, text in self.observers.each(DETECTOR, lambda: self.passed(frames)):
            yield number, (singular.time, "warning", text)
            if not self.advised:
                yield number, (singular.time, "info", ADVICE)
            self.advised = True
        for level, text in self.observers.told():
            yield frames.count, (float(frames.times[-1]), level, text)

    def passed(self, frames: Frames) -> Iterator[tuple[int, Singular, str]]:
        """(frame, singular position before it, its text)."""
        assert self.watch is not None
        numbers = frames.numbers
        modes = numbers[groups.State, "mode"] if (groups.State, "mode") in numbers.layout.number else None
        G, scale, q, v, v_dot = (numbers[key] for key in WATCHED_ARRAYS)
        for number, singular in self.watch.frames(frames.times, G, scale, q, v, v_dot, modes):
            yield number, singular, str(singular)

    def largest_energy(self) -> float:
        """Scale of the energy balance [J]. At rest, where energies are rounding, what the forces could do
        over the size of the mechanism.
        """
        forces = np.abs(self.problem[Wrenches].wrench.reshape(-1, 6)[:, :3]).max(initial=0.0)
        possible = float(forces) * self.problem.names.size
        return possible if self.energy_scale < AT_REST * possible else self.energy_scale

    @property
    def energy_error(self) -> float:
        """Largest |balance| relative to the largest energy."""
        return self.worst[2] / self.largest_energy()

    def summary(self) -> RunSummary:
        report, counts = self.prepared.rank, self.integrator.statistics
        return RunSummary(
            report.dof,
            report.rows,
            report.rank,
            int(counts["steps"]),
            int(counts["evaluations"]),
            self.cpu,
            self.worst[0],
            self.worst[1],
            self.ask("the energy error of the summary", lambda: self.energy_error, np.nan),
            self.next,
            str(self.sink.folder or ""),
            self.complete,
            self.resumed,
            tuple(self.prepared.assembly.dropped),
            self.sink.series_kind,
            (*self.notes, *self.ask("the report of moved bodies", lambda: moved_bodies(self.prepared), [])),
            self.remarks,
            self.stopped,
            self.result_warnings,
            self.events.count,
            tuple(self.events.first),
        )


def result_warnings(drift: float, energy: float) -> Iterator[str]:
    """Warnings about a run whose frames have this drift [size or rad] and this relative energy error."""
    if drift > OPEN:
        yield (
            f"constraints are open by up to {drift:.2g} of the size of the mechanism (or rad): frames there "
            "are wrong (`mbplugin plot RESULT constraints.drift_position` shows when); compare with a "
            "smaller `step` or `tolerance`"
        )
    if energy > UNBALANCED:
        yield (
            f"the energy balance is off by {energy:.2g} of the largest energy: the steps are too long, or "
            "a force does work that it does not report; compare with a smaller `step` or `tolerance`"
        )
