"""With MBPLUGIN_BOUNDS=1 a function that writes outside its arrays stops the run, with element and line."""

from __future__ import annotations

import pytest
from child import command, distribution
from refusals import error_of
from scene_text import body, solver, table
from snapshots import same_message

from mbplugin.errors import PluginError
from mbplugin.interface import ForceKind, internal
from mbplugin.testing import check_force

PLUGIN = """
from mbplugin.interface import ForceKind, hookimpl, jit




@jit
def clear(wrench, rows):
    for r in range(rows):
        for k in range(6):
            wrench[r, k] = 0.0


class RowTooMany(ForceKind):
    name = "row_too_many"
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        for k in range(6):
            wrench[0, k] = 0.0
        if t > 0.01:
            wrench[1, 0] = 5.0


class InAFunction(ForceKind):
    name = "in_a_function"
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        clear(wrench, 1 if t < 0.01 else 400)


class Good(ForceKind):
    name = "good"
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        clear(wrench, 1)


@hookimpl
def mbplugin_force_elements(register):
    for kind in (RowTooMany, InAFunction, Good):
        register(kind)
"""
BALL = body("ball", mass=1, inertia=[1, 1, 1])
END = solver(end=0.05) + table("output", frames=3, series=False)


@pytest.mark.parametrize("kind", ["in_a_function", pytest.param("row_too_many", marks=pytest.mark.slow)])
def test_a_kernel_that_writes_outside_stops_the_run(tmp_path, kind):
    site = distribution(tmp_path / "site", "acme", "acme_beyond", PLUGIN)
    force = table("force", name="left", type=kind, body="ball")
    (tmp_path / "s.toml").write_text(BALL + force + END)
    words = ("run", "s.toml", "-o", "out", "--json")
    done = command(*words, cwd=tmp_path, extra=[site], MBPLUGIN_BOUNDS="1")
    error_of(done, PluginError, f'"{kind}"', '"left"', "acme_beyond.py")


@pytest.mark.slow
def test_a_kernel_that_stays_inside_runs_with_checks_too(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme_beyond", PLUGIN)
    (tmp_path / "s.toml").write_text(BALL + table("force", type="good", body="ball") + END)
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path, extra=[site], MBPLUGIN_BOUNDS="1")
    assert done.returncode == 0, done.stderr


@internal
def clear_far(wrench):
    for r in range(400):
        for k in range(6):
            wrench[r, k] = 0.0


class Far(ForceKind):
    """Calls a function that plain Python cannot call, so that only checks of indices find it."""

    name = "far"
    markers = 1

    @staticmethod
    def kernel(a, wrench):
        clear_far(wrench)


def test_the_kit_finds_a_kernel_that_plain_python_cannot_run_and_writes_400_rows_too_many():
    report = check_force(Far)
    (check,) = [check for check in report.checks if not check.ok]
    same_message(str(check))
