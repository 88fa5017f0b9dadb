"""Write docs/formulas.md from the docstrings of the installed kinds:  python docs/write_formulas.py"""

from __future__ import annotations

from pathlib import Path

from mbplugin.analysis.explain.formulas import page
from mbplugin.hooks.load import load_plugins

INTRODUCTION = (
    "This page is written by `docs/write_formulas.py`. `mbplugin explain SCENE` gives the same for "
    "the joints of a "
    "model, with its numbers.\n\n"
)


def text() -> str:
    title, rest = page(load_plugins()[0], "mbplugin").split("\n\n", 1)
    return f"{title}\n\n{INTRODUCTION}{rest}"


if __name__ == "__main__":
    (Path(__file__).parent / "formulas.md").write_text(text(), encoding="utf-8")
