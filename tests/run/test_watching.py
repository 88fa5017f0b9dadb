"""Functions that see the frames of a run and may end it."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import stopped
from scene_text import solver
from small_systems import SWING

import mbplugin as mb
import mbplugin.api
from mbplugin.api import System
from mbplugin.errors import PluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import Watcher, hookimpl
from mbplugin.testing import check_watcher

TEXT = SWING + "[output]\nframes = 20\nseries = false\n" + solver(end=1.0)


@pytest.fixture(params=["memory", "files"])
def where(request, tmp_path):
    return {"files": False} if request.param == "memory" else {"out": tmp_path / "out"}


def test_each_frame_is_seen_once_and_the_run_has_the_same_bits(where):
    seen = []
    result = System.from_text(TEXT).run(
        on_frame=lambda frame: seen.append((frame.time, frame.body("rod").position, frame["pivot.angle"])),
        **where,
    )
    plain = System.from_text(TEXT).run(files=False)
    assert [t for t, _, _ in seen] == plain.time.tolist()
    assert np.array_equal([x for _, x, _ in seen], plain["rod"].position)
    assert [s for _, _, s in seen] == plain.coordinate("pivot.angle").value.tolist()
    assert np.array_equal(result["rod"].position, plain["rod"].position)
    assert result.summary.stopped == ""


def test_a_reason_ends_the_run_after_its_frame_and_is_told(where):
    stop = lambda frame: "it is late" if frame.time >= 0.5 else None
    result = System.from_text(TEXT).run(on_frame=stop, **where)
    reason = "stopped at t = 0.5 s by on_frame: it is late"
    assert result.summary.stopped == reason and len(result.time) == 11
    assert reason in [text for _, _, text in result.messages]


def test_a_run_that_was_ended_goes_on_with_the_same_bits(tmp_path):
    system, out = System.from_text(TEXT), tmp_path / "out"
    system.run(out, on_frame=lambda frame: "enough" if frame.time >= 0.5 else None)
    result = system.run(out, resume=True)
    assert np.array_equal(result["rod"].position, system.run(files=False)["rod"].position)


def fails_late(frame):
    if frame.time >= 0.5:
        raise ZeroDivisionError("late")


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (fails_late, ["t = 0.5 s", "ZeroDivisionError"]),
        (lambda frame: frame.body("rood"), ["t = 0 s", '"rood"']),
        (lambda frame: True, ["t = 0 s", "True"]),
    ],
)
def test_what_fails_is_told_with_its_time(function, names):
    with stopped(PluginError, "on_frame", *names):
        System.from_text(TEXT).run(files=False, on_frame=function)


def test_frames_before_a_failure_are_kept(where):
    def fails(frame):
        if frame.time > 0.49:
            raise ValueError("no more")

    with pytest.raises(PluginError) as failed:
        System.from_text(TEXT).run(on_frame=fails, **where)
    result = mb.load(where["out"]) if "out" in where else failed.value.result
    assert len(result.time) == 11 and not result.raw.complete


class Limit(Watcher):
    """Ends scenes named "short" after 0.3 s."""

    name = "limit"

    @classmethod
    def start(cls, system, folder):
        if system.scene.name != "short":
            return None
        return lambda frame: "short scenes end here" if frame.time >= 0.3 else None


def with_watcher(monkeypatch, kind):
    class Own:
        @hookimpl
        def mbplugin_watchers(self, register):
            register(kind)

    found = load_plugins(strict=True, extra=[("own", Own())])
    monkeypatch.setattr(mbplugin.api, "plugins", lambda: found)


def test_a_watcher_of_a_plugin_ends_the_runs_that_it_watches(monkeypatch, where):
    with_watcher(monkeypatch, Limit)
    system = System.from_text('[scene]\nname = "short"\n' + TEXT)
    result = system.run(**where)
    assert result.summary.stopped == (
        'stopped at t = 0.3 s by watcher "limit" of plugin own: short scenes end here'
    )
    assert len(result.time) == 7
    assert len(System.from_text(TEXT).run(files=False).time) == 21


def test_a_watcher_that_fails_is_told_with_its_plugin(monkeypatch):
    fails = classmethod(lambda cls, system, folder: 1 / 0)
    with_watcher(monkeypatch, type("Fails", (Watcher,), {"name": "fails", "start": fails}))
    with stopped(PluginError, "t = 0 s", '"fails"', "own", "ZeroDivisionError"):
        System.from_text(TEXT).run(files=False)


def test_a_watcher_without_start_is_refused(monkeypatch):
    with stopped(PluginError, '"idle"', "start"):
        with_watcher(monkeypatch, type("Idle", (Watcher,), {"name": "idle"}))


def test_the_kit_passes_a_watcher_and_finds_one_that_ends_all_runs():
    assert check_watcher(Limit).ok
    ends = classmethod(lambda cls, system, folder: lambda frame: "no")
    failed = [
        check.what for check in check_watcher(type("Ends", (Limit,), {"start": ends})).checks if not check.ok
    ]
    assert failed == ["leaves a run that is not its own as it is"]
