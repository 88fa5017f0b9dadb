"""Points handed to worker processes, or to a cluster of dask.distributed.

Both are executors of `concurrent.futures`, and a task is a few points. What was in the hands of a worker that
died is run again, one point at a time, so that a point that kills its worker takes no other one along.
"""

from __future__ import annotations

import gc
import hashlib
import math
import multiprocessing
import os
import pickle
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    wait,
)
from typing import Any, Protocol

from mbplugin.errors import PluginError, SceneError
from mbplugin.hooks.load import load_plugins, loaded_plugins
from mbplugin.run.interrupts import left_to_parent
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.run.sources import changed, sources
from mbplugin.sweeps.plan import Outcome, Plan, Points, failed

#: target wall time of a task, and how often a signal is looked for [s]
TASK, LOOK = 0.1, 0.2
#: tasks in the hands of a worker: one under way, one to follow
AHEAD = 2
#: points and their values
Todo = Sequence[tuple[int, Mapping[str, Any]]]
#: makes the digests of what the results stand on
Sources = Callable[[], Mapping[str, str]]


class Workers(Protocol):
    """Receiver of tasks. count: workers."""

    count: int

    def submit(self, todo: Todo) -> Future[Any]:
        """The outcomes of these points, and the wall time that they took [s]; or why the worker cannot
        begin.
        """

    def close(self) -> None:
        """End what is still under way."""


class Tasks:
    """Points that wait and points in the hands of workers. lost: those whose worker died."""

    def __init__(self, workers: Workers, todo: Todo) -> None:
        self.workers, self.waiting = workers, deque(todo)
        self.running: dict[Future[Any], Todo] = {}
        self.lost: list[tuple[int, Mapping[str, Any]]] = []
        self.size = 1  # of the next task, in points

    def hand_out(self) -> None:
        """Give each worker what it is to do now and next."""
        most = AHEAD * self.workers.count
        while self.waiting and len(self.running) < most:
            share = math.ceil(len(self.waiting) / most)
            some = [self.waiting.popleft() for _ in range(min(self.size, share))]
            self.running[self.workers.submit(some)] = some

    def outcomes(self, future: Future[Any]) -> list[Outcome]:
        """Outcomes of a task that has ended."""
        task = self.running.pop(future)
        if death_in(future) is not None:
            self.lost += task
            return []
        seconds, outcomes = received(future)
        self.size = max(1, int(TASK * len(task) / max(seconds, 1e-9)))
        return outcomes


def spread(workers: Workers, todo: Todo, stop: Sequence[int]) -> Iterator[Outcome]:
    """The outcomes of points as they come, until there are all, or until `stop[0]`. The workers begin at
    once. Raises PluginError if a worker cannot begin.
    """
    tasks = Tasks(workers, todo)
    tasks.hand_out()
    return coming(tasks, stop)


def coming(tasks: Tasks, stop: Sequence[int]) -> Iterator[Outcome]:
    """Outcomes like those of `spread`, of tasks that are under way."""
    while (tasks.waiting or tasks.running) and not stop[0]:
        tasks.hand_out()
        for future in wait(tasks.running, LOOK, FIRST_COMPLETED).done:
            yield from tasks.outcomes(future)
    for index, values in tasks.lost:
        future = tasks.workers.submit([(index, values)])
        while not stop[0] and not wait([future], LOOK).done:
            pass
        if stop[0]:
            return
        if (death := death_in(future)) is not None:
            yield failed(index, f"its worker died: {death}")
        else:
            yield from received(future)[1]


def death_in(future: Future[Any]) -> BaseException | None:
    """Reason for the end of a task's worker, or None. What a point raises is its message, and not this."""
    try:
        return future.exception()
    except CancelledError as error:  # a cluster that has forgotten it
        return error


def received(future: Future[Any]) -> tuple[float, list[Outcome]]:
    """Return value of a task. Raises PluginError."""
    answer = future.result()
    if isinstance(answer, str):
        raise PluginError(f"a worker of the sweep cannot begin: {answer}")
    return answer  # type: ignore[no-any-return]


def outcomes_of(points: Points, todo: Todo) -> tuple[float, list[Outcome]]:
    """Outcomes of a worker's points."""
    start = time.monotonic()
    outcomes = [points.run(index, values) for index, values in todo]
    return time.monotonic() - start, outcomes


# processes of this machine

#: those of this worker process; a text: why it has none
mine: Points | str = "it has no system"


