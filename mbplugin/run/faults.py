"""Attribute an exception to the scene, a plugin, or the engine."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import numpy as np

from mbplugin.errors import MbpluginError, PluginError, SceneError, listed, one_line
from mbplugin.hooks.blame import plugin_of
from mbplugin.hooks.registry import Registry
from mbplugin.hooks.settings import kept_settings, put_back, settings_kept
from mbplugin.model import System


@contextmanager
def attribute_errors(system: System, registry: Registry, with_user_code: bool = False) -> Iterator[None]:
    """Add file and line to a SceneError; turn exceptions from Python code of a plugin into a PluginError
    that names it. Overflow is not raised here, because results are checked later. Settings of the process are
    put back behind plugins of others, unless functions of the user run in it too.
    """
    who = f"a plugin ({listed(registry.homes.values())})"
    put = settings_kept(who) if registry.homes and not with_user_code else nullcontext()
    try:
        with put, np.errstate(all="ignore"), attribute_changes(who, registry):
            yield
    except SceneError as error:
        raise system.locate(error) from None
    except MbpluginError:
        raise
    except BaseException as error:
        plugin_error = None if by_user(error) else plugin_of(error, registry)
        if plugin_error is None:
            raise
        raise plugin_error from error


@contextmanager
def attribute_changes(who: str, registry: Registry) -> Iterator[None]:
    """Raises PluginError for an exception in the engine's code that a changed setting may have caused."""
    kept = kept_settings() if registry.homes else []
    try:
        yield
    except (FloatingPointError, Warning, RecursionError) as error:
        if plugin_of(error, registry) is None and (changed := put_back(kept)):
            what = one_line(f"{type(error).__name__}: {error}")
            raise PluginError(f"{who} changed {listed(changed)}, and then: {what}") from error
        raise


def by_user(error: BaseException) -> bool:
    """Whether Ctrl-C may have raised it, and not a plugin. The handlers of the command line raise no
    KeyboardInterrupt.
    """
    python = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return isinstance(error, KeyboardInterrupt) and python
