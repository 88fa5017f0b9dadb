"""`sweep`: a system at many points of its parameters."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from signal import SIGINT
from typing import Any

from mbplugin.api import System, plugins, plugins_used
from mbplugin.errors import Interrupted, SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.model.reading import tables_with_values
from mbplugin.results import folder
from mbplugin.run.interrupts import interrupts
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.run.sources import sources
from mbplugin.sweeps.grid import Grid
from mbplugin.sweeps.measure import measures_of
from mbplugin.sweeps.outcome import Sweep
from mbplugin.sweeps.plan import Outcome, Plan, Points, identity, plan_of, questions
from mbplugin.sweeps.store import FILE, PARTS, PICTURE, TABLE, Store
from mbplugin.sweeps.workers import Cluster, Processes, Sources, Todo, Workers, spread

#: called with points done, points failed among them, and all points
Progress = Callable[[int, int, int], None]


@contextmanager
def bar(wanted: bool) -> Iterator[Progress | None]:
    """A bar, if it is wanted and standard error is a terminal or a notebook."""
    if not wanted or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield None  # without rich, which takes 0.02 s to import
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.completed} of {task.total} points{task.fields[failed]}")
    with Progress(text, BarColumn(), TimeRemainingColumn(), console=console) as display:
        task = display.add_task("sweep", total=None, failed="")

        def show(done: int, failed: int, total: int) -> None:
            ending = f", {failed} failed" if failed else ""
            display.update(task, completed=done, total=total, failed=ending)

        yield show


MOST_PROCESSES = 1024


def sweep(
    system: System | str | os.PathLike[str],
    values: Mapping[str, Iterable[Any]],
    measure: Any,
    *,
    processes: int = 1,
    pairs: bool = False,
    end: float | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    replace: bool = False,
    client: Any = None,
    progress: bool | Progress = True,
) -> Sweep:
    """Run a system at all points of a grid of values, and keep some numbers of each run.

    system:    a System, or the path of a scene
    values:    key -> its values; keys as for `Problem.set_parameter`
    measure:   a text such as "max(norm(joint.hinge.force))", or a function of a `Result` that returns a
               number, an array or a dict of these; or several of them in a list, or by name in a dict
    processes: worker processes; the results are the same bits for any number
    pairs:     the first values of all keys, then the second ones, ... instead of all combinations
    end:       end time of the runs [s]; default: that of the scene
    out:       folder for sweep.nc and sweep.csv; default: nothing is written
    resume:    continue the sweep in that folder: points that were run stay as they are
    replace:   write over a sweep of other values or measures in that folder; without it that is refused
    client:    a `dask.distributed.Client`, whose workers take the place of processes
    progress:  whether to show a bar on a terminal; or a function of points done, failed and in all

    A point that fails is kept with its message, and the others go on. Raises SceneError, PhysicsError and
    PluginError before the first point, StoreError, and Interrupted, whose `result` is the sweep up to it.
    """
    if not isinstance(system, System):
        system = System.from_file(system)
    grid, measures = Grid(values, pairs), measures_of(measure)
    registry = plugins()[0]
    return run(
        system,
        grid,
        measures,
        registry,
        plugins_used(),
        processes,
        end,
        out,
        resume,
        client,
        progress,
        (),
        replace=replace,
    )


def run(
    system: System,
    grid: Grid,
    measures: Sequence[Any],
    registry: Registry,
    used: list[dict[str, str]],
    processes: int,
    end: float | None,
    out: str | os.PathLike[str] | None,
    resume: bool,
    client: Any,
    progress: bool | Progress,
    disabled: Sequence[str],
    replace: bool = False,
    against: str | None = None,
) -> Sweep:
    """`sweep` with these plugins; disabled: names of those that are left out; against: what its plot will
    have along x in the place of time.
    """
    if isinstance(processes, bool) or not 1 <= processes <= MOST_PROCESSES:
        raise SceneError("sweep: processes", processes, f"must be 1 to {MOST_PROCESSES}")
    if resume and out is None:
        raise SceneError("sweep: resume", True, "needs the folder of the sweep: out")
    for key, given in grid.values.items():
        try:
            tables_with_values(system, {key: given[0]})
        except SceneError as error:
            raise system.locate(SceneError(f"sweep: {key}", mend=error.mend)) from None
    try:
        prepared = prepare(system.copied(), registry)
    except SceneError as error:
        if not all(body.has_mass for body in system.bodies):
            error.mend += (
                "; a sweep runs simulations, and only `mbplugin analyze SCENE kinematic` needs no masses"
            )
        raise
    plan = plan_of(prepared, measures, end, disabled, grid)
    if against is not None:
        plan.refuse_against(against)
    digests = functools.cache(lambda: sources(prepared, registry, used))
    path = Path(out) if out is not None else None
    with ExitStack() as stack:
        stop = stack.enter_context(interrupts())
        store, outcomes = None, {}
        if path is not None:
            stack.enter_context(folder.locked(path, FILE, TABLE, PICTURE, *PARTS, scene=system.file))
            store = Store(path, lambda: identity(plan, grid, digests()))
            if resume:
                outcomes = store.outcomes(grid)
            elif not replace:
                store.refuse_to_replace(questions(plan, grid))
        todo = [(index, grid.point(index)) for index in range(len(grid)) if index not in outcomes]
        workers = workers_of(prepared, plan, processes, client, digests, len(todo))
        failed = sum(bool(outcome.message) for outcome in outcomes.values())
        try:
            coming = (
                spread(workers, todo, stop) if workers else alone(Points(prepared, measures, end), todo, stop)
            )
            # while the workers are at work
            display = bar(progress) if isinstance(progress, bool) else nullcontext(progress)
            show = stack.enter_context(display)
            if workers is not None:
                threading.Thread(target=digests, daemon=True).start()
            for outcome in coming:
                outcomes[outcome.point] = outcome
                failed += bool(outcome.message)
                if show is not None:
                    show(len(outcomes), failed, len(grid))
                if store is not None and store.due():
                    store.save(Sweep(grid, plan.units, outcomes))
        finally:
            if workers is not None:
                workers.close()
            if store is not None and outcomes:
                done = Sweep(grid, plan.units, outcomes)
                store.finish(done) if done.complete else store.save(done)
        found = Sweep(grid, plan.units, outcomes)
        found.folder = path
        if not found.complete:
            kept = "continue with --resume" if store is not None else "they were not stored"
            text = f"interrupted after {len(outcomes)} of {len(grid)} points; {kept}"
            interrupted = Interrupted(text, stop[0] or SIGINT)
            interrupted.result = found
            raise interrupted
    return found


def workers_of(
    prepared: Prepared, plan: Plan, processes: int, client: Any, digests: Sources, points: int
) -> Workers | None:
    """Where points are run; None: in this process."""
    if not points:
        return None
    if client is not None:
        return Cluster(plan, client, digests)
    count = min(processes, points)
    return Processes(prepared, plan, count, digests) if count > 1 else None


def alone(points: Points, todo: Todo, stop: Sequence[int]) -> Iterator[Outcome]:
    """The outcomes of points that are run in this process, until `stop[0]`."""
    for index, values in todo:
        if stop[0]:
            return
        try:
            outcome = points.run(index, values)
        except Interrupted:
            return
        yield outcome
