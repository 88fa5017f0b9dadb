"""Plugin from which an exception comes."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from mbplugin.errors import MbpluginError, PluginError, one_line
from mbplugin.hooks.registry import Registry


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


@contextmanager
def errors_of_plugins(
    registry: Registry, kinds: tuple[type[BaseException], ...] = (Exception,)
) -> Iterator[None]:
    """Turn an unexpected exception of these kinds from code of a plugin into a PluginError that names it; an
    OSError is left to the caller.
    """
    try:
        yield
    except (MbpluginError, OSError):
        raise
    except kinds as error:
        plugin_error = plugin_of(error, registry)
        if plugin_error is None:
            raise
        raise plugin_error from error
