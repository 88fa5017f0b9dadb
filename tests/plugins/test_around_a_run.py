"""What plugins offer around a run, by the examples of docs/around-a-run.md."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from child import ROOT, command, distribution
from refusals import has, refused, stopped
from small_systems import SWING
from snapshots import same_message

import mbplugin.api
import mbplugin.interface.analysis
import mbplugin.interface.command
from mbplugin.api import System
from mbplugin.cli.app import app
from mbplugin.errors import PluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import AnalysisKind, AnalysisReport, Command, hookimpl
from mbplugin.run.analyze import ANALYSES, analyze
from mbplugin.testing import check_analysis, check_command
from mbplugin.testing.imports import inner_imports

PAGE = (ROOT / "docs" / "around-a-run.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
SOURCE = "\n".join(block for block in BLOCKS if "@hookimpl" in block)


@pytest.fixture(scope="module")
def plugin():
    """The page's blocks as one module."""
    names: dict = {"__name__": "acme_around"}
    exec(compile(SOURCE, "around-a-run.md", "exec", dont_inherit=True), names)
    return SimpleNamespace(**{k: v for k, v in names.items() if not k.startswith("__")})


@pytest.fixture
def registry(plugin, monkeypatch):
    """The installed plugins and that of the page, for System too."""
    found = load_plugins(strict=True, extra=[("acme_around", plugin)])
    monkeypatch.setattr(mbplugin.api, "plugins", lambda: found)
    return found[0]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The page's plugin, installed."""
    return distribution(tmp_path_factory.mktemp("site"), "acme_around", "acme_around", SOURCE)


def offering(hook, *kinds):
    """A plugin that registers these kinds."""

    def register_all(self, register):
        for kind in kinds:
            register(kind)

    return type("Plugin", (), {hook: hookimpl(register_all)})()


def analysis(name="probe", **attributes):
    return type("Probe", (AnalysisKind,), {"name": name, **attributes})


def returning(value):
    return classmethod(lambda cls, problem, system, params: value)


def test_names_of_the_engine_are_those_that_plugins_cannot_take():
    import typer.main

    assert tuple(ANALYSES) == mbplugin.interface.analysis.BUILT_IN
    own = typer.main.get_command(app).commands
    assert set(own) == set(mbplugin.interface.command.BUILT_IN)


def test_an_analysis_of_a_plugin_weighs_the_bodies(registry):
    system = System.from_text(SWING)
    report = system.analyze("acme_masses", unit=0.5)
    assert report.values["mass"] == pytest.approx(2.0) and report.values["velocities"] == 6
    assert np.allclose(report.values["centre"], [0.5, 0, 0])


def test_keys_of_an_analysis_are_checked(registry):
    system = System.from_text(SWING)
    with refused("analysis.units", 2):
        system.analyze("acme_masses", units=2)
    with refused("analysis.unit", -1):
        system.analyze("acme_masses", unit=-1)
    with refused("analyze", "acme_mases"):
        system.analyze("acme_mases")


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (analysis(), ['"probe"', "`analyze`"]),
        (analysis("eigen", analyze=returning(None)), ['"eigen"']),
        (analysis("My Probe", analyze=returning(None)), ['"My Probe"']),
        (analysis(analyze=lambda problem, system, params: None), ['"probe"', "`analyze`", "classmethod"]),
    ],
)
def test_an_analysis_that_cannot_be_called_is_refused(kind, names):
    with stopped(PluginError, *names):
        load_plugins(strict=True, extra=[("bad", offering("mbplugin_analyses", kind))])


def test_an_analysis_that_fails_is_told_with_its_plugin():
    wrong = analysis(analyze=returning("nothing"))
    registry, _ = load_plugins(strict=True, extra=[("bad", offering("mbplugin_analyses", wrong))])
    with stopped(PluginError, '"probe"', "bad", "str", "AnalysisReport"):
        analyze(System.from_text(SWING), "probe", registry)


