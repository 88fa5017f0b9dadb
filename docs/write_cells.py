"""Write the table of what each analysis and solver takes into docs/analyses.md:  python docs/write_cells.py

Its rows and columns are those of `tests/cells`, where each cell is tried.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests")]

from cells.columns import ALONG_MOTIONS, ANALYSES, AROUND, RUNS  # noqa: E402
from cells.features import FEATURES, Feature  # noqa: E402
from cells.outcomes import NO_MEANING, REFUSED, STOPPED, TAKEN, expected, read  # noqa: E402

PAGE = ROOT / "docs" / "analyses.md"
BEGIN, END = "<!-- written by docs/write_cells.py -->", "<!-- end of what it writes -->"
#: marks of a cell
MARKS = {TAKEN: "•", REFUSED: "no", STOPPED: "3", NO_MEANING: ""}
HEADINGS = {
    "static over time": "`static --positions`",
    "eigen motion": "eigen `--about motion`",
    "linearize": "`linearize`",
}
INTRODUCTION = """
Each feature is tried alone, in a small scene, with each solver in maximal and in joint coordinates and in
each analysis (`tests/cells`). "•": taken. "no": refused by name (exit code 2). "3": no solution is found
(exit code 3). Empty: without a meaning, as modes where nothing can move, or an analysis along motions where
none drives the degrees of freedom. Features with the same marks stand together.
"""


def table(columns: list[str]) -> list[str]:
    """The lines of a table: features with equal marks in one row, by their headings."""
    expectations = read()
    lines = [
        f"| | feature | {' | '.join(HEADINGS.get(c, c) for c in columns)} |",
        "|---" * (len(columns) + 2) + "|",
    ]
    for group, features in groupby(FEATURES, key=lambda feature: feature.group):
        rows: dict[tuple[str, ...], list[str]] = {}
        for feature in features:
            marks = tuple(mark(expectations, feature, column) for column in columns)
            rows.setdefault(marks, []).append(feature.name)
        for marks, names in rows.items():
            lines.append(f"| {group} | {', '.join(names)} | {' | '.join(marks)} |")
    return lines


def mark(expectations: dict[str, dict[str, dict[str, str]]], feature: Feature, column: str) -> str:
    if column in ALONG_MOTIONS and not feature.drive:
        return MARKS[NO_MEANING]
    return MARKS[expected(expectations, feature, column).kind]


def text() -> str:
    """The page with the tables of today."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    parts = [BEGIN, INTRODUCTION, *table([*ANALYSES]), "", *table([*RUNS, *AROUND]), "", END]
    return before + "\n".join(parts) + after


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
