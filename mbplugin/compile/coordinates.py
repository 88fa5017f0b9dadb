"""Adds the free coordinates of joints, their motions in time and their `start` to the draft."""

from __future__ import annotations

from typing import Any

from mbplugin.compile.axes import axis_of
from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBlock, DraftRow
from mbplugin.compile.inputs import refuse_in_position
from mbplugin.compile.references import resolve
from mbplugin.errors import SceneError, listed
from mbplugin.interface import Measure
from mbplugin.model import Joint, Motion
from mbplugin.model.joint import Start
from mbplugin.problem import CoordinateInfo
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.records import START


def add_coordinates(
    build: Builder,
    k: int,
    joint: Joint,
    coordinates: dict[str, Measure],
    block: DraftBlock,
    params: dict[str, tuple[str, Any]],
) -> None:
    """Add the coordinates of joint number k, with the rows of their motions and starts. Raises SceneError.

    params: motions that the joint's own keys define: key of a [[motion]] -> key of the joint, function
    """
    motions = [
        (f"motion[{number}].{motion.key}", motion)
        for number, motion in build.joint_motions.get(joint.name, [])
    ]
    motions = [
        (f"joint[{k}].{key}", Motion.model_validate({"joint": joint.name, word: function.text}))
        for word, (key, function) in params.items()
    ] + motions
    names = build.names
    for key, motion in motions:
        if motion.coordinate not in coordinates:
            mend = unknown_coordinate(joint, coordinates, motion)
            raise SceneError(key, motion.expression, mend)
    refuse_motions_at_once(joint, motions)
    start = joint.start
    starts = (
        started(start, coordinates, f"joint[{k}].start", joint.type)
        if start is not None and coordinates
        else {}
    )
    for name, measure in coordinates.items():
        coordinate = CoordinateInfo(
            f"{joint.name}.{name}",
            len(names.joints) - 1,
            build.add_measure(joint.name, measure, block.points, COORDINATE),
            measure.unit,
            axis=axis_of(measure) if joint.limits is not None else None,
        )
        build.coordinate_measure[joint.name, name] = (coordinate.measure, measure, tuple(block.points))
        build.coordinate_names.setdefault(joint.name, []).append(name)
        for key, motion in motions:
            if motion.coordinate != name:
                continue
            expression = build.expression(motion.expression, key)
            if motion.level == 0:
                refuse_in_position(expression, key)
            if expression.moving:
                build.dependent.append((key, motion, coordinate, expression))
                continue
            expression = resolve(build, expression, key)
            level = motion.level
            row = build.add_row(
                block, DraftRow(f"{joint.name} motion", f"motion of {name}", measure.unit, level)
            )
            coordinate.motion_rows.append(row)
            build.row_of_motion[key] = row
            build.add_measure_rows(joint.name, measure, build.draft.bind(expression, level), row, block)
        if name in starts:
            add_start(build, coordinate, joint, name, measure, block, *starts[name])
        names.coordinates.append(coordinate)
    if start is not None and not coordinates:
        mend = (
            f'a joint of type "{joint.type}" has no coordinate to set; '
            "give the body a `velocity` or `angular_velocity`"
        )
        raise SceneError(f"joint[{k}].start", start.model_dump(exclude_none=True), mend)


def refuse_motions_at_once(joint: Joint, motions: list[tuple[str, Motion]]) -> None:
    """Raises SceneError if two motions of one coordinate, neither of limited effort, would act at once."""
    first: dict[str, tuple[str, Motion]] = {}
    for key, motion in motions:
        if motion.effort_limit is not None:
            continue
        earlier, other = first.setdefault(motion.coordinate, (key, motion))
        if other is not motion and True in (always_acts(motion), always_acts(other)):
            mend = (
                f'joint "{joint.name}": {earlier} drives this coordinate already; leave one of the two out, '
                "let them take turns (`active` or `release` of both), or give one an `effort_limit`"
            )
            raise SceneError(key, motion.expression, mend)


def always_acts(motion: Motion) -> bool:
    """Whether no condition ends or delays a motion."""
    return motion.active is True and motion.release is None


def unknown_coordinate(joint: Joint, coordinates: dict[str, Measure], motion: Motion) -> str:
    """The message on a motion of a coordinate that the joint does not have."""
    in_radians = motion.coordinate.removesuffix("_deg")
    if in_radians in coordinates:
        return f'motions are in radians; write {in_radians} = "pi/180*({motion.expression})"'
    suffix = ("", "_velocity", "_acceleration")[motion.level]
    free = (
        f"only free coordinates can be driven: {listed([name + suffix for name in coordinates])}, and with "
        "_velocity or _acceleration behind it its rate"
        if coordinates
        else "it has no free coordinate; choose a joint type with one"
    )
    return f'joint "{joint.name}" ({joint.type}) has no free coordinate "{motion.coordinate}"; {free}'


def add_start(
    build: Builder,
    coordinate: CoordinateInfo,
    joint: Joint,
    name: str,
    measure: Measure,
    block: DraftBlock,
    value: float | None,
    speed: float,
) -> None:
    """Add a row that prescribes the coordinate while the initial state is assembled, and is then inactive."""
    coordinate.start_row = build.add_row(
        block,
        DraftRow(
            f"{joint.name} start", f"start of {name}", measure.unit, 0 if value is not None else 1, mode=START
        ),
    )
    build.draft.constant.append(value or 0.0)
    function = len(build.draft.constant) - 1
    build.start_rates.append((function, speed))
    build.add_measure_rows(joint.name, measure, function, coordinate.start_row, block)


def started(
    start: Start, coordinates: dict[str, Measure], key: str, kind: str
) -> dict[str, tuple[float | None, float]]:
    """Coordinate -> value (None: free) and rate at t = 0, of the coordinates that a `start` sets.

    These are the named ones, or the only one. Raises SceneError.
    """
    initial: dict[str, tuple[float | None, float]] = {}
    for word, value in (("angle", start.radians), ("length", start.length)):
        fits = [
            name
            for name, measure in coordinates.items()
            if measure.unit == ("rad" if word == "angle" else "m")
        ]
        name = word if word in fits else fits[0] if len(fits) == 1 else ""
        if value is None:
            continue
        if not name:
            raise SceneError(
                f"{key}.{word}",
                value,
                f'a joint of type "{kind}" has no single coordinate of that name; '
                f"it has {listed(coordinates)}",
            )
        initial[name] = (value, 0.0)
    if start.speed is not None:
        names = list(initial) or list(coordinates)
        if len(names) > 1:
            mend = (
                f'a joint of type "{kind}" has the coordinates {listed(names)}; '
                "give `angle` or `length` of the one to start"
            )
            raise SceneError(f"{key}.speed", start.speed, mend)
        initial = {name: (initial.get(name, (None, 0.0))[0], start.speed) for name in names}
    return initial
