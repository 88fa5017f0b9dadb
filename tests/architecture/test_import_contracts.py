"""The contracts of `lint-imports` know every plugin that is installed, and every package of the engine."""

from __future__ import annotations

import configparser
import tomllib

import pytest
from child import ROOT

LINTER = configparser.ConfigParser()
LINTER.read(ROOT / ".importlinter")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PLUGINS = set(PROJECT["project"]["entry-points"]["mbplugin"])
#: what a plugin may import of the engine, and modules that only collect others
OFFERED = {"interface", "stepping", "matrix", "math", "errors", "hookmarks", "__main__"}


@pytest.mark.parametrize(
    ("contract", "key"), [("core", "forbidden_modules"), ("plugins", "modules"), ("rooms", "source_modules")]
)
def test_a_contract_lists_every_plugin(contract, key):
    assert set(LINTER[f"importlinter:contract:{contract}"][key].split()) == PLUGINS


def test_the_linter_and_the_type_checker_read_every_plugin():
    assert set(LINTER["importlinter"]["root_packages"].split()) == PLUGINS | {"mbplugin"}
    assert set(PROJECT["tool"]["mypy"]["packages"]) == PLUGINS | {"mbplugin"}


def test_what_plugins_may_not_import_is_all_that_they_are_not_offered():
    layers = set(LINTER["importlinter:contract:layers"]["layers"].replace(":", " ").split())
    forbidden = LINTER["importlinter:contract:rooms"]["forbidden_modules"].split()
    assert {name.removeprefix("mbplugin.") for name in forbidden} == layers - OFFERED
