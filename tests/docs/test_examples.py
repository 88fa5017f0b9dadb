"""The examples of the pages run and print what the pages say; the README's scene and script run too."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if ">>>" in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_examples_of_a_page(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert tried > 0 and failed == 0


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.S)


def test_the_scene_of_the_readme_runs():
    import mbplugin as mb

    (scene,) = blocks("toml")
    sim = mb.System.from_text(scene).simulate()
    sim.step(0.1)
    assert sim["rod"].velocity[2] < -0.1


def test_the_script_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    (script,) = blocks("python")
    monkeypatch.chdir(ROOT)
    exec(compile(script.replace('"out/', f'"{tmp_path}/'), "README.md", "exec"), {})
    assert capsys.readouterr().out.count("[") >= 2


def test_every_link_of_a_page_leads_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page.name}: {link}"
