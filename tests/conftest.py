"""Plugins loaded once, systems run without files, temporary folders in memory; slow tests and budgets."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

# threads of BLAS wait by spinning, beside workers that have something to do; numpy reads it when it is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import budget
import kept_code  # noqa: F401 - before the engine, which decorates its functions when it is imported
import pytest
import snapshots
from headless import Runs

from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.registry import Registry

# each worker compiles what no other one does, and waits for the others: no further processes
os.environ.setdefault("MBPLUGIN_PROCESSES", "1")

# stores synchronise many small files: a third of the time of a command's test on a disk
IN_MEMORY, NEEDED = Path("/dev/shm"), 4e9
if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > NEEDED:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))


#: what the tests of this session cost
ledger = budget.Ledger()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew-snapshots", action="store_true", help="write the files of tests/snapshots anew")
    parser.addoption("--slow", action="store_true", help="run the slow tests instead of the others")
    parser.addoption("--budgets", action="store_true", help="fail if a room costs more than its budget")


def pytest_configure(config: pytest.Config) -> None:
    snapshots.renew = config.getoption("--renew-snapshots")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A session that renews snapshots has compared none of them: it does not pass. With --budgets, neither
    does one in which a room is too dear.
    """
    above = session.config.getoption("--budgets") and ledger.above(budget.budgets())
    if snapshots.renew or (above and session.exitstatus == pytest.ExitCode.OK):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    budgets = budget.budgets()
    if ledger.tests.total() > 1:
        terminalreporter.section("processor seconds")
        terminalreporter.write_line("\n".join(ledger.table(budgets)))
    for line in ledger.above(budgets) if config.getoption("--budgets") else ():
        terminalreporter.write_line(line, red=True)
    if snapshots.renew:
        terminalreporter.write_line("snapshots were renewed, not compared: read their difference", red=True)


# ---- slow tests


def is_slow(case: Any) -> bool:
    """Whether a value of `parametrize` is marked as slow."""
    return any(mark.name == "slow" for mark in getattr(case, "marks", ()))


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Without --slow, slow cases are not made: they are twice as many as all others."""
    if metafunc.config.getoption("--slow"):
        return
    make = metafunc.parametrize

    def parametrize(names: Any, cases: Any, *arguments: Any, **options: Any) -> None:
        cases = list(cases)
        quick = [case for case in cases if not is_slow(case)]
        # of slow cases alone one is made, and deselected
        make(names, quick or cases[:1], *arguments, **options)

    metafunc.parametrize = parametrize  # type: ignore[method-assign]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The slow tests are left with --slow, the others without it."""
    slow = config.getoption("--slow")
    is_left = {item: (item.get_closest_marker("slow") is not None) == slow for item in items}
    config.hook.pytest_deselected(items=[item for item in items if not is_left[item]])
    items[:] = [item for item in items if is_left[item]]


# ---- processor seconds

#: of this process, when the last phase of a test ended
last_phase = [0.0]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol() -> None:
    last_phase[0] = budget.processor_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The report of a phase (set-up, call, end) has the processor seconds of it."""
    report = yield
    now = budget.processor_seconds()
    report.processor_seconds = now - last_phase[0]  # type: ignore[attr-defined]
    last_phase[0] = now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    seconds = report.processor_seconds  # type: ignore[attr-defined]
    ledger.add(report.nodeid.partition("::")[0], seconds, int(report.when == "call"))


@pytest.fixture(scope="session")
def registry() -> Registry:
    found, plugins = load_plugins()
    assert {p.name for p in plugins} >= {
        "mbplugin_bodies",
        "mbplugin_joints",
        "mbplugin_forces",
        "mbplugin_lagrange",
    }
    return found


@pytest.fixture(scope="session")
def runs(registry: Registry) -> Runs:
    return Runs(registry)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than processors: some wait for a kernel that another one compiles, or for children."""
    return (os.cpu_count() or 1) + 1
