"""Attribute an exception to the scene, a plugin, or the engine."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from mbplugin.errors import MbpluginError, SceneError
from mbplugin.hooks.blame import plugin_of
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
