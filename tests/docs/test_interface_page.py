"""docs/interface.md has every published name of the interface, each with its meaning."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location

import pytest
from child import ROOT

import mbplugin.interface as interface
import mbplugin.stepping as stepping
from mbplugin.interface.names import NAMES

PAGE = ROOT / "docs" / "interface.md"


def script(name):
    spec = spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def written():
    return script("write_interface")


def test_the_page_is_up_to_date(written):
    assert PAGE.read_text(encoding="utf-8") == written.text(), "run python docs/write_interface.py"


def test_every_name_of_the_interface_is_on_it(written):
    named = {*written.classes(), *written.OTHERS}
    assert named == set(interface.__all__)
    assert set(written.WHEN) == set(NAMES)
    text = PAGE.read_text(encoding="utf-8")
    for name in named:
        assert f"`{name}`" in text, name


def test_every_attribute_of_a_class_is_on_it_with_its_meaning(written):
    for name in written.classes():
        listed = dict(written.attributes_of(getattr(interface, name)))
        assert all(listed.values()), (name, [key for key, meaning in listed.items() if not meaning])
        cls = getattr(interface, name)
        if cls.__module__.startswith("mbplugin.interface"):
            own = {key for key in {**vars(cls), **cls.__annotations__} if not key.startswith("_")}
            assert own <= listed.keys(), (name, own - listed.keys())


@pytest.mark.parametrize(("page", "least"), [("interface", 300), ("stepping", 300)])
def test_no_line_of_a_table_lacks_its_meaning(page, least):
    rows = re.findall(
        r"^\| (.+?) \| (.*?) ?\|$", PAGE.with_stem(page).read_text(encoding="utf-8"), flags=re.M
    )
    assert len(rows) > least
    assert [head for head, meaning in rows if not meaning.strip()] == []


def test_the_page_of_compiled_steps_has_every_name_and_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    written = script("write_stepping")
    page = PAGE.with_stem("stepping").read_text(encoding="utf-8")
    assert page == written.text(), "run python docs/write_stepping.py"
    assert len(stepping.__all__) <= 75
    for name in {name for module in written.FUNCTIONS for name in module.__all__} - written.ELSEWHERE:
        assert re.search(rf"`{name}[`(]", page), name


def test_the_tables_of_what_analyses_take_are_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    page = PAGE.with_stem("analyses").read_text(encoding="utf-8")
    assert page == script("write_cells").text(), "run python docs/write_cells.py"
