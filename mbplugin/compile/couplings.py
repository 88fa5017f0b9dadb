"""Adds couplings to the draft: one row over coordinates of other joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftRow
from mbplugin.compile.drawn import drawn_value
from mbplugin.compile.enforced import enforce
from mbplugin.compile.references import of_time
from mbplugin.errors import SceneError, listed
from mbplugin.interface import ConstraintKind
from mbplugin.model import Joint
from mbplugin.model.expression import Expression
from mbplugin.problem import JointInfo
from mbplugin.tables.purposes import MEASURE
from mbplugin.tables.records import OWN_SLOTS


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
    terms = []
    points: list[int] = []
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
        number = build.add_measure(joint.name, measure, at, MEASURE)
        build.names.same_measures.append((number, original))
        terms.append((number, 6 * len(points), c))
        points += at
        units.add(measure.unit)
        drawn += c * drawn_value(measure, [build.draft.point_pose[point] for point in at])
    block = build.draft.open_block(points)
    unit = kind.units[0] if kind.units else "rad" if units == {"rad"} else "m"
    row = build.add_row(block, DraftRow(joint.name, kind.labels[0] if kind.labels else "coupling", unit, 0))
    target = getattr(params, "target", None)
    if isinstance(target, Expression):
        target = of_time(build, target, f"{key}.target")
    function = build.draft.bind(drawn if target is None else target)
    for i, (measure_number, g, c) in enumerate(terms):
        build.draft.couplings.append(((row, measure_number, g, OWN_SLOTS if i else function), c))
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
