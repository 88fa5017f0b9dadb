"""A plugin that changes settings of the process, ends it or says too much: put back, or named."""

from __future__ import annotations

import locale
import os
import random
import signal
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from child import command, distribution
from refusals import has, stopped, warned
from scene_text import hinge, solver, table
from small_systems import FREE_BODY

from mbplugin.errors import MAX_LINE, MAX_TEXT, PluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.settings import SEEDS, SETTINGS, exit_refused, kept_settings, settings_kept
from mbplugin.interface import ForceKind, Watcher, hookimpl
from mbplugin.model import System
from mbplugin.run.faults import attribute_errors
from mbplugin.run.loop import run_system

SCENE = FREE_BODY + hinge("pin", "ground", "a") + solver(end=0.1)
FORCE = """
from mbplugin.interface import ForceKind, hookimpl

class Push(ForceKind):
    name = "push"
    markers = 1

    @staticmethod
    def kernel(a, wrench):
        wrench[0, 0] = 1.0

@hookimpl
def mbplugin_force_elements(register):
    register(Push)
"""
#: what a plugin does -> the setting that a message names; "" where it is put back in silence
CHANGES = {
    "os.chdir('/')": "the current folder",
    "np.seterr(all='raise')": "numpy's error handling",
    "np.set_printoptions(precision=1)": "numpy's print options",
    "warnings.simplefilter('error')": "",
    "warnings.resetwarnings()": "",
    "sys.path.insert(0, '/nowhere')": "",
    "sys.path.clear()": "",
    "locale.setlocale(locale.LC_ALL, 'C.UTF-8')": "the locale",
    "sys.setrecursionlimit(150)": "the recursion limit",
    "sys.stdout = None": "standard input or output",
    "signal.signal(signal.SIGTERM, print)": "signal handlers",
    "random.seed(1)": "Python's random numbers",
    "np.random.seed(1)": "numpy's random numbers",
}
MODULES = {m.__name__: m for m in (locale, os, random, signal, sys, warnings)} | {"np": np}


def offering(hook, kind, do=""):
    """A plugin that registers a kind, and does something before."""

    def register_it(self, register):
        exec(do, dict(MODULES))
        register(kind)

    return type("Plugin", (), {hook: hookimpl(register_it)})()


class Push(ForceKind):
    name = "push"
    markers = 1

    @staticmethod
    def kernel(a, wrench):
        wrench[0, 0] = 1.0


@pytest.fixture(autouse=True)
def c_locale():
    """The locale "C", which a plugin can change."""
    before = locale.setlocale(locale.LC_ALL)
    locale.setlocale(locale.LC_ALL, "C")
    yield
    locale.setlocale(locale.LC_ALL, before)


@pytest.mark.parametrize(("do", "named"), CHANGES.items())
def test_a_setting_is_put_back_after_a_plugin_is_loaded(do, named):
    np.random.get_state()
    before = [value for _, value in kept_settings((*SETTINGS, *SEEDS))]
    plugin = offering("mbplugin_force_elements", Push, do)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        inside = list(warnings.filters)
        registry, _ = load_plugins(extra=[("acme", plugin)])
        assert warnings.filters == inside
    after = [value for _, value in kept_settings((*SETTINGS, *SEEDS))]
    path = next(k for k, setting in enumerate(SETTINGS) if setting.name == "sys.path")
    if "/nowhere" in do:  # a folder of the plugin stays, where it hides nothing
        assert after[path] == [*before[path], "/nowhere"]
        sys.path.remove("/nowhere")
        after[path] = before[path]
    assert after == before
    assert registry.find("force element", "push") is Push
    told = [str(one.message) for one in heard]
    assert len(told) == bool(named)
    assert not named or (named in told[0] and "acme" in told[0])


