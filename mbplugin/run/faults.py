"""Attribute an exception to the scene, a plugin, or the engine."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from mbplugin.errors import MbpluginError, PluginError, SceneError
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
    except Exception as error:
        plugin_error = plugin_of(error, registry)
        if plugin_error is None:
            raise
        raise plugin_error from error


def plugin_of(error: Exception, registry: Registry) -> PluginError | None:
    """A PluginError for the innermost plugin in the traceback; None if no plugin is involved."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        top = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if top in registry.homes:
            code = frame.f_code
            where = f"{code.co_qualname} ({code.co_filename}, line {line})"
            what = traceback.format_exception_only(error)[-1].strip()
            return PluginError(f"plugin {registry.homes[top]} failed in {where}: {what}")
    return None
