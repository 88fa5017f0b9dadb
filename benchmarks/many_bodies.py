"""Processor seconds of 5,000 spheres (ten steps, eleven frames), and of pictures and a movie."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import sized, table

import mbplugin as mb
from mbplugin import api
from mbplugin.run.loop import Run
from mbplugin.run.prepare import prepare
from mbplugin.run.store_sink import StoreSink

SCENE = Path(__file__).resolve().parents[1] / "scenes" / "piston_crank"
SPHERES, BODIES, FPS = 5_000, 300, 25
#: processor seconds of a process that draws a result, without the program that encodes a movie
DRAW = """
import sys, time
import mbplugin as mb
start = time.process_time()
mb.load(sys.argv[1]).render(sys.argv[2], fps=int(sys.argv[3]))
print(time.process_time() - start)
"""


def spheres(n: int) -> mb.System:
    """n spheres that fly apart from a cubic lattice."""
    rng = np.random.default_rng(1)
    side = round(n ** (1 / 3)) + 1
    fixed: dict[str, Any] = {"type": "rk", "integrator": "rk4", "step": 1e-3, "end": 0.01}
    system = mb.System(solver=fixed, output={"frames": 10})
    for k in range(n):
        system.add(
            mb.Body(
                name=f"ball_{k}",
                density=1000.0,
                position=[0.1 * (k % side), 0.1 * (k // side % side), 0.1 * (k // side**2)],
                velocity=rng.normal(size=3).tolist(),
                angular_velocity=rng.normal(size=3).tolist(),
                shape=[{"type": "sphere", "radius": 0.04}],
            )
        )
    return system


def boxes(n: int) -> mb.System:
    """n boxes of different sizes on a lattice."""
    system = mb.System(solver={"type": "rk", "end": 0.1}, output={"frames": 20})
    for k in range(n):
        box = {"type": "box", "size": [0.1 + 0.001 * k, 0.2, 0.3]}
        system.add(mb.Body(name=f"b{k}", density=1000.0, position=[k % 20, k // 20, 0], shape=[box]))
    return system


def drawn(folder: Path, file: str, fps: int = FPS) -> float:
    line = [sys.executable, "-c", DRAW, str(folder), str(folder / file), str(fps)]
    return float(subprocess.run(line, check=True, capture_output=True, text=True).stdout)


def many_bodies() -> None:
    count, bodies, fps = sized((SPHERES, BODIES, FPS), (10, 3, 1))
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # the first run compiles
        spheres(10).run(folder / "few")
        start = time.process_time()
        system = spheres(count)
        made = time.process_time()
        run = Run(prepare(system, api.plugins()[0]), StoreSink(folder / "many", [], False))
        prepared = time.process_time()
        run.sink.begin()
        created = time.process_time()
        run.loop([0], None)
        looped = time.process_time()
        run.sink.close(True)
        series = folder / "many/result"
        store = sum(
            p.stat().st_size
            for p in (folder / "many/result.zarr/bodies").rglob("c.*")
            if p.parent.name != "center_of_mass"  # not of a frame
        )
        points = sum(p.stat().st_size for p in series.iterdir())
        rows += [
            ["System in Python [s]", made - start],
            ["prepare [s]", prepared - made],
            ["create [s]", created - prepared],
            ["loop of ten steps [s]", run.cpu],
            ["a frame, store and series [ms]", 1e3 * (looped - created - run.cpu) / run.next],
            ["a frame, store and series [MB]", (store + points) / 1e6 / run.next],
            ["picture [s]", drawn(folder / "many", "a.png")],
        ]
        table(f"{count} spheres", ["what", "processor"], rows)
        boxes(bodies).run(folder / "boxes")
        mb.System.from_file(SCENE).run(folder / "crank")
        table(
            "Pictures of 1280 x 720, import of PyVista included",
            ["what", "processor s"],
            [
                [f"picture of {bodies} boxes", drawn(folder / "boxes", "a.png")],
                ["movie of 8 s, slider-crank", drawn(folder / "crank", "a.mp4", fps)],
            ],
        )


if __name__ == "__main__":
    many_bodies()
