"""The memory of a run does not grow with its length."""

from __future__ import annotations

from child import ROOT, command

TOLD = "import atexit, resource\natexit.register(lambda: print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))\nfrom mbplugin.cli import main\nmain()\n"


def peak(folder, end: float, frames: int) -> float:
    """Peak resident memory [MB]."""
    scene = str(ROOT / "scenes" / "piston_crank")
    done = command(
        "run",
        scene,
        "-o",
        f"out{frames}",
        "--end",
        str(end),
        "--set",
        f"output.frames={frames}",
        cwd=folder,
        code=TOLD,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout.rsplit("peak", 1)[1]) / 1024.0


def test_a_run_eight_times_as_long_needs_no_more_memory(tmp_path):
    peak(tmp_path, 0.02, 10)  # what is compiled is in the cache now
    short, long = peak(tmp_path, 0.1, 500), peak(tmp_path, 0.8, 4000)
    assert long - short < 8.0
