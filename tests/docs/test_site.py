"""The site is built with warnings as errors, and needs no network to be read."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
from child import ROOT

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


BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = """--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --disable-quic --allow-file-access-from-files
    --virtual-time-budget=60000"""
#: opens each page in a frame of the given width and writes what became of it into the document
LOOK = """<body><script>
async function look(name, width) {
    const frame = document.createElement("iframe");
    frame.width = width;
    frame.height = 800;
    const shown = new Promise(done => frame.onload = done);
    frame.src = name;
    document.body.append(frame);
    await shown;
    const { document: page, MathJax, performance } = frame.contentWindow;
    if (MathJax) await MathJax.startup.promise;
    const all = what => [...page.querySelectorAll(what)];
    return {
        name: name,
        written: all(".math").length,
        drawn: all(".math > mjx-container > svg").length,
        // MathJax writes a command that it does not know in red
        errors: all(".math [data-mjx-error], .math [fill='red']")
            .map(node => node.closest(".math").textContent),
        scrolled: all(".math > mjx-container").filter(node => node.scrollWidth > node.clientWidth).length,
        bars: all("div.math > mjx-container").filter(node => node.offsetHeight > node.clientHeight).length,
        overhang: page.documentElement.scrollWidth - page.documentElement.clientWidth,
        loaded: performance.getEntriesByType("resource").map(entry => entry.name),
    };
}
async function lookAtAll(names, width) {
    const seen = [];
    for (const name of names) seen.push(await look(name, width));
    document.body.textContent = JSON.stringify(seen);
}
lookAtAll(NAMES, WIDTH);
</script>
"""


class Page(HTMLParser):
    """Addresses that a page loads and those that it links to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if (tag, key) in LOADED or key == "srcset":
                self.loads.append(value or "")
            elif (tag, key) == ("a", "href"):
                self.links.append(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, from a copy of what it is made of: the build leaves files beside its sources."""
    work = tmp_path_factory.mktemp("site")
    for folder in ("docs", "scenes"):
        ignored = shutil.ignore_patterns("__pycache__", "scenes" if folder == "docs" else "out")
        shutil.copytree(ROOT / folder, work / folder, ignore=ignored)
    shutil.copy(ROOT / "README.md", work)
    # what looks for a network finds a closed door
    proxies = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    nowhere = dict.fromkeys(proxies, "http://127.0.0.1:9")
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


@pytest.mark.slow
def test_every_scene_has_its_page_with_a_picture(site):
    scenes = [file.parent.name for file in ROOT.glob("scenes/*/scene.toml")]
    assert scenes
    for name in scenes:
        page = Page(site / "scenes" / f"{name}.html")
        assert f"{name}.png" in " ".join(page.loads), name


@pytest.mark.slow
def test_every_page_of_the_repository_is_in_the_site(site):
    for file in (ROOT / "docs").rglob("*.md"):
        if (ROOT / "docs/scenes") not in file.parents:
            assert (site / file.relative_to(ROOT / "docs").with_suffix(".html")).exists(), file


@pytest.mark.slow
def test_no_page_loads_anything_from_the_network(site):
    for file in pages(site):
        away = [address for address in Page(file).loads if "//" in address]
        assert away == [], file.name
    for sheet in site.rglob("*.css"):
        loads = r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\s]*"
        assert re.findall(loads, sheet.read_text(encoding="utf-8")) == [], sheet.name
    for script in site.rglob("*.js"):
        loads = r"(?:fetch|import|importScripts)\(\s*[\"'`](?:https?:)?//"
        assert not re.search(loads, script.read_text(encoding="utf-8")), script.name


@pytest.mark.slow
def test_what_a_page_loads_and_links_to_is_there(site):
    for file in pages(site):
        page = Page(file)
        for address in page.loads + page.links:
            target = re.split(r"[?#]", address)[0]
            if target and ":" not in target:
                assert (file.parent / target).exists(), f"{file.name}: {address}"


def seen_in_browser(site: Path, width: int) -> list[dict]:
    """What a browser shows of each page, opened as a file in a window `width` pixels wide."""
    looking = site / "look.html"
    names = [file.relative_to(site).as_posix() for file in pages(site)]
    looking.write_text(LOOK.replace("NAMES", json.dumps(names)).replace("WIDTH", str(width)))
    with tempfile.TemporaryDirectory() as profile:
        shown = subprocess.run(
            [BROWSER, *FLAGS.split(), f"--user-data-dir={profile}", "--dump-dom", looking.as_uri()],
            capture_output=True,
            text=True,
            timeout=300,
        )
    looking.unlink()
    seen = re.search(r"<body>(\[.*\])</body>", shown.stdout, flags=re.DOTALL)
    assert seen, shown.stdout[-1000:] + shown.stderr[-1000:]
    return json.loads(html.unescape(seen[1]))


@pytest.mark.slow
def test_every_equation_is_rendered_by_the_bundled_mathjax(site):
    for file in pages(site):
        text = file.read_text(encoding="utf-8")
        assert "$$" not in text, file.name
        if 'class="math' in text:
            assert any("tex-svg.js" in address for address in Page(file).loads), file.name
    for name in ("rk", "constraint_force", "kkt", "newton_euler"):
        assert 'class="math' in (site / "solvers" / f"{name}.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no chromium")
def test_a_browser_draws_every_equation_and_loads_nothing_from_elsewhere(site):
    seen = seen_in_browser(site, width=1280)
    assert sum(page["written"] for page in seen) > 100
    for page in seen:
        assert page["drawn"] == page["written"] and page["errors"] == [], page
        assert all(address.startswith(site.as_uri()) for address in page["loaded"]), page


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no chromium")
def test_an_equation_has_a_scroll_bar_only_where_it_does_not_fit(site):
    for page in seen_in_browser(site, width=1280):
        assert page["scrolled"] == page["bars"] == 0, page
    narrow = seen_in_browser(site, width=400)
    assert sum(page["bars"] for page in narrow) > 10
    for page in narrow:
        assert page["bars"] == page["scrolled"] and page["overhang"] <= 0, page


def test_pictures_are_small():
    for file in (ROOT / "docs/pictures").iterdir():
        assert file.stat().st_size < 150_000, file.name
