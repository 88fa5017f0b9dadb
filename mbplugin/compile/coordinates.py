"""A joint's free coordinates, the motions that drive them in time, and their `start`."""

from __future__ import annotations

from typing import Any

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBlock, DraftRow
from mbplugin.compile.references import resolve
from mbplugin.errors import SceneError, listed
from mbplugin.interface import Measure
from mbplugin.model import Joint, Motion
from mbplugin.model.joint import Start
from mbplugin.problem import CoordinateInfo
from mbplugin.tables.purposes import COORDINATE


def add_coordinates(
    build: Builder,
    k: int,
    joint: Joint,
    coordinates: dict[str, Measure],
    block: DraftBlock,
    params: dict[str, Any],
) -> None:
    """Coordinates of a joint with the rows of their motions and starts; `own`: motions that its own keys
    give.
    """
    motions = [
        (f"motion[{number}].{motion.key}", motion)
        for number, motion in build.joint_motions.get(joint.name, [])
    ]
    motions = [
        (f"joint[{k}]", Motion.model_validate({"joint": joint.name, word: function.text}))
        for word, function in params.items()
    ] + motions
    names = build.names
    for key, motion in motions:
        if motion.coordinate not in coordinates:
            free = (
                f"its free coordinates are {listed(coordinates)}"
                if coordinates
                else "it has no free coordinate; take a joint type that leaves one"
            )
            mend = f'joint "{joint.name}" ({joint.type}) has no such coordinate that it leaves free, and only those can be driven; {free}'
            if motion.coordinate.removesuffix("_deg") in coordinates:
                mend = f'motions are in radians; write {motion.coordinate.removesuffix("_deg")} = "pi/180*({motion.expression})"'
            raise SceneError(key, motion.expression, mend)
    start = joint.start
    begin = (
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
        )
        build.coordinate_measure[joint.name, name] = (coordinate.measure, measure, tuple(block.points))
        for key, motion in motions:
            if motion.coordinate != name:
                continue
            if coordinate.motion_row >= 0:
                first = next(key for key, other in motions if other.coordinate == name)
                mend = (
                    f'joint "{joint.name}": {first} drives this coordinate already; leave one of the two out'
                )
                raise SceneError(key, motion.expression, mend)
            expression = build.expression(motion.expression, key)
            if expression.moving:
                build.dependent.append((key, motion, coordinate, expression))
                continue
            expression = resolve(build, expression, key)
            level = motion.level
            coordinate.motion_row = build.add_row(
                block, DraftRow(f"{joint.name} motion", f"motion of {name}", measure.unit, level)
            )
            build.add_measure_rows(
                joint.name, measure, build.draft.bind(expression, level), coordinate.motion_row, block
            )
        if name in begin:
            add_start(build, coordinate, joint, name, measure, block, *begin[name])
        names.coordinates.append(coordinate)
    if start is not None and not coordinates:
        mend = f'a joint of type "{joint.type}" has no coordinate to set; give the body a `velocity` or `angular_velocity`'
        raise SceneError(f"joint[{k}].start", start.model_dump(exclude_none=True), mend)


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
    """A row that holds the coordinate while the initial state is assembled, and is inactive afterwards."""
    coordinate.start_row = build.add_row(
        block,
        DraftRow(
            f"{joint.name} start", f"start of {name}", measure.unit, 0 if value is not None else 1, active=0
        ),
    )
    build.draft.constant.append(value or 0.0)
    function = len(build.draft.constant) - 1
    build.start_rates.append((function, speed))
    build.add_measure_rows(joint.name, measure, function, coordinate.start_row, block)


def started(
    start: Start, coordinates: dict[str, Measure], key: str, kind: str
) -> dict[str, tuple[float | None, float]]:
    """Value and rate at t = 0 of the coordinates that a `start` sets: those that it names, or the only one."""
    found: dict[str, tuple[float | None, float]] = {}
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
                f'a joint of type "{kind}" has no one coordinate of that name; it has {listed(coordinates) or "none"}',
            )
        found[name] = (value, 0.0)
    if start.speed is not None:
        names = list(found) or list(coordinates)
        if len(names) > 1:
            mend = f'a joint of type "{kind}" has the coordinates {listed(names)}; give `angle` or `length` of the one that is meant'
            raise SceneError(f"{key}.speed", start.speed, mend)
        found = {name: (found.get(name, (None, 0.0))[0], start.speed) for name in names}
    return found
