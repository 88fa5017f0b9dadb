"""Wall seconds until something happens: help, import, the first run with an empty cache of machine code, the
second run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import installed, sized, table

SCENE = Path(__file__).resolve().parents[1] / "scenes" / "piston_crank"


def wall(*command: object, **environment: str) -> float:
    start = time.perf_counter()
    subprocess.run(
        [str(c) for c in command], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    return time.perf_counter() - start


def start() -> None:
    run = [sys.executable, "-m", "mbplugin"]
    rows: list[list[object]] = [
        ["mbplugin --help", wall(*run, "--help")],
        ["import mbplugin", wall(sys.executable, "-c", "import mbplugin")],
    ]
    for module in ("mujoco", "exudyn"):
        if installed(module):
            rows.append([f"import {module}", wall(sys.executable, "-c", f"import {module}")])
    with tempfile.TemporaryDirectory() as folder:
        # the smallest size leaves the cache as it is: all that a first run compiles takes half a minute
        cache = sized({"MBPLUGIN_CACHE": str(Path(folder) / "cache")}, {})
        rows.append(
            [
                "first run, everything is compiled",
                wall(*run, "run", SCENE, "-o", Path(folder) / "first", **cache),
            ]
        )
        rows.append(["second run", wall(*run, "run", SCENE, "-o", Path(folder) / "second", **cache)])
    table("Start: wall seconds", ["what", "s"], rows)
