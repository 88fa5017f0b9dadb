"""Each feature with each solver, in both coordinates, in each analysis, resumed, changed and in a loop.

`cells.toml` lists what is refused and what has no meaning. All other cells are taken. Both are compared, so
that a refusal neither comes nor goes unseen. By default a part of the cells is tried, with --slow the others.
"""

from __future__ import annotations

import pytest
from cells.columns import ALONG_MOTIONS, COLUMNS
from cells.features import FEATURES
from cells.outcomes import NO_MEANING, REFUSED, STOPPED, TAKEN, expected, read, tried

TABLE = read()
#: one in so many cells is tried by default, along diagonals: of each row and column there are some
PART = 23


def cells():
    for i, feature in enumerate(FEATURES):
        for j, column in enumerate(COLUMNS):
            marks = () if (i + j) % PART == 0 else (pytest.mark.slow,)
            yield pytest.param(feature, column, marks=marks, id=f"{feature.name}-{column}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("feature", "column"), cells())
def test_a_cell_is_taken_unless_the_table_says_otherwise(feature, column):
    found, wanted = tried(feature, column), expected(TABLE, feature, column)
    assert found.kind == wanted.kind, found.text or f"taken, but cells.toml says: {wanted.text}"


def test_the_table_lists_only_cells_that_there_are():
    names = {feature.name for feature in FEATURES}
    assert len(names) == len(FEATURES)
    for kind, columns in TABLE.items():
        assert kind.replace("_", " ") in (REFUSED, STOPPED, NO_MEANING)
        for column, found in columns.items():
            assert column in COLUMNS, column
            assert set(found) <= names, set(found) - names
            assert all(found.values())


def test_every_feature_has_a_solver_and_every_column_a_feature():
    taken = {(f.name, c) for f in FEATURES for c in COLUMNS if expected(TABLE, f, c).kind == TAKEN}
    assert {name for name, column in taken if column in ("rk", "galpha", "contact")} == {
        f.name for f in FEATURES
    }
    assert {column for _, column in taken} == set(COLUMNS)


def test_scenes_whose_motion_is_driven_are_those_along_motions():
    """A scene without `drive` has no meaning there, and the table does not call that a refusal."""
    for column in ALONG_MOTIONS:
        driven = {feature.name for feature in FEATURES if feature.drive}
        assert not driven & set(TABLE["no_meaning"][column])
