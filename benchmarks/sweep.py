"""Parameter points of the piston-crank: a copy, a changed parameter and a run in memory for each, by one
thread and by two. `python benchmarks/run.py sweep`.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from timing import ROUNDS, table

POINTS = 1000
SCENE = Path(__file__).parents[1] / "scenes/piston_crank"


def sweep() -> None:
    """Processor time of one thread against that of its compiled loops, and wall time of one and of two."""
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

    cranks = np.linspace(0.040, 0.046, POINTS).tolist()
    point(cranks[0])
    compiled = compilations[0]
    rows: list[list[object]] = []
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        alone = [point(crank) for crank in cranks]
        one, cpu = time.perf_counter() - wall, time.process_time() - cpu
        loops = sum(seconds for _, seconds in alone)
        wall = time.perf_counter()
        with ThreadPoolExecutor(2) as threads:
            together = list(threads.map(point, cranks))
        two = time.perf_counter() - wall
        assert [force for force, _ in together] == [force for force, _ in alone]
        each = 1e3 / POINTS
        rows.append([each * cpu, each * loops, cpu / loops, one, two, one / two])
    rows.append([float(np.median([row[i] for row in rows])) for i in range(6)])  # type: ignore[arg-type]
    head = ["CPU of a point [ms]", "its loops [ms]", "ratio", "one thread, wall [s]", "two", "times as fast"]
    table(f"{POINTS} points of the piston-crank; compilations: {compilations[0] - compiled}", head, rows)
