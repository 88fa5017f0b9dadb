"""Names and files between backticks in docstrings, and on the page of the architecture, exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from child import ROOT

PAGE = ROOT / "docs" / "architecture.md"
WORD = re.compile(r"[A-Za-z_]\w*")
QUOTED = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w./-]+\.py")
NAME = re.compile(r"([A-Za-z_][\w.]*)(\(.*\))?")
#: names of other programs, and parts of names that stand for any
OTHERS = {"argparse", "concurrent", "dask", "scipy", "xarray", "fc3d_compute_error", "bod", "fem", "dom"}
EXAMPLES = {"FORM", "REDUCTION", "name_v", "first_x", "first_", "physical_TAG", "pid_PID", "c.i.0.0"}
#: made of a coordinate and a level
EXAMPLES |= {"angle_acceleration"}
#: files that a run writes, and those of scenes and pages
ELSEWHERE = ("paraview_state.py", "truth.py", "conf.py")


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            match node.body[0]:
                case ast.Expr(value=ast.Constant(value=str()) as text):
                    yield text


def words_of(tree: ast.Module, left_out: set[int]) -> Iterator[str]:
    """The names in the code, and the words of its texts but docstrings."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name):
                yield from name.split(".")
            case ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(value=str(text)) if id(node) not in left_out:
                yield from WORD.findall(text)


def missing(text: str, words: set[str], files: set[str]) -> Iterator[str]:
    """What stands between backticks and does not exist."""
    for quoted in QUOTED.findall(text):
        if FILE.fullmatch(quoted):
            there = any(file.endswith(f"/{quoted}") for file in files)
            if not there and not quoted.endswith(ELSEWHERE):
                yield quoted
        elif (match := NAME.fullmatch(quoted)) and quoted not in EXAMPLES:
            parts = [part for part in match.group(1).split(".") if part]
            if parts[0] not in OTHERS and not all(part in words for part in parts):
                yield quoted


def test_names_in_docstrings_exist():
    paths = [path for part in ("mbplugin", "plugins") for path in (ROOT / part).rglob("*.py")]
    texts: dict[Path, list[str]] = {PAGE: [PAGE.read_text("utf-8")]}
    words = set(EXAMPLES)
    for path in paths:
        tree = ast.parse(path.read_text("utf-8"))
        found = list(docstrings(tree))
        texts[path] = [str(constant.value) for constant in found]
        words |= {path.stem, *path.relative_to(ROOT).parts, *words_of(tree, {id(one) for one in found})}
    paths += [*(ROOT / "tests").rglob("*.py")]
    files = {f"/{path.relative_to(ROOT).as_posix()}" for path in paths}
    assert len(words) > 5000 and "assemble_initial" in words and "settle_laws" not in words
    wrong = {
        str(path.relative_to(ROOT)): names
        for path, own in texts.items()
        if (names := [name for text in own for name in missing(text, words, files)])
    }
    assert wrong == {}