def test_settings_are_put_back_after_each_call_of_a_watcher(tmp_path):
    """One changes a setting after another, and another one looks at all of them behind it."""
    # a plugin may draw random numbers during a run
    changes, seen = [do for do in CHANGES if "random" not in do], []

    class Meddler(Watcher):
        name = "meddler"

        @classmethod
        def start(cls, scene, folder):
            left = iter(["", *changes])
            return lambda frame: exec(next(left, ""), dict(MODULES))

    class Witness(Watcher):
        name = "witness"

        @classmethod
        def start(cls, scene, folder):
            def look(frame):
                sys.path[:] = [folder for folder in sys.path if folder != "/nowhere"]
                seen.append([value for _, value in kept_settings()])

            return look

    class Both:
        @hookimpl
        def mbplugin_watchers(self, register):
            register(Meddler)
            register(Witness)

    registry, _ = load_plugins(strict=True, extra=[("acme", Both())])
    scene = System.from_text(SCENE + table("output", frames=len(changes) + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = kept_settings()
        summary = run_system(scene, tmp_path / "out", registry)
        sys.path[:] = [folder for folder in sys.path if folder != "/nowhere"]
        assert [value for _, value in kept_settings()] == [value for _, value in before]
    assert summary.frames == len(seen) == len(changes) + 2
    for do, after in zip(changes, seen[1:]):
        assert after == seen[0], do


def test_a_plugin_that_ends_the_process_is_named(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme_push", f"import os\nos._exit(0)\n{FORCE}")
    (tmp_path / "s.toml").write_text(SCENE)
    done = command("check", "s.toml", cwd=tmp_path, extra=[site])
    assert done.returncode == 0 and done.stdout
    assert has(done.stderr, "acme", "acme_push", "SystemExit", "os._exit(0)")
    with stopped(PluginError, "acme", "os._exit(0)"):
        load_plugins(strict=True, extra=[("acme", offering("mbplugin_force_elements", Push, "os._exit(0)"))])


def test_other_threads_and_children_may_end():
    with exit_refused():
        with stopped(SystemExit, "os._exit(3)"):
            os._exit(3)
        child = os.fork()
        if not child:
            os._exit(4)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4


def test_a_run_with_such_a_plugin_is_as_without(tmp_path):
    changes = "os.chdir('/'); np.seterr(all='raise'); warnings.simplefilter('error')"
    source = f"import os, warnings\nimport numpy as np\n{changes}\n{FORCE}"
    site = distribution(tmp_path / "site", "acme", "acme_push", source)
    (tmp_path / "s.toml").write_text(SCENE + table("force", name="f", type="push", body="a"))
    done = command("run", "s.toml", "-o", "out", cwd=tmp_path, extra=[site])
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert (tmp_path / "out" / "result.zarr").is_dir()
    assert has(done.stderr, "acme", CHANGES["os.chdir('/')"], "numpy's error")


def test_a_failure_of_the_engine_by_a_changed_setting_names_the_plugin():
    named = SimpleNamespace(homes={"acme_push": "acme (distribution acme)"})
    told = stopped(PluginError, "acme", CHANGES["np.seterr(all='raise')"], "FloatingPointError")
    with told, attribute_errors(System.from_text(SCENE), named, with_user_code=True):
        np.seterr(all="raise")
        np.divide(1.0, 0.0)
    assert np.geterr()["divide"] != "raise"


def test_a_message_of_a_megabyte_is_cut_with_a_note(tmp_path):
    said = "raise ValueError('x' * 1_000_000)\n"
    site = distribution(tmp_path / "site", "acme", "acme_push", said)
    (tmp_path / "s.toml").write_text(SCENE)
    done = command("check", "s.toml", cwd=tmp_path, extra=[site])
    assert len(done.stderr) < MAX_LINE + 500 and "1,000,012 characters" in done.stderr
    site = distribution(
        tmp_path / "site2",
        "acme",
        "acme_push",
        f"from mbplugin.errors import PluginError\n{FORCE}".replace(
            "    register(Push)", "    raise PluginError('x' * 1_000_000)"
        ),
    )
    done = command("check", "s.toml", "--strict-plugins", cwd=tmp_path, extra=[site])
    assert done.returncode == 5 and len(done.stderr) < MAX_TEXT + 500 and "cut;" in done.stderr


def test_what_a_watcher_changes_is_told_by_its_name():
    with warned("the watcher", CHANGES["os.chdir('/')"]), settings_kept("the watcher"):
        os.chdir("/")
