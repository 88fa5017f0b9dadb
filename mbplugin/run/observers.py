"""Observers of a run: whatever only looks at it can neither end nor change it.

Detectors, sharing, messages, pace, summary, explanations and series are asked by `Observers.ask`. One that
fails is left out from then on, with one warning that names it, and the run goes on with the same bits. Where
`MBPLUGIN_STRICT=1`, and in the tests, its error is raised.

What expressions, controls and functions of users read is no observer, and functions of users may end a run.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from mbplugin.errors import Interrupted, PluginError, StoreError, one_line

T = TypeVar("T")
#: whether failures are raised; None: if MBPLUGIN_STRICT=1
strict: bool | None = None
#: errors that are no failure of an observer
PASSING = (Interrupted, MemoryError, StoreError)


class Ask(Protocol):
    """`Observers.ask`, or `directly`."""

    def __call__(self, name: str, function: Callable[[], T], otherwise: Any) -> T: ...


def directly(name: str, function: Callable[[], T], otherwise: Any) -> T:
    """What the function returns: an observer whose failure is the caller's."""
    return function()


class Observers:
    """The observers of one run. faults: errors of plugins that only observe, with which it ends once it is
    whole.
    """

    def __init__(self) -> None:
        #: names of those that have failed
        self.left_out: set[str] = set()
        self.faults: list[PluginError] = []
        self._told: list[tuple[str, str]] = []

    def ask(self, name: str, function: Callable[[], T], otherwise: Any) -> T:
        """What the function returns; `otherwise` if the observer `name` fails now, or has failed before."""
        if name in self.left_out:
            return otherwise
        try:
            return function()
        except PASSING:
            raise
        except Exception as error:
            if strict or (strict is None and os.environ.get("MBPLUGIN_STRICT") == "1"):
                raise
            what = one_line(f"{type(error).__name__}: {error}").rstrip(": ")
            text = f"{name} failed, and the run goes on without: {what}"
            self.left_out.add(name)
            self._told.append(("warning", text))
            warn(text)
            return otherwise

    def ask_plugin(self, name: str, function: Callable[[], T], otherwise: Any) -> T:
        """As `ask`, of a plugin that is blamed by a PluginError."""
        if name in self.left_out:
            return otherwise
        try:
            return function()
        except PluginError as error:
            self.left_out.add(name)
            self.faults.append(error)
            self._told.append(("error", str(error)))
            return otherwise

    def each(self, name: str, find: Callable[[], Iterable[T]]) -> Iterator[T]:
        """Findings of an observer, one after the other, until it fails."""
        found = self.ask(name, lambda: iter(find()), iter(()))
        over: Any = object()
        while (one := self.ask(name, lambda: next(found, over), over)) is not over:
            yield one

    def told(self) -> list[tuple[str, str]]:
        """(level, text) of the failures since the last call."""
        found, self._told = self._told, []
        return found

    def saved(self) -> dict[str, list[str]]:
        """For a checkpoint."""
        return {"left_out": sorted(self.left_out), "faults": list(map(str, self.faults))}

    def load(self, saved: dict[str, list[str]]) -> None:
        """Leave out those that had failed before a checkpoint."""
        self.left_out |= set(saved["left_out"])
        self.faults += map(PluginError, saved["faults"])


def warn(text: str) -> None:
    """A warning of Python; where warnings are errors, or cannot be printed, it ends no run."""
    with suppress(Warning, OSError):
        warnings.warn(text, stacklevel=3)
