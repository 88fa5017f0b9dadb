"""The site is built by the README's command, warnings being errors, and needs no network to be read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: (tag, attribute) through which a browser loads something by itself; <a href> is only followed
LOADED = {
    ("script", "src"),
    ("link", "href"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
    ("object", "data"),
    ("embed", "src"),
}


class Page(HTMLParser):
    """Addresses that a page loads, those that it links to, and its equations."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.equations = 0
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if (tag, key) in LOADED or key == "srcset":
                self.loads.append(value or "")
            elif (tag, key) == ("a", "href"):
                self.links.append(value or "")
        self.equations += tag == "math"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, from a copy of what it is made of: the build leaves files beside its sources."""
    work = tmp_path_factory.mktemp("site")
    for folder in ("docs", "scenes"):
        shutil.copytree(
            ROOT / folder,
            work / folder,
            ignore=shutil.ignore_patterns("__pycache__", "scenes" if folder == "docs" else "out"),
        )
    shutil.copy(ROOT / "README.md", work)
    assert "sphinx-build -W docs site\n" in (ROOT / "README.md").read_text()
    # what looks for a network finds a closed door
    nowhere = {
        name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    }
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "docs", "site"],
        cwd=work,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert built.returncode == 0, built.stderr
    return work / "site"


def pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 20
    return found


def test_every_scene_has_its_page_with_a_picture(site):
    scenes = [file.parent.name for file in ROOT.glob("scenes/*/scene.toml")]
    assert scenes
    for name in scenes:
        page = Page(site / "scenes" / f"{name}.html")
        assert f"{name}.png" in " ".join(page.loads), name


def test_every_page_of_the_repository_is_in_the_site(site):
    for file in (ROOT / "docs").rglob("*.md"):
        if (ROOT / "docs/scenes") not in file.parents:
            assert (site / file.relative_to(ROOT / "docs").with_suffix(".html")).exists(), file


def test_no_page_asks_the_network_for_anything(site):
    for file in pages(site):
        away = [address for address in Page(file).loads if "//" in address]
        assert away == [], file.name
    for sheet in site.rglob("*.css"):
        assert (
            re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\s]*", sheet.read_text(encoding="utf-8"))
            == []
        ), sheet.name
    for script in site.rglob("*.js"):
        assert not re.search(
            r"(?:fetch|import|importScripts)\(\s*[\"'`](?:https?:)?//", script.read_text(encoding="utf-8")
        ), script.name


def test_what_a_page_loads_and_links_to_is_there(site):
    for file in pages(site):
        page = Page(file)
        for address in page.loads + page.links:
            target = re.split(r"[?#]", address)[0]
            if target and ":" not in target:
                assert (file.parent / target).exists(), f"{file.name}: {address}"


def test_equations_are_drawn_by_the_browser_itself(site):
    for name in ("rk", "constraint_force", "kkt", "newton_euler"):
        assert Page(site / "solvers" / f"{name}.html").equations >= 1
    for file in pages(site):
        assert "$$" not in file.read_text(encoding="utf-8"), file.name


def test_pictures_are_small():
    for file in (ROOT / "docs/pictures").iterdir():
        assert file.stat().st_size < 150_000, file.name
