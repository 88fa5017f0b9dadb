"""What is registered is described: a page per solver and per choice inside it, every kind in the catalogue,
every key with its default.
"""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from mbplugin.hooks.load import load_plugins
from mbplugin.model.functions import FUNCTIONS

DOCS = Path(__file__).parents[2] / "docs"
REGISTRY, _ = load_plugins()
OWN = "mbplugin"
SOLVERS, METHODS, TABLEAUS = (
    [name for name, offers in REGISTRY.offers[what].items() if offers[0].distribution == OWN]
    for what in ("solver", "method", "tableau")
)


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_has_a_page_that_tells_every_key_and_its_default(solver):
    page = text(f"solvers/{solver}.md")
    for key, field in REGISTRY.solver(solver).parameters.model_fields.items():
        (row,) = re.findall(rf"^\| `{key}` \|(.*)$", page, flags=re.M)
        if field.default is not None:
            (told,) = re.findall(r"`([^`]+)`", row.split("|")[1])
            assert told.strip('"') == str(field.default).lower() or float(told) == field.default, key


@pytest.mark.parametrize("name", [*METHODS, *TABLEAUS])
def test_a_method_and_a_tableau_have_a_page(name):
    assert (DOCS / "solvers" / f"{name}.md").exists()


@pytest.mark.parametrize("page", sorted((DOCS / "solvers").glob("*.md")), ids=lambda p: p.stem)
def test_a_page_of_a_solver_has_equations_limits_and_verification(page):
    said = page.read_text(encoding="utf-8")
    for heading in ("## Equations", "## Limits", "## Verification"):
        assert said.count(heading) == 1, heading
    assert page.stem in {*SOLVERS, *METHODS, *TABLEAUS}, "a page of something that is not registered"
    assert "$" in said
    for test in re.findall(r"`(tests/[^`]+)`", said):
        assert (DOCS.parent / test).exists(), test


@pytest.mark.parametrize(
    "category", ["body kind", "constraint type", "enforcement", "force element", "measure"]
)
def test_the_catalogue_names_every_kind(category):
    page = text("catalogue.md")
    for name, offers in REGISTRY.offers[category].items():
        if offers[0].distribution == OWN:
            assert f"`{name}`" in page, name


def test_the_catalogue_tells_every_key_of_a_kind():
    page = text("catalogue.md")
    for category in ("constraint type", "enforcement", "force element"):
        for name, offers in REGISTRY.offers[category].items():
            if offers[0].distribution == OWN and offers[0].thing.parameters is not None and name != "gravity":
                (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}`")]
                for key in offers[0].thing.parameters.model_fields:
                    assert f"`{key}`" in row, f"{name}: {key}"


def test_the_catalogue_names_every_function_of_expressions():
    assert all(f"`{name}`" in text("catalogue.md") for name in FUNCTIONS)


def test_the_page_of_keys_is_that_of_the_models():
    spec = spec_from_file_location("write_keys", DOCS / "write_keys.py")
    written = module_from_spec(spec)
    spec.loader.exec_module(written)
    assert text("keys.md") == written.text(), "run python docs/write_keys.py"
