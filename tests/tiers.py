"""Two tiers of tests: the default ones, and with --slow those that are marked as slow instead.

A plugin that `conftest.py` registers, so that it has the tests of docs/examples too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def slow(*values: Any) -> Any:
    """A case of `parametrize` that the default run does without."""
    return pytest.param(*values, marks=pytest.mark.slow)


def few_first(cases: Iterable[Any], few: int = 1) -> list[Any]:
    """Cases for `parametrize`, of which the first ones are no slow ones."""
    cases = list(cases)
    further = [case if is_slow(case) else slow(*values_of(case)) for case in cases[few:]]
    return [*cases[:few], *further]


def values_of(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)


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
