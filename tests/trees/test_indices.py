"""Records point into their groups, and follow when these are numbered anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest
import random_trees

from mbplugin.compile.assemble import tables_of
from mbplugin.compile.build import drafted
from mbplugin.compile.tree.choose import choose_trees
from mbplugin.compile.tree.fold import fold
from mbplugin.compile.tree.form import TreeForm
from mbplugin.model import System
from mbplugin.tables import groups, records
from mbplugin.tables.check import StrayIndexError, check_indices, pointed_at
from mbplugin.tables.links import Index, IndexBy, MarkerIndex, RowIndex, index_hints, index_of, renumbered
from mbplugin.tables.spec import record_types, specs

SCENES = [
    *((random_trees.random_tree, seed) for seed in (0, 3)),
    *((random_trees.random_mechanism, seed) for seed in (3, 4)),
    *((random_trees.random_bounded, seed) for seed in (0, 3)),
    (random_trees.random_vehicle, 0),
]


def draft_of(make, seed, registry):
    return drafted(System.from_text(make(seed).text()), registry)


def first_poses(draft):
    """Poses of the markers of each joint as drafted: enough to choose trees."""
    return lambda k: [draft.draft.point_pose[point] for point in draft.names.joints[k].markers]


@pytest.mark.parametrize(("make", "seed"), SCENES)
def test_every_index_is_within_its_group_in_both_coordinates(make, seed, registry):
    draft = draft_of(make, seed, registry)
    check_indices(tables_of(draft).tables)
    trees = fold(draft, choose_trees(draft, first_poses(draft), TreeForm()), TreeForm())
    check_indices(tables_of(trees).tables)


def test_an_index_behind_the_end_of_its_group_is_found(registry):
    planted = 0
    for make, seed in SCENES:
        tables = tables_of(draft_of(make, seed, registry)).tables
        for group, arrays in tables.items():
            for name, record in record_types(group).items():
                array = getattr(arrays, name)
                for field in index_hints(record):
                    if not len(array) or not list(pointed_at(record, array)):
                        continue
                    before = array[field][-1]
                    array[field][-1] = before + 10**6
                    if any(before + 10**6 in values for _, _, values, _ in pointed_at(record, array)):
                        with pytest.raises(StrayIndexError, match=rf"{group.__name__}.{name}\[.*{field}"):
                            check_indices(tables)
                        planted += 1
                    array[field][-1] = before
    assert planted > 200


def test_every_annotation_names_a_group_or_an_array():
    known = {group.__name__ for group in groups.GROUPS}
    known |= {f"{group.__name__}.{name}" for group in groups.GROUPS for name in specs(group)}
    for record in vars(records).values():
        if isinstance(record, type) and hasattr(record, "_fields"):
            for hint in index_hints(record).values():
                index = index_of(hint)
                targets = index.groups.values() if isinstance(index, IndexBy) else [index.group]
                assert known.issuperset(targets), record


@dataclass
class Part:
    """Names with indices in lists, ranges, tuples and keys."""

    rows: Annotated[range, Index("Rows")]
    driven: list[RowIndex]
    ends: tuple[str, MarkerIndex]
    by_row: dict[RowIndex, str]
    start: RowIndex = -1


def test_indices_follow_where_rows_are_dropped():
    new = {0: 0, 2: 1, 3: 2, 5: 3}  # 1 and 4 are dropped
    part = Part(range(1, 4), [0, 1, 5], ("a", 3), {2: "x", 4: "y"})
    moved = renumbered(part, {"Rows": new})
    assert moved == Part(range(1, 3), [0, 3], ("a", 3), {1: "x"})
    assert part.driven == [0, 1, 5]
    assert renumbered(part, {"Markers": {3: 8}}).ends == ("a", 8)
    bearing = records.BearingRecord(0, 0, 1, 4, 0, 0, 0, pressing=4)
    moved = renumbered(bearing, {"Rows": new})
    assert (moved.first_row, moved.rows, moved.pressing) == (1, 2, -1)
    dropped = renumbered(bearing, {"Rows": {0: 0}})
    assert (dropped.first_row, dropped.rows) == (0, 0)


def test_the_group_of_an_index_may_depend_on_another_field():
    numbers = {"Rows": {4: 1}, "Bodies": {4: 2}}
    for kind, number in ((records.TARGET_ROW, 1), (records.TARGET_CONTACTS, 2), (records.TARGET_FORCE, 4)):
        assert renumbered(records.TargetRecord(kind, 4), numbers).number == number


@pytest.mark.parametrize(("make", "seed"), SCENES[:4])
def test_a_draft_is_not_changed_by_the_one_in_joint_coordinates(make, seed, registry):
    draft = draft_of(make, seed, registry)
    before = tables_of(draft)
    fold(draft, choose_trees(draft, first_poses(draft), TreeForm()), TreeForm())
    after = tables_of(draft)
    for a, b in zip(before.arrays(), after.arrays()):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
