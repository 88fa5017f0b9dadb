"""Whose fault an exception is: the scene's, a plugin's, or ours."""

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
    """A SceneError gets its file and line; what a plugin's Python raises becomes a PluginError that names it.
    Numbers that overflow are found by who checks them.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except SceneError as error:
        raise system.locate(error) from None
    except MbpluginError:
        raise
    except Exception as error:
        found = plugin_of(error, registry)
        if found is None:
            raise
        raise found from error


def plugin_of(error: Exception, registry: Registry) -> PluginError | None:
    """The innermost plugin on the way to the error; None where there is none, and the fault is ours."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        top = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if top in registry.homes:
            code = frame.f_code
            where = f"{code.co_qualname} ({code.co_filename}, line {line})"
            what = traceback.format_exception_only(error)[-1].strip()
            return PluginError(f"plugin {registry.homes[top]} failed in {where}: {what}")
    return None
