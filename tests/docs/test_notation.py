"""Every name that the glossary gives for the code exists there, in the file that it names."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/notation.md").read_text(encoding="utf-8")
SOURCES = {file: file.read_text(encoding="utf-8") for file in (ROOT / "mbplugin").rglob("*.py")}
TEXT = "\n".join(SOURCES.values())


def column(heading: str, number: int) -> list[str]:
    """The cells of one column of the table under a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [row[number] for row in rows[1:]]


NAMES = re.findall(r"`([^`]+)`", " ".join(column("Symbols", 1) + column("Names in the code", 0)))
PLACES = re.findall(r"`([^`]+)`", " ".join(column("Names in the code", 1)))


def test_the_tables_are_found():
    assert {"G_marker", "aux", "lam", "skip", "Problem"} <= set(NAMES)
    assert {"BatchRecord", "mbplugin/tables/purposes.py"} <= set(PLACES)


def test_names_of_the_glossary_are_in_the_code():
    assert [name for name in NAMES if not re.search(rf"\b{name}\b", TEXT)] == []


def test_places_of_the_glossary_are_in_the_code():
    is_there = lambda place: (ROOT / place).exists() if "/" in place else re.search(rf"\b{place}\b", TEXT)
    assert [place for place in PLACES if not is_there(place)] == []
