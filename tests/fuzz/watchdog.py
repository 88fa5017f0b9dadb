"""Runs cases in a worker process, which ends where one takes too much processor time; goes on with the next.

python watchdog.py FIRST COUNT [worker of robots: robot_worker.py]
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).with_name("worker.py")
#: wall time without a line after which a worker waits in vain, as it computes no more [s]
SILENCE = 1200.0
Case = dict[str, Any]


def cases(first: int, count: int, program: Path | None = None) -> Iterator[Case]:
    """What cases first, first + 1, ... give; a case that takes too long or ends the process is found too."""
    number = first
    while number < first + count:
        for result in worker(number, first + count - number, program or WORKER):
            yield result
            number = result["case"] + 1


def worker(first: int, count: int, program: Path) -> Iterator[Case]:
    """Results of one worker process until it has done all, ends or says nothing."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "plugins"), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, str(program), str(first), str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    lines: queue.Queue[str] = queue.Queue()
    said: list[str] = []
    threading.Thread(target=read, args=(process.stdout, lines.put), daemon=True).start()
    threading.Thread(target=read, args=(process.stderr, said.append), daemon=True).start()
    number, done = first, 0
    try:
        while done < count:
            line = lines.get(timeout=SILENCE)
            if not line:
                process.wait()
                last = "".join(said)[-1500:]
                yield fault(number, f"{end_of(process.returncode)}: {last}")
                return
            told = json.loads(line)
            number = told.get("begin", number)
            if "case" in told:
                done += 1
                yield told
    except queue.Empty:
        yield fault(number, f"says nothing for {SILENCE:.0f} s")
    finally:
        process.kill()
        process.wait()


def read(stream: Any, put: Any) -> None:
    for line in stream:
        put(line)
    put("")


def end_of(code: int) -> str:
    """What the exit code of a worker says."""
    return "takes too much processor time" if code == -signal.SIGPROF else f"the process ended with {code}"


def fault(number: int, found: str) -> Case:
    return {"case": number, "scene": "", "found": found, "said": "", "seconds": 0.0}


if __name__ == "__main__":
    faults = 0
    for result in cases(int(sys.argv[1]), int(sys.argv[2]), *map(WORKER.with_name, sys.argv[3:])):
        if result["found"]:
            faults += 1
            print(result["case"], result["scene"], result["found"], sep="\n", end="\n\n", flush=True)
    print(f"{sys.argv[2]} cases, {faults} faults")
