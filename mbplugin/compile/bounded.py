"""Adds rows whose forces have bounds: the keys `limits`, `friction`, `one_way`, ... of joints, and
`effort_limit` of motions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from mbplugin.compile.bearings import NONE, add_bearing, add_pressed, refuse_idle_bearing
from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBlock, DraftRow
from mbplugin.compile.joint_keys import Commanded, commanded, given
from mbplugin.compile.kernel_rows import add_kernel
from mbplugin.compile.references import of_time
from mbplugin.errors import PluginError, SceneError, errors_at, listed
from mbplugin.interface import ConstraintKind
from mbplugin.model import Joint
from mbplugin.model.expression import Expression, number
from mbplugin.tables.records import (
    ACCELERATION_LEVEL,
    OFF,
    OPENING,
    POSITION_LEVEL,
    REBOUNDS,
    SLIPS,
    STICKS,
    VELOCITY_LEVEL,
    BoundedRecord,
    CommandRecord,
)

#: keys of friction -> unit of the coordinates that they act on; a coefficient acts on any
FRICTION = {"friction": "", "friction_torque": "rad", "friction_force": "m"}
#: values of `one_way` -> sign of the rate that is free
WAYS = {"positive": 1.0, "negative": -1.0}
PUSHES = (0.0, math.inf)


class Law(NamedTuple):
    """Bounds of the force of a row."""

    what: str  # "friction", "upper limit", ...
    key: str  # of the scene
    given: Any  # its value there
    bounds: tuple[float, float]  # of the force where Φ̇ is not 0
    holds: tuple[float, float]  # and where it is
    gap: bool = False  # it acts where Φ ≤ 0 is reached
    works: bool = False  # its power is work input
    restitution: float = 0.0
    bearing: int = -1  # whose pressure multiplies the bounds
    partner: int = -1  # number of the other row of its cone
    bends: bool = False  # Φ may change in time, or bend, where no state does
    commands: tuple[tuple[int, int], ...] = ()  # functions that give it bounds or restitution, and what


def add_bounded_rows(build: Builder) -> None:
    """Add the rows of all joints, and the bounds of motions. Raises SceneError."""
    for k, joint in enumerate(build.system.joints):
        add_limits(build, joint, f"joint[{k}]")
        add_friction(build, joint, f"joint[{k}]")
        key = f"joint[{k}].one_way"
        for name, way in given(build, joint, f"joint[{k}]", "one_way").items():
            if build.coordinate_measure[joint.name, name][1].size:
                mend = f"{joint.name}.{name} is the size of a motion, which has no way; leave it out"
                raise SceneError(key, way, mend)
            if way not in WAYS:
                raise SceneError(key, way, 'must be "positive" or "negative"')
            add_row(build, joint, name, Law("one way", key, joint.one_way, PUSHES, PUSHES), 0.0, WAYS[way])
    for k, motion in enumerate(build.system.motions):
        if motion.effort_limit is not None:
            bound_motion(build, motion, f"motion[{k}].effort_limit")


def add_limits(build: Builder, joint: Joint, key: str) -> None:
    """A row s − lo ≥ 0 and a row hi − s ≥ 0 for those ends that are finite and hard. Raises SceneError."""
    limits, restitution, soft = (
        given(build, joint, key, word) for word in ("limits", "restitution", "stop_stiffness")
    )
    for name in restitution:
        if name not in limits:
            mend = f"is that of an impact at a limit, and {joint.name}.{name} has no `limits`"
            raise SceneError(f"{key}.restitution", joint.restitution, mend)
    for name, ends in limits.items():
        if name in soft:
            continue
        _, measure, _ = build.coordinate_measure[joint.name, name]
        e = commanded(build, restitution.get(name, 0.0), f"{key}.restitution", 1.0)
        for what, end, sign in zip(
            ("lower limit", "upper limit"), ends_of(build, joint, name, ends, f"{key}.limits"), (1.0, -1.0)
        ):
            bends = isinstance(end, Expression)
            if sign > 0.0 and measure.size and not bends and end <= 0.0:
                # it is never less, and nothing holds it there
                continue
            if bends or math.isfinite(end):
                law = Law(what, f"{key}.limits", joint.limits, PUSHES, PUSHES, gap=True, restitution=e.value)
                law = law._replace(bends=bends, commands=commands((e, REBOUNDS)))
                add_row(build, joint, name, law, end, sign)


def add_friction(build: Builder, joint: Joint, key: str) -> None:
    """A row for each coordinate with dry friction. Raises SceneError."""
    static = given(build, joint, key, "friction_static")
    by_word: dict[str, str] = {}
    for word, unit in FRICTION.items():
        for name, value in given(build, joint, key, word).items():
            _, measure, _ = build.coordinate_measure[joint.name, name]
            if measure.size and (measure.friction is None or word == "friction"):
                raise SceneError(f"{key}.{word}", value, no_friction(build, joint.name, name, measure))
            if unit not in ("", measure.unit):
                other = next(key for key, of in FRICTION.items() if of == measure.unit)
                raise SceneError(f"{key}.{word}", value, f"{joint.name}.{name} takes `{other}`")
            if name in by_word:
                mend = f"{joint.name}.{name} has `{by_word[name]}` as well; choose one"
                raise SceneError(f"{key}.{word}", value, mend)
            by_word[name] = word
            slips = sticks = commanded(build, value, f"{key}.{word}")
            if name in static:
                sticks = commanded(build, static.pop(name), f"{key}.friction_static")
            kinetic, most = slips.value, sticks.value
            if slips.function is sticks.function is None and most < kinetic:
                mend = f"must be at least the kinetic friction, {kinetic:g}"
                raise SceneError(f"{key}.friction_static", joint.friction_static, mend)
            law = Law("friction", f"{key}.{word}", value, (-kinetic, kinetic), (-most, most))
            if slips.function is not None and sticks.function is None:
                sticks = Commanded(most, build.draft.bind(most))
            law = law._replace(commands=commands((slips, SLIPS), (sticks, STICKS)))
            if measure.size:
                add_disc(build, joint, key, name, law)
                continue
            if word == "friction":
                law = law._replace(bearing=len(build.draft.bearings))
                add_bearing(build, joint, key, name, value)
            add_row(build, joint, name, law)
    for name in static:
        mend = f"{joint.name}.{name} has no {listed(list(FRICTION))} that it could exceed"
        raise SceneError(f"{key}.friction_static", joint.friction_static, mend)
    refuse_idle_bearing(build, joint, key)


def no_friction(build: Builder, joint: str, name: str, measure: Any) -> str:
    """Why the size of a motion does not take this friction."""
    if measure.friction is not None:
        return f"nothing says what presses on {joint}.{name}; give `friction_torque`"
    return f"{joint}.{name} takes no dry friction; give that of its swing and its twist"


def add_disc(build: Builder, joint: Joint, key: str, name: str, law: Law) -> None:
    """Add the two rows of dry friction against the motion of which a coordinate is the size: together they
    exert at most the bound, and where they slip that of slip, against it.
    """
    _, measure, points = build.coordinate_measure[joint.name, name]
    draft = build.draft
    block = draft.open_block(list(points))
    add_kernel(build, key, f"{joint.name} friction", measure.friction, None, block)
    for k in range(block.rows):
        draft.rows[block.first_row + k].mode = OFF
        half = law._replace(what=f"friction {k + 1}", partner=len(draft.bounded) + 1 - 2 * k)
        bound(build, f"{joint.name}.{name}", block.first_row + k, len(draft.blocks) - 1, half)


def commands(*given: tuple[Commanded, int]) -> tuple[tuple[int, int], ...]:
    """The functions among numbers of a law, and what each one gives."""
    return tuple((one.function, what) for one, what in given if one.function is not None)


def add_row(build: Builder, joint: Joint, name: str, law: Law, value: Any = 0.0, sign: float = 1.0) -> None:
    """Add the row Φ = sign (s − value) of a coordinate, in a block of its own; it is off until a run
    begins. value: a number, or an expression of time
    """
    number_of_measure, measure, points = build.coordinate_measure[joint.name, name]
    draft, level = build.draft, POSITION_LEVEL if law.gap else VELOCITY_LEVEL
    block = draft.open_block(list(points))
    owner = f"{joint.name} {law.what.split()[-1]}"
    r = build.add_row(block, DraftRow(owner, f"{law.what} of {name}", measure.unit, level, mode=OFF))
    if isinstance(value, float):
        value *= sign
    elif sign < 0.0:
        value = of_time(build, build.expression(f"-({value.text})", law.key), law.key)
    draft.couple(r, draft.always(number_of_measure), draft.bind(value), sign)
    bound(build, f"{joint.name}.{name}", r, len(draft.blocks) - 1, law)


def bound_rows(
    build: Builder, key: str, joint: Joint, kind: type[ConstraintKind], params: Any, block: DraftBlock
) -> None:
    """Bound the rows of a joint whose kind gives them the type "nonnegative" or "box". Raises PluginError."""
    number_of_block = build.draft.blocks.index(block)
    for i, row_type in enumerate(row_types(kind, block.rows)):
        row = build.draft.rows[block.first_row + i]
        if row_type == "box":
            # what holds, holds where it is
            row.level = VELOCITY_LEVEL
            bearing = NONE
            bounds, holds = kind.bounds(params), kind.static_bounds(params)
            if i in kind.pressed:
                bearing = len(build.draft.bearings)
                bounds, holds = add_pressed(build, kind, params, block, i, joint.name)
            for low, high in (bounds, holds):
                if not low <= 0.0 <= high:
                    fault = f"has the bounds {low:g} and {high:g}: 0 is not between them"
                    raise PluginError(f'constraint type "{kind.name}" {fault}')
            law = Law("hold", key, joint.type, bounds, holds, bearing=bearing)
        elif row_type == "nonnegative":
            gap = row.level == POSITION_LEVEL
            law = Law("push", key, joint.type, PUSHES, PUSHES, gap, restitution=kind.restitution(params))
            law = law._replace(bends=gap and moves(params))
        else:
            continue
        row.mode = OFF
        name = f"{joint.name}.{row.label.replace(' ', '_')}"
        if kind.bound_names:
            name, law = joint.name, law._replace(what=kind.bound_names[i])
        bound(build, name, block.first_row + i, number_of_block, law)


def moves(params: Any) -> bool:
    """Whether an expression of time is among the parameters of a joint."""
    values = (getattr(params, name) for name in type(params).model_fields) if params is not None else ()
    return any(isinstance(one, Expression) and one.constant is None for one in values)


def row_types(kind: type[ConstraintKind], rows: int) -> Sequence[str]:
    """The type of each row of a joint. Raises PluginError."""
    types = kind.row_type
    types = [types] * rows if isinstance(types, str) else types
    if len(types) != rows:
        raise PluginError(
            f'constraint type "{kind.name}" has {rows} rows, and `row_type` is that of {len(types)}'
        )
    return types


def bound_motion(build: Builder, motion: Any, key: str) -> None:
    """Let a motion exert no more than its `effort_limit`. Raises SceneError."""
    effort = commanded(build, motion.effort_limit, key)
    most = effort.value
    name = f"{motion.joint}.{motion.coordinate}"
    row = build.row_of_motion[f"{key.removesuffix('.effort_limit')}.{motion.key}"]
    if build.draft.rows[row].level == ACCELERATION_LEVEL:
        mend = "a motion that gives an acceleration cannot be limited; give its velocity or position"
        raise SceneError(key, motion.effort_limit, mend)
    block = build.draft.block_of_rows()[row]
    law = Law("effort", key, motion.effort_limit, (-most, most), (-most, most), works=True)
    law = law._replace(commands=commands((effort, SLIPS)))
    bound(build, name, row, block, law)


def bound(build: Builder, coordinate: str, row: int, block: int, law: Law) -> None:
    """Bound the force of a row, with inner states for its impulse, energy and lag."""
    draft, unit = build.draft, build.names.rows[row].unit
    opening = draft.states + OPENING if law.bends else -1
    flags, places = (int(law.gap), int(law.works)), (draft.states, draft.memory)
    numbers = *flags, *places, law.bearing, law.partner, opening, law.restitution
    draft.commands += [CommandRecord(len(draft.bounded), function, what) for function, what in law.commands]
    draft.bounded.append(BoundedRecord(row, block, *numbers, *law.bounds, *law.holds))
    build.names.bounded.append((law.key, law.given, f"{law.what} of {coordinate}"))
    draft.memory += 1 if law.partner < 0 else 2
    name = f"{coordinate}.{law.what.replace(' ', '_')}"
    states = {"impulse": "N·s" if unit == "m" else "N·m·s", "energy": "J"}
    if law.works:
        states["lag"] = unit
    if law.bends:
        states["opening"] = unit
    draft.state_names += [f"{name}.{state}" for state in states]
    draft.state_units += states.values()
    draft.start_states += [0.0] * len(states)
    draft.states += len(states)


def ends_of(build: Builder, joint: Joint, name: str, value: Any, key: str) -> tuple[Any, Any]:
    """The least and the largest value of a coordinate, numbers or expressions of time; infinite where there
    is none. Raises SceneError.
    """
    if value == "ends":
        info = next(one for one in build.names.joints if one.name == joint.name)
        found = info.kind.ends(info.params).get(name)
        if found is None:
            raise SceneError(key, value, f"{joint.name}.{name} has no ends of its own; give [lo, hi]")
        return found
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise SceneError(key, value, "must be [lo, hi], such as [0, 1.5]; -inf or inf where there is none")
    with errors_at(key, value):
        low, high = (end_of(build, end, key) for end in value)
    if isinstance(low, float) and isinstance(high, float) and not low < high:
        raise SceneError(key, value, "the first one must be less than the second")
    return low, high


def end_of(build: Builder, end: Any, key: str) -> Any:
    """A number, or an expression of time. Raises SceneError."""
    if isinstance(end, str):
        expression = build.expression(end, key)
        if expression.constant is None:
            return of_time(build, expression, key)
    return float(end) if isinstance(end, float) and math.isinf(end) else number(end, build.system.parameters)
