"""Runs cases in a process of its own: `python worker.py FIRST COUNT`. One line of JSON a case.

    {"case": 7, "scene": "atwood", "found": "", "said": "...", "seconds": 0.1}

`found` is what must not be: a traceback, a message of more than a few lines, a frame that is not finite.
A case that takes too much processor time ends the process by SIGPROF, after its stack was printed.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
from mutated_scenes import SCENES, case  # noqa: E402

from mbplugin.analysis.redundancy.redundancy import redundancy  # noqa: E402
from mbplugin.errors import MbpluginError, SceneError  # noqa: E402
from mbplugin.hooks.load import load_plugins  # noqa: E402
from mbplugin.hooks.registry import Registry  # noqa: E402
from mbplugin.model import System  # noqa: E402
from mbplugin.run.faults import attribute_errors  # noqa: E402
from mbplugin.run.prepare import prepare  # noqa: E402

#: frames of a case, simulated span and processor time of the loop [s]
FRAMES, SPAN, SECONDS = 4, 0.05, 1.0
#: processor time of a case, without that of the compiler [s]
LIMIT = 20.0


def simulated(text: str, folder: Path, registry: Registry) -> None:
    """As `mbplugin check` and the beginning of `mbplugin run`. Raises MbpluginError, and AssertionError for a
    frame that is not finite.
    """
    system = System.from_text(text, folder=folder)
    prepared = prepare(system, registry)
    redundancy(prepared.problem, system, report=prepared.rank)
    end = min(system.solver.end, SPAN)
    with attribute_errors(system, registry):
        integrator = prepared.start(end)
        prepared.recorder.static()
        stop = time.process_time() + SECONDS
        for t in np.linspace(0.0, end, FRAMES):
            while integrator.time < t and time.process_time() < stop:
                integrator.advance(end, t, 50)
            if integrator.time < t:
                return
            integrator.show(float(t))
            check_frame(prepared.recorder.frame())


def check_frame(frame: dict[str, Any]) -> None:
    for name, values in frame.items():
        array = np.asarray(values)
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise AssertionError(f"frame is not finite: {name} = {array.ravel()[:6].tolist()}")


def judged(number: int, registry: Registry) -> dict[str, Any]:
    """What one case gives."""
    name, text = case(number)
    start, found, said = time.process_time(), "", "ran"
    try:
        simulated(text, SCENES / name, registry)
    except MbpluginError as error:
        said = str(error)
        found = fault_of_message(error, said)
    except BaseException:
        found = traceback.format_exc()
    seconds = time.process_time() - start
    return {"case": number, "scene": name, "found": found, "said": said, "seconds": seconds}


def fault_of_message(error: MbpluginError, said: str) -> str:
    if not all(c.isprintable() or c == "\n" for c in said):
        return f"control characters in the message: {said!r}"
    # contradictory constraints are listed, one a line
    if said.count("\n") > (2 if isinstance(error, SceneError) else 8) or len(said) > 4000:
        return f"a long message: {said}"
    if isinstance(error, SceneError) and not error.key and not error.mend:
        return f"a message that names nothing: {said!r}"
    return ""


class Compiling(event.Listener):
    """Stops the clock of processor time while the compiler works."""

    def __init__(self) -> None:
        self.depth, self.left = 0, 0.0

    def on_start(self, started: Any) -> None:
        self.depth += 1
        if self.depth == 1:
            self.left, _ = signal.setitimer(signal.ITIMER_PROF, 0.0)

    def on_end(self, ended: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            signal.setitimer(signal.ITIMER_PROF, self.left)


def work(judged: Callable[[int, Registry], dict[str, Any]], first: int, count: int) -> None:
    """Judge cases, one line of JSON each, and say what is under way."""
    warnings.simplefilter("ignore")
    registry, _ = load_plugins()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    event.register("numba:compiler_lock", Compiling())
    faulthandler.register(signal.SIGPROF, chain=True)
    for number in range(first, first + count):
        print(json.dumps({"begin": number}), file=out, flush=True)
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        print(json.dumps(judged(number, registry)), file=out, flush=True)


if __name__ == "__main__":
    work(judged, int(sys.argv[1]), int(sys.argv[2]))
