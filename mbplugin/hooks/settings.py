"""Settings of the process that a plugin may change, which are put back when it returns.

What a plugin does in C, or in a thread of its own, is not seen: `_exit` of the C library ends the process.
"""

from __future__ import annotations

import locale
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import listed


class Setting(NamedTuple):
    """One setting: `write(read())` changes nothing."""

    name: str  # for messages
    read: Callable[[], Any]
    write: Callable[[Any], Any]
    reported: bool = True  # whether a message says that it was changed


SIGNALS = (signal.SIGINT, signal.SIGTERM)
STREAMS = ("stdin", "stdout", "stderr")


def folder() -> str | None:
    """The current folder; None if it has been deleted."""
    with suppress(OSError):
        return os.getcwd()
    return None


def numpy_seed() -> Any:
    """State of numpy's global random numbers, in types that compare; None while nobody has used them."""
    if "numpy.random" not in sys.modules:
        return None
    name, key, *rest = np.random.get_state()
    return name, np.asarray(key).tobytes(), *rest


def set_numpy_seed(kept: Any) -> None:
    if kept is not None:
        name, key, *rest = kept
        np.random.set_state((name, np.frombuffer(key, np.uint32), *rest))


def set_path(kept: list[str]) -> None:
    """New folders stay, behind those that were there."""
    sys.path[:] = kept + [one for one in sys.path if one not in kept]


def set_filters(kept: list[Any]) -> None:
    warnings.filters[:] = kept  # type: ignore[index]
    with warnings.catch_warnings():
        pass  # Python forgets what it has found by the other filters


SETTINGS = (
    Setting("the current folder", folder, lambda kept: os.chdir(kept or ".")),
    Setting("numpy's error handling", np.geterr, lambda kept: np.seterr(**kept)),
    Setting("numpy's print options", np.get_printoptions, lambda kept: np.set_printoptions(**kept)),
    Setting("the filters of warnings", lambda: list(warnings.filters), set_filters, reported=False),
    Setting("sys.path", lambda: list(sys.path), set_path, reported=False),
    Setting(
        "the locale", lambda: locale.setlocale(locale.LC_ALL), lambda k: locale.setlocale(locale.LC_ALL, k)
    ),
    Setting("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
    Setting(
        "standard input or output",
        lambda: [getattr(sys, name) for name in STREAMS],
        lambda kept: vars(sys).update(zip(STREAMS, kept)),
    ),
    Setting(
        "signal handlers",
        lambda: [signal.getsignal(number) for number in SIGNALS],
        lambda kept: [signal.signal(number, handler) for number, handler in zip(SIGNALS, kept)],
    ),
)
SEEDS = (
    Setting("Python's random numbers", random.getstate, random.setstate),
    Setting("numpy's random numbers", numpy_seed, set_numpy_seed),
)
Kept = list[tuple[Setting, Any]]


def kept_settings(settings: tuple[Setting, ...] = SETTINGS) -> Kept:
    """The settings as they are now."""
    return [(setting, setting.read()) for setting in settings]


def put_back(kept: Kept) -> list[str]:
    """Put back what has changed; returns the names for a message."""
    changed = []
    for setting, value in kept:
        if setting.read() != value:
            with suppress(OSError, ValueError):  # a deleted folder; handlers outside the main thread
                setting.write(value)
            changed += [setting.name] if setting.reported else []
    return changed


@contextmanager
def settings_kept(who: str, settings: tuple[Setting, ...] = SETTINGS) -> Iterator[None]:
    """Put settings back behind code of a plugin, and warn of what it has changed. who: for the message"""
    kept = kept_settings(settings)
    try:
        with exit_refused():
            yield
    finally:
        if changed := put_back(kept):
            warnings.warn(f"{who} changed {listed(changed)}; put back", stacklevel=3)


@contextmanager
def exit_refused() -> Iterator[None]:
    """`os._exit` raises SystemExit in this thread of this process, so that a message names who called it."""
    leave, here = os._exit, (os.getpid(), threading.get_ident())

    def refused(code: int) -> Any:
        if (os.getpid(), threading.get_ident()) != here:
            leave(code)
        raise SystemExit(f"os._exit({code})")

    os._exit = refused  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = leave
