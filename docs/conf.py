"""The site: `sphinx-build -W docs site`. Nothing of it needs the network, neither to build nor to read.

The first page is README.md, the pages of scenes are scenes/NAME/README.md; neither is copied into the
repository. Links that hold in the repository are turned into links of the site. MathJax renders the equations
in the browser, from one file that comes with the PyPI package django-static-mathjax and is copied into the
site.
"""

from __future__ import annotations

import posixpath
import re
from importlib.resources import files
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent

project = "mbplugin"
author = "the mbplugin authors"
extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["pictures/*"]
html_theme = "furo"
html_title = "mbplugin"
mathjax_path = "tex-svg.js"  # TeX in, SVG out: needs no fonts
html_static_path = ["static", str(files("mathjax") / "static/mathjax/es5" / mathjax_path)]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
highlight_language = "text"

LINK = re.compile(r"(\]\()([^)#:\s]+)")


def in_site(text: str, folder: str, page: str) -> str:
    """The text of a file in `folder` of the repository, with its links adapted to `page` of the site."""
    home = posixpath.dirname(page)

    def moved(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, found[2]))
        scene = re.fullmatch(r"scenes/(\w+)(/README\.md)?", target)
        target = f"docs/scenes/{scene[1]}.md" if scene else target
        return (
            found[1] + posixpath.relpath(target, posixpath.join("docs", home))
            if target.startswith("docs/")
            else found[0]
        )

    return LINK.sub(moved, text)


def write_scene_pages(app, config):
    """docs/scenes/NAME.md for each scene; files that would not change are left alone, and pages of scenes
    that went away are removed.
    """
    folder = HERE / "scenes"
    folder.mkdir(exist_ok=True)
    pages = {file.parent.name: file for file in ROOT.glob("scenes/*/README.md")}
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, file in pages.items():
        text = in_site(file.read_text(encoding="utf-8"), f"scenes/{name}", f"scenes/{name}.md")
        page = folder / f"{name}.md"
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def read_page(app, docname, source):
    """README.md goes before what the index says; on all other pages links into scenes/ are turned."""
    if docname == "index":
        source[0] = in_site((ROOT / "README.md").read_text(encoding="utf-8"), "", "index.md") + source[0]
    elif not docname.startswith("scenes/"):
        source[0] = in_site(source[0], posixpath.dirname(f"docs/{docname}"), f"{docname}.md")


def setup(app):
    app.connect("config-inited", write_scene_pages)
    app.connect("source-read", read_page)
