"""Functions that are called with each frame of a run, and may end it."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from mbplugin.errors import PluginError, one_line
from mbplugin.hooks.registry import Registry
from mbplugin.hooks.settings import settings_kept
from mbplugin.model import System
from mbplugin.results.frame_view import FrameView
from mbplugin.run.recorder import NAMES, Frames, OneFrame

#: who gives the function that may set inputs
CALLER = "on_frame"


class Callback(NamedTuple):
    """A function of a frame, and who gave it, for messages."""

    who: str
    function: Callable[[Any], Any]


def started(
    system: System, registry: Registry, folder: Path | None, on_frame: Callable[[Any], Any] | None
) -> list[Callback]:
    """The functions of one run: the caller's, then those of watchers. Raises PluginError."""
    callbacks = [Callback(CALLER, on_frame)] if on_frame is not None else []
    for name in registry.names("watcher"):
        kind, plugin = registry.find("watcher", name), registry.offers["watcher"][name][0].plugin
        who = f'watcher "{name}" of plugin {plugin}'
        with settings_kept(who):
            function = called(who, 0.0, partial(kind.start, system, folder))
        if function is not None:
            callbacks.append(Callback(who, settings_kept(who)(function)))
    return callbacks


def reason_to_end(callbacks: list[Callback], frames: Frames, inputs: Any = None) -> str:
    """Call all with each frame. Returns why the run is to end, "" if it goes on. Raises PluginError.

    inputs: those that the caller's function may set, as `frame.inputs`
    """
    recorder = frames.recorder
    for i in range(frames.count if callbacks else 0):
        names = lambda key: NAMES[key](recorder)
        view = FrameView(OneFrame(frames, i, {}), names, lambda: recorder.system)
        setting = copy(view)
        if inputs is not None:
            setting.inputs = inputs
        views = [setting if who == CALLER else view for who, _ in callbacks]
        reasons = [(who, called(who, view.time, partial(f, one))) for one, (who, f) in zip(views, callbacks)]
        for who, reason in reasons:
            if reason is None:
                continue
            if not isinstance(reason, str) or not reason.strip():
                mend = "return None to go on, or a sentence that says why the run ends"
                raise PluginError(f"t = {view.time:.9g} s: {who} returned {reason!r}; {mend}")
            return f"stopped at t = {view.time:.9g} s by {who}: {one_line(reason)}"
    return ""


def called(who: str, t: float, function: Callable[[], Any]) -> Any:
    """Return value of a function of somebody else. Raises PluginError with its name and the time."""
    try:
        return function()
    except Exception as error:
        what = f"{type(error).__name__}: {one_line(str(error))}".rstrip(": ")
        raise PluginError(f"t = {t:.9g} s: {who} failed: {what}") from error
