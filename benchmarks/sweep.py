"""Parameter points: `mb.sweep` in one process and in two, the command, and threads over copies of a problem.
`python benchmarks/run.py sweep`; each part also by itself: `python benchmarks/sweep.py pendulums 1000`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from timing import ROUNDS, alone, sized, table

POINTS = 1000
SCENE = Path(__file__).parents[1] / "scenes/piston_crank"
PENDULUM = Path(__file__).parents[1] / "scenes/double_pendulum"


def sweep() -> None:
    """All parts."""
    pendulums()
    command()
    threads()


def force_and_loop(result: Any) -> dict[str, float]:
    """Largest force in the shoulder [N], and seconds in compiled loops."""
    force = np.sqrt((result.joint("shoulder").force ** 2).sum(axis=1)).max()
    return {"force": float(force), "loop": result.summary.cpu_seconds}


def pendulums(points: int | None = None) -> None:
    """Double pendulums of 10 s, one measure: processor time of one process against that of its compiled
    loops, and wall time of one process and of two, their start included. Half the processor time of two is
    their wall time on a machine that does nothing else.
    """
    import mbplugin as mb

    points = points or sized(POINTS, 2)
    end = sized(10.0, 0.1)
    system = mb.System.from_file(PENDULUM, set={"solver.end": end})
    masses = np.linspace(0.5, 2.0, points)
    mb.sweep(system, {"mass": masses[:2]}, force_and_loop, progress=False)
    rows: list[list[object]] = []
    for _ in range(sized(ROUNDS, 1)):
        wall, cpu = time.perf_counter(), time.process_time()
        one = mb.sweep(system, {"mass": masses}, force_and_loop, progress=False)
        first, cpu = time.perf_counter() - wall, time.process_time() - cpu
        wall, before = time.perf_counter(), os.times()
        two = mb.sweep(system, {"mass": masses}, force_and_loop, processes=2, progress=False)
        second, both = time.perf_counter() - wall, sum(os.times()[:4]) - sum(before[:4])
        assert two["force"].tobytes() == one["force"].tobytes()
        loops = float(one["loop"].sum())
        walls = [first, second, second / first]
        rows.append([1e3 * loops / points, cpu / loops, *walls, both / cpu / 2, os.getloadavg()[0]])
    rows.append([statistics.median(column) for column in zip(*rows)])  # type: ignore[type-var]
    head = ["loop of a point [ms]", "CPU / loops", "one process, wall [s]", "two", "two / one"]
    head += ["half the CPU of two / CPU of one", "load"]
    table(f"{points} double pendulums, {end:g} s each", head, rows)


def command(points: int | None = None) -> None:
    """`mbplugin sweep` of the piston-crank in two processes, from its start to its end; the first time is not
    counted.
    """
    points = points or sized(50, 2)
    code = "from mbplugin.cli import main; main()"
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        words = ["sweep", str(SCENE), f"crank=0.04:0.046:{points}", "-m", "max(norm(main_bearing.force))"]
        line = [sys.executable, "-c", code, *words, "--processes", "2", "-o", folder]
        for _ in range(sized(ROUNDS, 1) + 1):
            wall, before = time.perf_counter(), os.times()
            subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
            after = os.times()
            cpu = sum(after[2:4]) - sum(before[2:4])
            rows.append([time.perf_counter() - wall, cpu, os.getloadavg()[0]])
    head = ["wall [s]", "CPU of all [s]", "load"]
    table(f"mbplugin sweep, {points} points of the piston-crank in two processes", head, rows[1:])


def threads() -> None:
    """The piston-crank, a copy for each point: processor time of one thread against that of its compiled
    loops, and wall time of one and of two.
    """
    import mbplugin as mb
    from mbplugin.codegen.compiled import compilations

    problem = mb.System.from_file(SCENE).compile()

    def point(crank: float) -> tuple[float, float]:
        """Largest force in the main bearing [N], and seconds in compiled loops."""
        changed = problem.copy()
        changed.set_parameter("crank", crank)
        result = changed.run()
        assert result.summary is not None
        return float(np.abs(result.joint("main_bearing").force).max()), result.summary.cpu_seconds

    points = sized(POINTS, 2)
    cranks = np.linspace(0.040, 0.046, points).tolist()
    point(cranks[0])
    compiled = compilations[0]
    rows: list[list[object]] = []
    for _ in range(sized(ROUNDS, 1)):
        wall, cpu = time.perf_counter(), time.process_time()
        alone = [point(crank) for crank in cranks]
        one, cpu = time.perf_counter() - wall, time.process_time() - cpu
        loops = sum(seconds for _, seconds in alone)
        wall = time.perf_counter()
        with ThreadPoolExecutor(2) as threads:
            together = list(threads.map(point, cranks))
        two = time.perf_counter() - wall
        assert [force for force, _ in together] == [force for force, _ in alone]
        each = 1e3 / points
        rows.append([each * cpu, each * loops, cpu / loops, one, two, one / two])
    rows.append([float(np.median([row[i] for row in rows])) for i in range(6)])  # type: ignore[arg-type]
    head = ["CPU of a point [ms]", "its loops [ms]", "ratio", "one thread, wall [s]", "two", "times as fast"]
    table(f"{points} points of the piston-crank; compilations: {compilations[0] - compiled}", head, rows)


if __name__ == "__main__":
    alone()
    part, *points = sys.argv[1:]
    {"pendulums": pendulums, "command": command}[part](*map(int, points))
