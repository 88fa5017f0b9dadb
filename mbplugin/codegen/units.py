"""Units of compilation: compiled once per machine, in parallel by several processes.

A unit is a function that is compiled separately into the cache. A process that needs units locks them one by
one with files beside the cache, skips those that another process has locked, and waits for these at the end.
The processes of a first run, of a test session, or of simultaneous runs thus share the work.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
import time
import types
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from mbplugin.compiler.folder import cache_folder
from mbplugin.compiler.functions import callback
from mbplugin.compiler.unit_file import file_of, write_sealed
from mbplugin.kernels.by_address import ByAddress
from mbplugin.kernels.view import SIGNATURE

#: compile time of most units [s], and of parts of solvers: the longest are begun first
SECONDS, SECONDS_OF_PART = 0.6, 6.0
#: with fewer missing units helpers cost more than they save
FEWEST_WITH_HELPERS = 3
#: standard error tells of a compilation that takes at least this processor time, if nobody listens [s]
LEAST_TIME_REPORTED = 10.0
#: called while a process compiles: functions done, functions in all, seconds since the start, what is next
listeners: list[Callable[[int, int, float, str], None]] = []
#: units of this process
_made: dict[Unit, tuple[Any, Any]] = {}


@dataclass(frozen=True)
class Unit:
    """One function of a module; of a generated file, whose name is `file`, its `batch`."""

    module: str
    name: str
    folder: str  # of the cache
    file: str = ""
    role: str = ""  # of a generated file, such as "try_step"
    seconds: float = SECONDS  # to compile it, about

    @property
    def mark(self) -> Path:
        """File of its machine code; empty: it cannot be compiled."""
        return file_of(self.module, self.name, Path(self.folder))

    @property
    def what(self) -> str:
        """Its name for people."""
        return f"{self.role} function of a kind" if self.file else self.name

    def make(self) -> tuple[Any, Any]:
        """The compiled function and its module; compiled, or loaded from the cache, once in a process."""
        if self not in _made:
            _made[self] = self._make()
        return _made[self]

    def _make(self) -> tuple[Any, Any]:
        if self.file:
            module = sys.modules.get(self.module) or load_module(self.module, Path(self.file))
        else:
            module = importlib.import_module(self.module)
        function = getattr(module, self.name)
        if hasattr(function, "argument_types"):
            function.compile(function.argument_types)
            made = function
        elif hasattr(function, "by_address"):
            made = function.by_address.make(Path(self.folder))
        else:
            made = callback(function, SIGNATURE, Path(self.folder), error_model="numpy")
        self.settle()
        return made, module

    def settle(self) -> None:
        """Let no other process compile it, even if it cannot be compiled."""
        if not self.mark.exists():
            with suppress(OSError):
                write_sealed(self.mark, b"")


def entry_unit(entry: Any) -> Unit:
    """The unit of a `compiled_entry`."""
    module = entry.py_func.__module__
    return Unit(module, entry.py_func.__name__, str(cache_folder(module)))


def function_unit(function: ByAddress) -> Unit:
    """The unit of a function that is called by its address."""
    module, name = function.python.__module__, function.python.__name__
    return Unit(module, name, str(cache_folder(module)), seconds=function.seconds)


def load_module(name: str, file: Path) -> Any:
    """Import a generated file under its own module name, which ends with a hash of its text: bytecode that
    Python would keep beside it is not used. Raises ImportError if the text does not match.
    """
    text = file.read_text(encoding="utf-8")
    if not name.endswith(text_hash(text)):
        raise ImportError(f"{file}: is damaged")
    module = types.ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = module
    exec(compile(text, str(file), "exec"), module.__dict__)
    return module


def text_hash(text: str) -> str:
    """The hash in the name of a generated module."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def compile_missing(units: list[Unit]) -> None:
    """Put all units into the cache, with helper processes if many are missing."""
    units = [unit for unit in dict.fromkeys(units) if unit not in _made]
    missing = sorted([u for u in units if not u.mark.exists()], key=lambda u: (-u.seconds, u.module))
    if len(missing) < FEWEST_WITH_HELPERS:
        return
    start = time.monotonic()
    if not listeners and sum(unit.seconds for unit in missing) >= LEAST_TIME_REPORTED:
        told = f"mbplugin: compiling {len(missing)} functions, once on this machine; this can take minutes"
        print(told, file=sys.stderr, flush=True)
    helpers = start_helpers(missing)

    def watch(what: str) -> None:
        done = sum(u.mark.exists() for u in missing)
        for listener in listeners:
            listener(done, len(missing), time.monotonic() - start, what)

    try:
        make_unclaimed(missing, watch)
        # those that other processes compile
        while waiting := [u for u in missing if not u.mark.exists()]:
            watch(waiting[0].what)
            make_unclaimed(waiting[:1], watch, wait=0.2)
    except OSError:
        pass  # the cache cannot be written or locked: each process compiles its own when it needs it
    finally:
        watch("")
        for helper in helpers:
            helper.terminate()
            helper.wait()


def make_unclaimed(units: list[Unit], watch: Callable[[str], Any], wait: float = 0.0) -> None:
    """Compile each missing unit whose lock is free, or becomes so within `wait` [s]. Raises OSError.

    The operating system releases the lock of a process that dies.
    """
    for unit in units:
        unit.mark.parent.mkdir(parents=True, exist_ok=True)
        with suppress(Timeout), FileLock(f"{unit.mark}.lock", timeout=wait):
            if not unit.mark.exists():
                watch(unit.what)
                with suppress(Exception):  # the process that needs it reports the error when it compiles it
                    unit.make()
                unit.settle()


def start_helpers(units: list[Unit]) -> list[subprocess.Popen[bytes]]:
    """Start helper processes, one per further processor; `MBPLUGIN_PROCESSES` limits the total number."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = min(int(os.environ.get("MBPLUGIN_PROCESSES", count)), len(units))
    task = json.dumps({"path": sys.path, "units": [asdict(u) for u in units]}).encode()
    # -P: not the package of the working folder, but the one that this process has imported
    command = [sys.executable, "-P", "-c", "from mbplugin.codegen.units import compile_task; compile_task()"]
    helpers = []
    for _ in range(count - 1):
        try:
            helper = subprocess.Popen(
                command,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            assert helper.stdin is not None
            helper.stdin.write(task)
            helper.stdin.close()
        except OSError:
            break
        helpers.append(helper)
    return helpers


def compile_task() -> None:
    """Main function of a helper: compile the units given on standard input."""
    task = json.load(sys.stdin)
    sys.path[:] = task["path"]
    make_unclaimed([Unit(**unit) for unit in task["units"]], watch=lambda what: None)
