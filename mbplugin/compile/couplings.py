"""Adds couplings to the draft: one row over coordinates of other joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftRow
from mbplugin.compile.drawn import drawn_value
from mbplugin.compile.enforced import enforce
from mbplugin.compile.references import of_time
from mbplugin.compile.without_markers import refuse_markers
from mbplugin.errors import SceneError, listed
from mbplugin.interface import ConstraintKind, Measure
from mbplugin.model import Joint
from mbplugin.model.expression import Expression
from mbplugin.problem import JointInfo
from mbplugin.tables.purposes import MEASURE
from mbplugin.tables.records import OWN_SLOTS

#: a measure, its points, its factor cᵢ, and the number of the coordinate that it repeats (-1: none)
Term = tuple[Measure, list[int], float, int]


def add_sum(build: Builder, row: DraftRow, terms: Sequence[Term], target: Any) -> tuple[int, list[int]]:
    """Add a block with the row Σ cᵢ sᵢ = target; returns the number of the row, and its points."""
    added = []
    points: list[int] = []
    for measure, at, c, original in terms:
        number = build.add_measure(row.owner, measure, at, MEASURE)
        if original >= 0:
            build.names.same_measures.append((number, original))
        added.append((number, 6 * len(points), c))
        points += at
    block = build.draft.open_block(points)
    row_number = build.add_row(block, row)
    function = build.draft.bind(target)
    for i, (number, g, c) in enumerate(added):
        build.draft.couple(row_number, number, OWN_SLOTS if i else function, c, g)
    return row_number, points


def add_coupling(
    build: Builder,
    k: int,
    joint: Joint,
    kind: type[ConstraintKind],
    params: Any,
    relation: Sequence[tuple[str, str, float]],
) -> None:
    """Add a row Σ cᵢ sᵢ = target over coordinates of other joints, for joint number k. Raises SceneError.

    relation: (joint, coordinate, cᵢ), as `ConstraintKind.coupling` returns it
    """
    key = f"joint[{k}]"
    refuse_markers(joint, key, "coordinates of other joints")
    terms: list[Term] = []
    units, drawn = set(), 0.0
    for i, (joint_name, coordinate, c) in enumerate(relation):
        of_joint = [pair for pair in build.coordinate_measure if pair[0] == joint_name]
        pair = of_joint[0] if not coordinate and len(of_joint) == 1 else (joint_name, coordinate)
        if pair not in build.coordinate_measure:
            known = [f"{j}.{c}" for j, c in of_joint or build.coordinate_measure]
            where = f"{key}.joints[{i}]" if hasattr(params, "joints") else key
            raise SceneError(
                where,
                ".".join(filter(None, pair)),
                f"there is no such joint coordinate; there are {listed(known)}",
            )
        original, measure, at = build.coordinate_measure[pair]
        if original in [term[3] for term in terms]:
            mend = "is listed twice; list it once, with the sum of its factors"
            raise SceneError(f"{key}.joints[{i}]", ".".join(filter(None, pair)), mend)
        terms.append((measure, list(at), c, original))
        units.add(measure.unit)
        drawn += c * drawn_value(measure, [build.draft.point_pose[point] for point in at])
    unit = kind.units[0] if kind.units else "rad" if units == {"rad"} else "m"
    target = getattr(params, "target", None)
    if isinstance(target, Expression):
        target = of_time(build, target, f"{key}.target")
    label = kind.labels[0] if kind.labels else "coupling"
    row, points = add_sum(
        build, DraftRow(joint.name, label, unit, 0), terms, drawn if target is None else target
    )
    build.names.joints.append(
        JointInfo(
            joint.name,
            kind.name,
            "",
            "",
            len(build.draft.blocks) - 1,
            range(row, row + 1),
            tuple(points),
            kind,
        )
    )
    enforce(build, k, joint, build.names.joints[-1])
