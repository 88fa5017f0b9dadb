"""Where forces act: on markers with measures between them, or on a coordinate of a joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mbplugin.compile.builder import Builder
from mbplugin.compile.parameters import shared_key
from mbplugin.errors import SceneError, errors_at, listed, suggestion
from mbplugin.interface import COORDINATE, ForceKind, Measure
from mbplugin.model import Force
from mbplugin.tables.purposes import MEASURE

#: keys of a force that name markers
MARKERS = ("a", "b", "body", "markers", "at")


class Place(NamedTuple):
    """Points of the draft on which a force acts, and the numbers of its measures."""

    points: list[int]
    measures: list[int]
    of_joint: bool = False  # the measure is a coordinate, and not that of the kind
    unit: str = ""  # of that coordinate, "m" or "rad"
    of: Sequence[Measure] = ()  # the measures


def place_on_markers(build: Builder, name: str, kind: type[ForceKind], points: list[int]) -> Place:
    """The place of a force between markers, with its measures between them. Raises PluginError."""
    measures = [build.measure(measure, kind) for measure in kind.measures]
    numbers = [build.add_measure(name, measure, points, MEASURE) for measure in measures]
    return Place(points, numbers, of=measures)


def place_on_coordinate(
    build: Builder, force: Force, kind: type[ForceKind], params: Any, key: str
) -> Place | None:
    """The place of a force that names a `joint`: the joint's markers, and its coordinate as the only measure;
    None if it names none. Raises SceneError, PluginError.
    """
    joint, coordinate = (shared_key(kind, force, name) for name in ("joint", "coordinate"))
    if joint is None:
        if coordinate is not None:
            raise SceneError(f"{key}.coordinate", coordinate, "is a coordinate of a joint; give `joint`")
        if COORDINATE in kind.measures:
            mend = f'type "{kind.name}" acts on the coordinate of a joint; give `joint`, and no markers'
            raise SceneError(key, force.name, mend)
        return None
    for name in MARKERS:
        if getattr(force, name) is not None:
            mend = "the markers are those of the joint; leave it out, or leave out `joint`"
            raise SceneError(f"{key}.{name}", getattr(force, name), mend)
    if not stands_on_coordinates(kind):
        mend = (
            f'type "{kind.name}" acts between markers and not on a coordinate; choose another type, such as '
            '"joint_force", or name the markers'
        )
        raise SceneError(f"{key}.joint", joint, mend)
    name = chosen_coordinate(build, joint, coordinate, key)
    number, measure, points = build.coordinate_measure[joint, name]
    if kind.measures[0] != COORDINATE:
        check_unit(kind, build.measure(kind.measures[0], kind).unit, measure.unit, joint, name, key)
    with errors_at(key):
        kind.on_coordinate(params, measure.unit)
    if kind.markers not in (None, len(points)):
        mend = f'type "{kind.name}" is for {kind.markers} markers, and this joint has {len(points)}'
        raise SceneError(f"{key}.joint", joint, mend)
    return Place(list(points), [build.draft.always(number)], True, measure.unit, [measure])


def stands_on_coordinates(kind: type[ForceKind]) -> bool:
    """Whether a kind acts along one measure, and its functions do not ask for markers."""
    functions = [f for f in (kind.kernel, kind.accept, kind.event) if f is not None]
    return len(kind.measures) == 1 and not any({"m", "a", "b"} & set(asks_for(f)) for f in functions)


def asks_for(function: Any) -> tuple[str, ...]:
    """Names of the arguments of an author's function."""
    code = getattr(function, "py_func", function).__code__
    return tuple(code.co_varnames[: code.co_argcount])


def chosen_coordinate(build: Builder, joint: Any, coordinate: Any, key: str) -> str:
    """The coordinate that a force names, or the only one of the joint. Raises SceneError."""
    joints = {j.name: j.type for j in build.system.joints}
    if joint not in joints:
        raise SceneError(f"{key}.joint", joint, f"there is no such joint{suggestion(str(joint), joints)}")
    names = coordinates_of(build, joint)
    if not names:
        mend = f'a joint of type "{joints[joint]}" has no coordinate; name markers instead'
        raise SceneError(f"{key}.joint", joint, mend)
    if coordinate is None:
        if len(names) > 1:
            mend = f"this joint has the coordinates {listed(names)}; choose one by `coordinate`"
            raise SceneError(f"{key}.joint", joint, mend)
        return names[0]
    if coordinate not in names:
        mend = f'joint "{joint}" has no such coordinate{suggestion(str(coordinate), names)}'
        raise SceneError(f"{key}.coordinate", coordinate, mend)
    return str(coordinate)


def coordinates_of(build: Builder, joint: str) -> list[str]:
    """Names of the coordinates of a joint."""
    return list(build.coordinate_names.get(joint, ()))


def check_unit(
    kind: type[ForceKind], expected: str, unit: str, joint: str, coordinate: str, key: str
) -> None:
    """Raises SceneError where a kind for angles stands on a length, or the other way round."""
    words = {"rad": "an angle", "m": "a length"}
    if unit != expected:
        mend = (
            f'type "{kind.name}" is for {words.get(expected, expected)}, and {joint}.{coordinate} is '
            f"{words.get(unit, unit)}; choose another type"
        )
        raise SceneError(f"{key}.joint", joint, mend)


def poses_of(build: Builder, points: Sequence[int]) -> list[tuple[Any, Any]]:
    """Position (3,) [m] and axes (3, 3) as columns, world, of points of the draft at t = 0."""
    return [build.draft.point_pose[point] for point in points]
