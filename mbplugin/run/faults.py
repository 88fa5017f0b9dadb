"""Attribute an exception to the scene, a plugin, or the engine."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from mbplugin.errors import MbpluginError, PluginError, SceneError, one_line
from mbplugin.hooks.registry import Registry
from mbplugin.model import System


@contextmanager
def blamed(system: System, registry: Registry) -> Iterator[None]:
    """Add file and line to a SceneError; turn exceptions from Python code of a plugin into a PluginError
    that names it. Overflow is not raised here, because results are checked later.
    """
    try:
        with np.errstate(all="ignore"):
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


def by_user(error: BaseException) -> bool:
    """Whether Ctrl-C may have raised it, and not a plugin. The handlers of the command line raise no
    KeyboardInterrupt.
    """
    python = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return isinstance(error, KeyboardInterrupt) and python


def plugin_of(error: BaseException, registry: Registry) -> PluginError | None:
    """A PluginError for the innermost plugin in the traceback; None if no plugin is involved."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        top = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if top in registry.homes:
            code = frame.f_code
            where = f"{code.co_qualname} ({code.co_filename}, line {line})"
            what = one_line(traceback.format_exception_only(error)[-1])
            return PluginError(f"plugin {registry.homes[top]} failed in {where}: {what}")
    return None
