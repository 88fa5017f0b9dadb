"""What came of each cell, beside what `cells.toml` expects: `python -m cells.outcomes` in `tests` renews it,
or columns of it that are named.

A cell that `cells.toml` does not list is taken. It lists cells that are refused, those where the search for a
solution stops (exit code 3), and those without a meaning, each with the message of the error.
"""

from __future__ import annotations

import re
import sys
import tomllib
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scene_text import value

TABLE = Path(__file__).with_name("cells.toml")
TAKEN, REFUSED, STOPPED, NO_MEANING, WRONG = "taken", "refused", "stopped", "no meaning", "wrong"
HEAD = """# The cells that are not taken: what a solver or an analysis refuses, where it stops without a
# result, and what has no meaning.
# A change of the engine that takes a cell has to remove its line; `python -m cells.outcomes` in `tests` does.
"""
#: what the message of a cell without a meaning says
WITHOUT_MEANING = ("mobility is 0", "motions of this scene move it")


class Outcome(NamedTuple):
    """What came of a cell, and the message of its error."""

    kind: str
    text: str = ""


def tried(feature: Any, column: str) -> Outcome:
    """Try a cell: a message for users is a refusal, another error is wrong."""
    from cells.columns import ALONG_MOTIONS, COLUMNS

    from mbplugin.errors import PhysicsError, SceneError

    if column in ALONG_MOTIONS and not feature.drive:
        return Outcome(NO_MEANING, "degrees of freedom that no motion drives")
    try:
        COLUMNS[column](feature)
    except SceneError as error:
        text = one_line(error)
        if any(words in text for words in WITHOUT_MEANING):
            return Outcome(NO_MEANING, text)
        clear = error.exit_code == 2 and error.key and "unknown key" not in text
        return Outcome(REFUSED if clear else WRONG, text)
    except PhysicsError as error:
        text = one_line(error)
        return Outcome(NO_MEANING if any(words in text for words in WITHOUT_MEANING) else STOPPED, text)
    except Exception as error:
        return Outcome(WRONG, f"{type(error).__name__}: {error}")
    return Outcome(TAKEN)


def one_line(error: Exception) -> str:
    return re.sub(r"\s+", " ", str(error).removeprefix("scene.toml: "))


def expected(table: dict[str, dict[str, dict[str, str]]], feature: Any, column: str) -> Outcome:
    """What the table says of a cell."""
    for kind in (REFUSED, STOPPED, NO_MEANING):
        found = table.get(kind.replace(" ", "_"), {}).get(column, {}).get(feature.name)
        if found is not None:
            return Outcome(kind, found)
    return Outcome(TAKEN)


def read() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}


def write(outcomes: dict[tuple[str, str], Outcome]) -> None:
    """Write the table of the cells (column, feature) that are not taken."""
    lines = [HEAD]
    for kind in (REFUSED, STOPPED, NO_MEANING):
        for column in dict.fromkeys(column for column, _ in outcomes):
            found = {
                name: one.text for (at, name), one in outcomes.items() if at == column and one.kind == kind
            }
            if found:
                lines.append(f"[{kind.replace(' ', '_')}.{value(column)}]")
                lines += [f"{value(name)} = {value(text)}" for name, text in found.items()] + [""]
    TABLE.write_text("\n".join(lines), encoding="utf-8")


def renew(columns: Sequence[str]) -> None:
    """Try the cells of some columns, or all; tell those that are wrong or changed; write the table."""
    from cells.columns import COLUMNS
    from cells.features import FEATURES

    before, outcomes = read(), {}
    for feature in FEATURES:
        for column in COLUMNS:
            wanted = expected(before, feature, column)
            one = tried(feature, column) if not columns or column in columns else wanted
            outcomes[column, feature.name] = one
            if one.kind == WRONG or one.kind != wanted.kind:
                print(f"{feature.name:28} {column:14} {one.kind:10} {one.text[:170]}", flush=True)
    write(outcomes)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    renew(sys.argv[1:])