class Processes:
    """Worker processes. Where processes fork, they have the compiled system of this one; elsewhere they read
    the plan and the cache of machine code. They end with this process, however it ends.
    """

    def __init__(self, prepared: Prepared, plan: Plan, count: int, sources: Sources) -> None:
        self.count = count
        self.context = multiprocessing.get_context(start_method())
        forks = self.context.get_start_method() == "fork"
        self.given = Points(prepared, plan.measures, plan.end) if forks else pickled(plan, sources(), pickle)
        self.begin()

    def begin(self) -> None:
        # the workers hold the other end of this pipe: nobody writes to it, but its end is seen
        reader, self.writer = self.context.Pipe(duplex=False)
        self.executor = ProcessPoolExecutor(
            self.count, self.context, initializer=begin_process, initargs=(self.given, reader, self.writer)
        )

    def submit(self, todo: Todo) -> Future[Any]:
        try:
            return self.executor.submit(in_process, todo)
        except BrokenExecutor:
            self.close()
            self.begin()
            return self.executor.submit(in_process, todo)

    def close(self) -> None:
        self.writer.close()  # the workers end, also within a point
        self.executor.shutdown(wait=True, cancel_futures=True)


def start_method() -> str:
    """How worker processes begin: a fork takes milliseconds, but is safe on Linux alone."""
    return "fork" if sys.platform == "linux" else "spawn"


def begin_process(given: Points | bytes, reader: Any, writer: Any) -> None:
    """The beginning of a worker process."""
    global mine
    left_to_parent()
    writer.close()
    threading.Thread(target=end_with_parent, args=(reader,), daemon=True).start()
    mine = given if isinstance(given, Points) else unpickled(given)
    gc.freeze()  # what is compiled stays


def end_with_parent(reader: Any) -> None:
    """Wait until the parent has closed its end of the pipe, or has died, and end."""
    try:
        reader.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


def in_process(todo: Todo) -> tuple[float, list[Outcome]] | str:
    return mine if isinstance(mine, str) else outcomes_of(mine, todo)


# a cluster


class Cluster:
    """The workers of a `dask.distributed.Client`. Each makes the system once; the scheduler gives what a dead
    worker held to others.
    """

    def __init__(self, plan: Plan, client: Any, sources: Sources) -> None:
        import cloudpickle  # dask.distributed needs it

        self.executor = client.get_executor(pure=False)
        self.futures: list[Future[Any]] = []
        self.payload = pickled(plan, sources(), cloudpickle)
        self.key = hashlib.sha256(self.payload).hexdigest()
        self.count = max(1, sum(client.nthreads().values()))

    def submit(self, todo: Todo) -> Future[Any]:
        try:
            future: Future[Any] = self.executor.submit(on_cluster, self.key, self.payload, list(todo))
        except Exception as error:
            raise PluginError(f"the cluster takes no points: {type(error).__name__}: {error}") from None
        self.futures = [known for known in self.futures if not known.done()] + [future]
        return future

    def close(self) -> None:
        for future in self.futures:
            future.cancel()
        self.executor.shutdown(wait=False)


#: of a worker of a cluster: those of the plans that it has seen last
seen: dict[str, Points | str] = {}
making = threading.Lock()
MOST_SEEN = 4


def on_cluster(key: str, payload: bytes, todo: Todo) -> tuple[float, list[Outcome]] | str:
    """A task on a cluster."""
    with making:
        if key not in seen:
            while len(seen) >= MOST_SEEN:
                del seen[next(iter(seen))]
            seen[key] = unpickled(payload)
        points = seen[key]
    return points if isinstance(points, str) else outcomes_of(points, todo)


# plans on their way


def pickled(plan: Plan, sources: Mapping[str, str], by: Any) -> bytes:
    """A plan for a process elsewhere, which must have the same sources. Raises SceneError for a function that
    cannot be sent.
    """
    try:
        return by.dumps((plan, sources))  # type: ignore[no-any-return]
    except Exception as error:
        mend = "cannot be sent to a worker; define it in a module, without lambda"
        raise SceneError("measure", mend=f"{mend} ({type(error).__name__}: {error})") from None


def unpickled(payload: bytes) -> Points | str:
    """The points of a plan, compiled here; a text: why not."""
    try:
        plan, there = pickle.loads(payload)
        registry, plugins = load_plugins(list(plan.disabled))
        prepared = prepare(plan.system, registry)
        here = sources(prepared, registry, loaded_plugins(plugins))
        if differences := changed(there, here):
            return f"at it, {'; '.join(differences)}"
        return Points(prepared, plan.measures, plan.end)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
