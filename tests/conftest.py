"""Plugins loaded once, systems run without files, temporary folders in memory; slow tests and budgets."""

from __future__ import annotations

import gc
import os
import shutil
from pathlib import Path

# threads of BLAS wait by spinning, beside workers that have something to do; numpy reads it when it is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import budget
import pytest
import snapshots
import tiers
from headless import Runs

from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.registry import Registry
from mbplugin.run import observers

# what only observes a run may fail elsewhere, and not here
observers.strict = True

# each worker compiles what no other one does, and waits for the others: no further processes
os.environ.setdefault("MBPLUGIN_PROCESSES", "1")

# stores synchronise many small files: a third of the time of a command's test on a disk
IN_MEMORY, NEEDED = Path("/dev/shm"), 4e9
if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > NEEDED:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew-snapshots", action="store_true", help="write the files of tests/snapshots anew")
    parser.addoption("--slow", action="store_true", help="run the slow tests instead of the others")
    parser.addoption("--budgets", action="store_true", help="fail if a room costs more than its budget")


def pytest_configure(config: pytest.Config) -> None:
    snapshots.renew = config.getoption("--renew-snapshots")
    for plugin in (tiers, budget):
        config.pluginmanager.register(plugin)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Tests and imported modules stay to the end: the collector of garbage need not search them again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A session that renews snapshots has compared none of them: it does not pass. With --budgets, neither
    does one in which a room is too dear.
    """
    above = session.config.getoption("--budgets") and budget.ledger.above(budget.budgets())
    if snapshots.renew or (above and session.exitstatus == pytest.ExitCode.OK):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    budgets = budget.budgets()
    if budget.ledger.tests.total() > 1:
        terminalreporter.section("processor seconds")
        terminalreporter.write_line("\n".join(budget.ledger.table(budgets)))
    for line in budget.ledger.above(budgets) if config.getoption("--budgets") else ():
        terminalreporter.write_line(line, red=True)
    if snapshots.renew:
        terminalreporter.write_line("snapshots were renewed, not compared: read their difference", red=True)


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


@pytest.fixture
def plain(monkeypatch):
    """Kernels that no file holds as plain Python, all others compiled: those of planted errors."""
    from mbplugin.codegen import compiled

    build = compiled.build
    monkeypatch.setattr(
        compiled,
        "build",
        lambda kernel: (
            compiled.interpret(kernel, RuntimeError("for the test")) if kernel.unit is None else build(kernel)
        ),
    )
