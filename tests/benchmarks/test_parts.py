"""Every part of `python benchmarks/run.py` runs, at its smallest size, and prints its tables; and benchmarks
use public names only.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
#: what a part is compared with, where it is installed
PEERS = {
    "chains": ("mujoco", "exudyn"),
    "precision": ("mujoco", "exudyn"),
    "four_bars": ("mujoco",),
    "limited_arms": ("mujoco",),
    "start": ("mujoco", "exudyn"),
    "stiff": ("exudyn",),
    "contacts": ("mujoco", "pybullet"),
    "trajectories": ("mujoco",),
    "piles": ("mujoco", "pybullet"),
}
#: parts that compile for themselves alone, start processes, or have many bodies at their smallest too
LONG = (
    *("matrix", "andrews", "start", "sweep", "many_bodies", "piles", "trees", "derived", "limited_arms"),
    *("stiff", "elastic_elements", "plates", "deformable", "methods", "control_loops", "enforcements"),
)
#: methods of named tuples
PUBLIC = {"_replace", "_fields", "_asdict"}


def cases(parts: Iterable[str]) -> list[object]:
    """Those of `LONG` as slow ones."""
    return [pytest.param(part, marks=pytest.mark.slow if part in LONG else ()) for part in parts]


def parts() -> list[str]:
    """The keys of `PARTS` in run.py."""
    assigned = (n for n in ast.parse((FOLDER / "run.py").read_text()).body if isinstance(n, ast.Assign))
    (table,) = (n.value for n in assigned if ast.unparse(n.targets[0]) == "PARTS")
    return list(ast.literal_eval(ast.List(table.keys, ast.Load())))  # type: ignore[attr-defined]


@pytest.fixture
def printed(monkeypatch, capsys) -> Callable[[str], str]:
    """Runs a part and returns what it prints."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.syspath_prepend(FOLDER)

    def run(part: str) -> str:
        monkeypatch.setattr(sys, "argv", ["run.py", part, "--smallest"])
        importlib.import_module("run").main()
        return capsys.readouterr().out

    return run


def tables(text: str) -> list[list[int]]:
    """The numbers of cells in the lines of each Markdown table."""
    found = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [[line.count("|") - 1 for line in table.splitlines()] for table in found]


def check_tables(text: str) -> None:
    """Each has rows, as wide as its head."""
    found = tables(text)
    assert found
    for head, *rest in found:
        assert len(rest) >= 2
        assert set(rest) == {head}, text


@pytest.mark.parametrize("part", cases(parts()))
def test_a_part_prints_its_tables_without_peers(part, printed, monkeypatch):
    for peer in ("mujoco", "exudyn", "pybullet"):
        monkeypatch.setitem(sys.modules, peer, None)
    check_tables(printed(part))


@pytest.mark.parametrize("part", cases(PEERS))
def test_a_part_prints_its_tables_with_peers(part, printed):
    for peer in PEERS[part]:
        if importlib.util.find_spec(peer) is None:
            pytest.skip(f"{part} is compared with {peer}, which is not installed")
    text = printed(part).lower()
    check_tables(text)
    assert all(peer in text for peer in PEERS[part])


def private(tree: ast.AST) -> Iterator[str]:
    """Attributes and imported names that begin with one underscore, with their lines."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute():
                names = [node.attr]
            case ast.ImportFrom():
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            case ast.Import():
                names = [name for alias in node.names for name in alias.name.split(".")]
            case _:
                names = []
        for name in names:
            if re.match(r"_(?!_|$)", name) and name not in PUBLIC:
                yield f"line {node.lineno}: {name}"


def test_no_module_of_the_tests_has_the_name_of_a_benchmark():
    """The first one that a worker imports would be both."""
    root = FOLDER.parent
    tests = [file for folder in ("tests", "docs/examples") for file in (root / folder).rglob("*.py")]
    names = [file.stem for file in tests if not file.with_name("__init__.py").exists()]
    assert {file.stem for file in FOLDER.glob("*.py")} & set(names) == set()


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.name)
def test_a_benchmark_uses_no_private_name(file):
    assert list(private(ast.parse(file.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "line", ["s._show(1.0)", "from mbplugin.api import _show", "import mbplugin._api", "a._b.c = 1"]
)
def test_a_private_name_is_found(line):
    assert len(list(private(ast.parse(line)))) == 1
