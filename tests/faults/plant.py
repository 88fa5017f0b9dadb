"""Plant faults in a copy of the sources, one by one, and see whether the suite turns red.

    python tests/faults/plant.py [NAME...] [--draw N --seed S] [--folder DIR]

Without names: nothing at first, which must stay green, and then every fault of the list; a name may be
shortened. With --draw: N mutants of kernels and plugins at random. The copy is always at the same place,
because compiled code is cached by the path of its source: a fault in code that is not compiled then costs
seconds. What pytest said is kept in DIR/log.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from list_of_faults import FAULTS, Fault
from mutations import drawn, mutated

ROOT = Path(__file__).resolve().parents[2]
#: what compiled code can reach: a change there opens a new cache
COMPILED = (
    "mbplugin/math/",
    "mbplugin/tables/",
    "mbplugin/kernels/",
    "mbplugin/matrix/",
    "mbplugin/stepping/",
    "mbplugin/interface/",
    "plugins/",
)
NOTHING: Any = Fault("nothing", None, "the suite is green without a fault", ())  # type: ignore[arg-type]
#: folders of tests that are asked after those that a fault names; tests/faults would look for the text that
#: is gone
ORDER = (
    "laws",
    "bounded",
    "order",
    "testing",
    "joints",
    "kernels",
    "plugins",
    "results",
    "model",
    "export",
    "run",
    "sweeps",
    "scenes",
    "cli",
    "docs",
    "viz",
)
LONGEST = 1800.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="faults, or the beginnings of their names")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "mbplugin-faults")
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="mutants at random instead")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    mutants = drawn(given.draw, given.seed)
    chosen = [Fault(f"{k} {mutant}", mutant, "", ()) for k, mutant in enumerate(mutants)] or [
        f
        for f in (NOTHING, *FAULTS)
        if not given.names or any(f.name.startswith(name) for name in given.names)
    ]
    found = []
    for fault in chosen:
        found.append((fault, *planted(fault, given.folder.resolve())))
        print(line(*found[-1]), flush=True)
    faults = [row for row in found if row[0] is not NOTHING]
    red = sum(is_red for _, is_red, _, _ in faults)
    print(f"{red} of {len(faults)} faults turn the suite red")
    return int(red < len(faults) or (len(faults) < len(found) and found[0][1]))


def line(fault: Fault, red: bool, first: str, seconds: float) -> str:
    return f"{fault.name:60} {'red' if red else 'GREEN':6} {seconds:5.0f} s  {first}"


def planted(fault: Fault, folder: Path) -> tuple[bool, str, float]:
    """Whether the suite is red, the first test that failed, and the seconds it took."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    # times of files are kept: numba looks at them
    shutil.copytree(
        ROOT, copy, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".hypothesis", "out")
    )
    compiled = fault is not NOTHING and fault.mutant.file.startswith(COMPILED)
    if fault is not NOTHING:
        file = copy / fault.mutant.file
        file.write_text(mutated(file.read_text(), fault.mutant))
    cache = folder / ("cache-of-the-fault" if compiled else "cache")
    environment = os.environ | {
        "PYTHONPATH": f"{copy}:{copy / 'plugins'}",
        "MBPLUGIN_CACHE": str(cache),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    try:
        verify(copy, environment)
        return run(fault, copy, environment, folder / "log")
    finally:
        if compiled:
            shutil.rmtree(cache, ignore_errors=True)


def verify(copy: Path, environment: dict[str, str]) -> None:
    """The copy is what Python imports, whatever is installed."""
    code = "import mbplugin, mbplugin_bodies, mbplugin_joints, mbplugin_forces, mbplugin_lagrange as m, sys\n"
    code += "names = [n for n in sys.modules if n.startswith('mbplugin') and '.' not in n]\n"
    code += "print(*(sys.modules[n].__file__ for n in names), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=copy, env=environment, capture_output=True, text=True
    )
    outside = [name for name in done.stdout.split("\n") if name and not name.startswith(f"{copy}/")]
    if done.returncode == 0 and (outside or not done.stdout):
        raise SystemExit(f"these are imported instead of the copy: {outside}")


def run(fault: Fault, copy: Path, environment: dict[str, str], log: Path) -> tuple[bool, str, float]:
    there = {path.name for path in (copy / "tests").iterdir() if path.is_dir()} - {"faults", "__pycache__"}
    order = [name for name in dict.fromkeys((*fault.look, *ORDER, *sorted(there))) if name in there]
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-p",
        "no:cacheprovider",
        *(f"tests/{name}" for name in order),
    ]
    log.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with open(log / f"{fault.name.replace('/', '_').replace(':', '_')}.txt", "w+") as said:
        try:
            code = subprocess.run(
                words, cwd=copy, env=environment, stdout=said, stderr=subprocess.STDOUT, timeout=LONGEST
            ).returncode
        except subprocess.TimeoutExpired:
            return True, f"(no end after {LONGEST:.0f} s)", time.monotonic() - start
        said.seek(0)
        first = re.search(r"^(?:FAILED|ERROR) (\S.*?)(?: - |$)", said.read(), re.MULTILINE)
    return (
        code != 0,
        first[1] if first else "" if code == 0 else f"(pytest ended with {code})",
        time.monotonic() - start,
    )


if __name__ == "__main__":
    sys.exit(main())
