"""Bearings of coordinates with friction by a coefficient: the keys `friction`, `radius` and `length`."""

from __future__ import annotations

import math
from typing import Any

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBlock
from mbplugin.compile.joint_keys import within
from mbplugin.compile.parameters import keys_of_kind, of_kind
from mbplugin.errors import PluginError, SceneError
from mbplugin.interface import ConstraintKind
from mbplugin.model import Joint
from mbplugin.problem import JointInfo
from mbplugin.tables.records import EQUALITY, ROW_TYPES, BearingRecord

#: sizes of a bearing [m]
SIZES = ("radius", "length")
#: no row, no output, no axis
NONE = -1
AXES = ["x", "y", "z"]


def add_bearing(build: Builder, joint: Joint, key: str, name: str, value: Any) -> None:
    """Add the bearing of a coordinate, whose friction row comes next. Raises SceneError."""
    info = next(one for one in build.names.joints if one.name == joint.name)
    bearing = info.kind.bearings.get(name)
    if bearing is None:
        _, measure, _ = build.coordinate_measure[joint.name, name]
        constant = "friction_torque" if measure.unit == "rad" else "friction_force"
        mend = f'type "{info.kind.name}" does not say what presses on its {name}; give `{constant}`'
        raise SceneError(f"{key}.friction", value, mend)
    sizes = [size(build, joint, info, key, word) for word in SIZES]
    for word, given in zip(SIZES, sizes):
        if word in bearing.needs and math.isinf(given):
            mend = f"needs the `{word}` of the bearing [m]"
            raise SceneError(f"{key}.friction", value, mend)
    build.draft.bearings.append(
        BearingRecord(
            len(build.draft.bounded),
            info.block,
            info.rows.start,
            len(info.rows),
            len(info.markers) - 1,
            info.markers[0 if bearing.of == "a" else -1],
            AXES.index(bearing.axis) if bearing.axis else NONE,
            NONE,
            NONE,
            NONE,
            *bearing.factors(*sizes),
        )
    )


def add_pressed(
    build: Builder, kind: type[ConstraintKind], params: Any, block: DraftBlock, row: int, name: str
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Add what presses on a row of the type "box" of a joint with this name, and let its record come next.
    Returns its bounds, where it slips and where it holds. Raises PluginError.
    """
    pressed = kind.pressed[row]
    kinetic, static = (
        output_number(build, kind, name, output)
        for output in (pressed.kinetic, pressed.static or pressed.kinetic)
    )
    types = [kind.row_type] * block.rows if isinstance(kind.row_type, str) else kind.row_type
    pulls = types[pressed.by] == ROW_TYPES[EQUALITY]
    bearing = pressed_by(build, block, block.first_row + pressed.by, pulls)
    build.draft.bearings.append(bearing._replace(kinetic=kinetic, static=static))
    if pressed.kinetic:
        # the kernel gives them at each evaluation
        return (0.0, 0.0), (0.0, 0.0)
    return kind.bounds(params), kind.static_bounds(params)


def pressed_by(build: Builder, block: DraftBlock, row: int, pulls: bool = False) -> BearingRecord:
    """Bearing: what a row of a block presses on the bounded row that comes next. pulls: its multiplier has
    either sign, and its size presses.
    """
    number = build.draft.blocks.index(block)
    first, rows = block.first_row, block.rows
    if pulls:
        last = len(block.points) - 1
        own = BearingRecord(len(build.draft.bounded), number, row, 1, last, block.points[last], NONE, NONE)
        return own._replace(across_force=1.0)
    return BearingRecord(len(build.draft.bounded), number, first, rows, 0, block.points[0], 0, row)


def output_number(build: Builder, kind: type[ConstraintKind], name: str, output: str) -> int:
    """The place of an output of the joint `name`; NONE for "". Raises PluginError."""
    if not output:
        return NONE
    if output not in kind.outputs:
        fault = f'`pressed` names the output "{output}", which `outputs` lacks'
        raise PluginError(f'constraint type "{kind.name}": {fault}')
    return [of for of, _ in build.draft.outputs].index(f"{name}.{output}")


def size(build: Builder, joint: Joint, info: JointInfo, key: str, word: str) -> float:
    """The radius or length of a joint's bearings [m]; infinite if it is not given. Raises SceneError."""
    value = keys_of_kind(info.kind, joint).get(word, getattr(joint, word))
    if value is None:
        return math.inf
    result = within(build, value, f"{key}.{word}")
    if result == 0.0:
        raise SceneError(f"{key}.{word}", value, "must be positive")
    return result


def refuse_idle_bearing(build: Builder, joint: Joint, key: str) -> None:
    """Raises SceneError for sizes of a bearing that has no friction."""
    kind = build.registry.constraint(joint.type)
    for word in SIZES:
        value = getattr(joint, word)
        if value is not None and joint.friction is None and not of_kind(kind, word):
            mend = f'is that of a bearing with friction, and joint "{joint.name}" has no `friction`'
            raise SceneError(f"{key}.{word}", value, mend)