def test_the_kit_passes_the_page_and_finds_what_differs(plugin, capsys):
    assert check_analysis(plugin.Masses).ok and check_command(plugin.Lowest).ok
    count = iter(range(9))
    other = classmethod(lambda cls, *rest: AnalysisReport([f"{next(count)}"], {"it": object()}))
    failed = {check.what for check in check_analysis(analysis(analyze=other)).checks if not check.ok}
    assert failed == {"reports the same twice", "has values that JSON holds"}
    silent = type("Silent", (Command,), {"name": "silent", "run": classmethod(lambda cls, words: None)})
    assert {c.what for c in check_command(silent).checks if not c.ok} == {"has a docstring", "prints help"}


def test_two_plugins_with_one_command_are_an_error():
    kind = type("Twice", (Command,), {"name": "twice", "run": classmethod(lambda cls, words: None)})
    plugins = [(name, offering("mbplugin_commands", kind)) for name in ("one", "two")]
    with stopped(PluginError, '"twice"', "one", "two"):
        load_plugins(strict=True, extra=plugins)
    taken = type("Taken", (Command,), {"name": "run", "run": classmethod(lambda cls, words: None)})
    with stopped(PluginError, '"run"'):
        load_plugins(strict=True, extra=[("bad", offering("mbplugin_commands", taken))])


def test_the_command_line_has_both(site, tmp_path):
    (tmp_path / "swing.toml").write_text(SWING + "[output]\nseries = false\n[solver]\nend = 0.1\n")
    said = command("--help", cwd=tmp_path, extra=[site]).stdout
    assert "acme-lowest" in said and "Print how low each body" in said
    keys = ("--set", "analysis.unit=0.5", "--json")
    done = command("analyze", "swing.toml", "acme_masses", *keys, cwd=tmp_path, extra=[site])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["mass"] == pytest.approx(2.0)
    assert command("run", "swing.toml", "-o", "out", cwd=tmp_path, extra=[site]).returncode == 0
    done = command("acme-lowest", "out", cwd=tmp_path, extra=[site])
    assert done.returncode == 0 and done.stdout.startswith("rod  -0."), done.stderr


@pytest.mark.slow
def test_the_command_line_refuses_wrong_words_of_both(site, tmp_path):
    (tmp_path / "swing.toml").write_text(SWING + "[solver]\nend = 0.1\n")
    done = command("acme-lowest", "nowhere", cwd=tmp_path, extra=[site])
    assert done.returncode == 4 and done.stderr.startswith("error: nowhere"), done.stderr
    done = command("acme-lowest", cwd=tmp_path, extra=[site])
    assert done.returncode == 2 and "result" in done.stderr
    done = command("analyze", "swing.toml", "eigen", "--set", "analysis.unit=1", cwd=tmp_path, extra=[site])
    assert done.returncode == 2 and 'the analysis "eigen" takes options, no keys' in done.stderr
    done = command("analyze", "swing.toml", "acme_masses", "--lowest", "3", cwd=tmp_path, extra=[site])
    assert done.returncode == 2 and "--lowest = 3" in done.stderr


def test_a_command_that_fails_is_told_with_its_plugin(tmp_path):
    source = SOURCE.replace("parser = argparse", "1 / 0\n        parser = argparse")
    site = distribution(tmp_path / "site", "acme_around", "acme_around", source)
    done = command("acme-lowest", "out", cwd=tmp_path, extra=[site])
    assert done.returncode == 5 and done.stderr.count("\n") == 1, done.stderr
    assert has(done.stderr, "acme_around", "ZeroDivisionError")
    same_message(done.stderr)


def test_a_run_does_not_ask_plugins_for_commands(site, tmp_path):
    watch = (
        "import mbplugin.hooks.load as load\nold = load.load_plugins\n"
        "def once(*rest):\n    print('loaded')\n    return old(*rest)\nload.load_plugins = once\n"
        "from mbplugin.cli import main; main()"
    )
    done = command("info", "nowhere", cwd=tmp_path, extra=[site], code=watch)
    assert done.stdout == "" and done.returncode == 4


def test_the_page_imports_what_plugins_may_import(tmp_path):
    file = tmp_path / "acme_around.py"
    file.write_text(SOURCE)
    assert not inner_imports(file)
    file.write_text("from mbplugin import load, run\nimport mbplugin.run.loop\nimport mbplugin\n")
    assert [text.rpartition(" ")[2] for text in inner_imports(file)] == [
        "mbplugin.run",
        "mbplugin.run.loop",
        "mbplugin",
    ]
