"""Plant faults in a copy of the sources, one by one, and see whether the default run of the tests turns red.

    python tests/faults/plant.py [NAME...] [--whole] [--jobs N] [--draw N --seed S] [--folder DIR]

Without names: every fault of the list, after its tests have passed without any; a name may be shortened. The
test that the list names is asked first, and the whole default run where that one stays green, or at once with
--whole. With --draw: N mutants of kernels and plugins at random. What pytest said is kept in DIR/log.

The cache begins with the machine code of the user's, so that only what can reach a fault is compiled.
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
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from list_of_faults import FAULTS, Fault
from mutations import drawn, mutated

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 1800.0


class Outcome(NamedTuple):
    fault: Fault
    test: str  # the first that failed; empty: none
    seconds: float

    def __str__(self) -> str:
        seen = "GREEN" if not self.test else "red" if self.test == self.fault.seen_by else "elsewhere"
        return f"{self.fault.name:66} {seen:9} {self.seconds:5.0f} s  {self.test}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="faults, or the beginnings of their names")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "mbplugin-faults")
    parser.add_argument("--whole", action="store_true", help="ask the whole default run at once")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time, each in a copy of its own")
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="mutants at random instead")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    folders: SimpleQueue[Path] = SimpleQueue()
    for k in range(given.jobs):
        folders.put(given.folder.resolve() / str(k))

    def attempt(fault: Fault) -> Outcome:
        folder = folders.get()
        try:
            return planted(fault, folder, given.whole)
        finally:
            folders.put(folder)

    mutants = drawn(given.draw, given.seed)
    chosen = [Fault(f"{k} {mutant}", mutant, "", "") for k, mutant in enumerate(mutants)]
    if not chosen:
        chosen = [f for f in FAULTS if not given.names or f.name.startswith(tuple(given.names))]
        failed = without_faults(chosen, given.folder.resolve() / "0")
        if failed:
            print(f"without any fault {failed} fails")
            return 1
    with ThreadPoolExecutor(given.jobs) as pool:
        red = 0
        for outcome in pool.map(attempt, chosen):
            print(outcome, flush=True)
            red += bool(outcome.test)
    print(f"{red} of {len(chosen)} faults turn the suite red")
    return int(red < len(chosen))


def without_faults(faults: Sequence[Fault], folder: Path) -> str:
    """The first of their tests that fails in a copy without faults; empty if all pass."""
    copy_sources(folder)
    tests = dict.fromkeys(fault.seen_by for fault in faults)
    return first_failure([f"tests/{test}" for test in tests], folder, folder / "log-without-faults.txt")


def planted(fault: Fault, folder: Path, whole: bool) -> Outcome:
    """What the tests make of a fault."""
    start = time.monotonic()
    copy_sources(folder)
    file = folder / "copy" / fault.mutant.file
    file.write_text(mutated(file.read_text(), fault.mutant))
    # those of the fault itself would look for the text that is gone
    everything = ["--ignore=tests/faults"]
    ways = [everything] if whole or not fault.seen_by else [[f"tests/{fault.seen_by}", "-n", "0"], everything]
    log = folder.parent / "log" / f"{re.sub('[/:]', '_', fault.name)}.txt"
    log.parent.mkdir(exist_ok=True)
    for arguments in ways:
        if test := first_failure(arguments, folder, log):
            break
    return Outcome(fault, test, time.monotonic() - start)


def copy_sources(folder: Path) -> None:
    """A copy of the sources, and a cache that begins with the user's machine code."""
    from mbplugin.compiler.folder import candidates

    shutil.rmtree(folder, ignore_errors=True)
    left_out = shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".hypothesis", "out")
    shutil.copytree(ROOT, folder / "copy", ignore=left_out)
    users = next(candidates())
    if users.is_dir():
        shutil.copytree(users, folder / "cache", copy_function=link)
    (folder / "cache").mkdir(mode=0o700, exist_ok=True)
    check_imports(folder)


def link(source: str, target: str) -> None:
    """Let a file have a second name, or copy it to another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def environment(folder: Path) -> dict[str, str]:
    copy = folder / "copy"
    return os.environ | {
        "PYTHONPATH": f"{copy}:{copy / 'plugins'}",
        "MBPLUGIN_CACHE": str(folder / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def check_imports(folder: Path) -> None:
    """Python imports the copy, whatever is installed."""
    code = "import mbplugin, mbplugin_bodies, mbplugin_joints, mbplugin_forces, mbplugin_lagrange as m, sys\n"
    code += "names = [n for n in sys.modules if n.startswith('mbplugin') and '.' not in n]\n"
    code += "print(*(sys.modules[n].__file__ for n in names), sep='\\n')"
    line, copy = [sys.executable, "-c", code], folder / "copy"
    done = subprocess.run(line, cwd=copy, env=environment(folder), capture_output=True, text=True)
    outside = [name for name in done.stdout.split("\n") if name and not name.startswith(f"{copy}/")]
    if done.returncode or outside or not done.stdout:
        raise SystemExit(f"these are imported instead of the copy: {outside}\n{done.stderr}")


def first_failure(arguments: Sequence[str], folder: Path, log: Path) -> str:
    """The test that fails first, without its parameters; empty if none does."""
    line = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *arguments]
    with open(log, "w+") as said:
        try:
            code = subprocess.run(
                line,
                cwd=folder / "copy",
                env=environment(folder),
                stdout=said,
                stderr=subprocess.STDOUT,
                timeout=LONGEST,
            ).returncode
        except subprocess.TimeoutExpired:
            return f"(no end after {LONGEST:.0f} s)"
        said.seek(0)
        first = re.search(r"^(?:FAILED|ERROR) (?:tests/)?([^\s\[]+)", said.read(), re.MULTILINE)
    return "" if code == 0 else first[1] if first else f"(pytest ended with {code})"


if __name__ == "__main__":
    sys.exit(main())
