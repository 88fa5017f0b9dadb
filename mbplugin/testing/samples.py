"""Scenes for checks of a kind, and values for its required parameters."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from mbplugin.compile.force_places import stands_on_coordinates
from mbplugin.compile.parameters import of_kind
from mbplugin.errors import PluginError, SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.interface import COORDINATE
from mbplugin.model import Body, Force, Joint, System
from mbplugin.model.body import POINT
from mbplugin.model.quantities import Count, Function, NonNegative, Number, Positive, Vector
from mbplugin.model.table import validated
from mbplugin.model.tabulated import mark_of
from mbplugin.testing.four_nodes import FourNodes
from mbplugin.testing.report import Checks

#: a value for each type of parameter; `sample` varies it from key to key
VALUES: dict[Any, Any] = {
    Positive: 1.3,
    NonNegative: 0.8,
    Number: 0.7,
    Count: 2,
    Vector: (0.3, -0.5, 0.6),
    Function: "0.4*sin(3*time) + 0.9",
}


def sample(kind: Any) -> dict[str, Any]:
    """Parameters for checks of a kind: its `examples`, or a value for each key. Raises PluginError if a key
    needs an example.
    """
    examples = getattr(kind, "examples", None)
    if examples:
        return dict(examples[0])
    values: dict[str, Any] = {}
    hints = typing.get_type_hints(kind.parameters, include_extras=True) if kind.parameters is not None else {}
    for k, name in enumerate(kind.parameters.model_fields if kind.parameters is not None else ()):
        hint = hints[name]
        options = (
            typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
        )
        value = next((v for t, v in VALUES.items() if any(o == t for o in options)), None)
        if value is not None:
            values[name] = value * (1.0 + 0.1 * k) if isinstance(value, float) else value
        elif (mark := mark_of(kind.parameters.model_fields[name])) is not None:
            values[name] = mark.sample(k)
        elif kind.parameters.model_fields[name].is_required():
            raise PluginError(
                f'kind "{kind.name}": the kit has no value for "{name}"; give the class `examples '
                f"= [{{...}}]`"
            )
    return values


def each_example(
    checks: Checks, examples: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Checks, dict[str, Any]]]:
    """The checks for each of the examples of a kind, and its keys."""
    for number, keys in enumerate(examples, start=1):
        yield checks.with_suffix(f" with example {number}" if number > 1 else ""), dict(keys)


SOLVER: Any = {"end": 1.0}
#: mass properties of a kind of body; of others those of "spatial"
MASSES: dict[str, dict[str, Any]] = {
    "planar": {"mass": 1.3, "inertia": 0.4},
    POINT: {"mass": 1.3},
    "spatial": {"mass": 1.3, "inertia": [0.5, 0.4, 0.3]},
}
#: markers of an element of a kind that takes any number
ANY = 3


def made(**keys: Any) -> Body:
    """A body from the keys of a scene."""
    return Body.model_validate(keys)


def near(name: str, random: np.random.Generator, planar: bool) -> Body:
    """A body whose marker "m" is near the origin and nearly parallel to the world, for joints."""
    kind = "planar" if planar else "spatial"
    place = random.normal(size=2 if planar else 3)
    small = (
        {"angle": float(0.2 * random.normal())}
        if planar
        else {"axis": random.normal(size=3).tolist(), "angle": float(random.uniform(0.1, 0.3))}
    )
    return made(
        name=name,
        type=kind,
        **MASSES[kind],
        position=(0.2 * random.normal(size=len(place)) - place).tolist(),
        orientation=small,
        marker=[{"name": "m", "position": place.tolist()}],
    )


def body(
    name: str,
    random: np.random.Generator,
    kind: str = "spatial",
    params: dict[str, Any] | None = None,
    with_nodes: bool = False,
) -> Body:
    """A body at a random pose, with a marker "m" at a random point of it; with_nodes: its mass follows from
    `params`, and "m" is at its first node unless these have a `marker`.
    """
    planar = kind == "planar"
    place = lambda: {"position": random.normal(size=2 if planar else 3).tolist()}
    spot = {"nodes": 0} if with_nodes else {} if kind == POINT else place()
    marker = {"name": "m", **spot, "orientation": turn(random, planar)}
    mass = {} if with_nodes else MASSES.get(kind, MASSES["spatial"])
    pose = {**place(), "orientation": turn(random, planar)}
    return made(**{"name": name, "type": kind, **mass, "marker": [marker], **pose, **(params or {})})


def turn(random: np.random.Generator, planar: bool = False) -> dict[str, Any]:
    """A random orientation."""
    if planar:
        return {"angle": float(random.normal())}
    return {"axis": random.normal(size=3).tolist(), "angle": float(random.uniform(0.3, 1.2))}


def system(count: int, random: np.random.Generator, planar: bool = False, close: bool = False) -> System:
    """`count` free bodies without gravity. close: their markers nearly coincide."""
    scene: Any = {"gravity": [0.0, 0.0, 0.0]}
    bodies = System(scene=scene, solver=SOLVER)
    for k in range(count):
        bodies.add(
            near(f"b{k}", random, planar)
            if close
            else body(f"b{k}", random, "planar" if planar else "spatial")
        )
    return bodies


def markers(count: int) -> dict[str, Any]:
    """The keys that name the markers of `count` bodies."""
    if count == 1:
        return {"body": "b0.m"}
    return {"a": "b0.m", "b": "b1.m"} if count == 2 else {"markers": [f"b{k}.m" for k in range(count)]}


def with_joint(
    kind: Any,
    params: dict[str, Any],
    random: np.random.Generator,
    planar: bool,
    times: int = 1,
    close: bool = False,
) -> System:
    """`times` joints of the kind between the same bodies."""
    count = kind.markers or ANY
    tried = system(count, random, planar, close)
    slides = planar and "length" in kind.form(planar).coordinates
    slider: dict[str, Any] = {"axis": [1.0, 0.4, 0.0]} if slides else {}
    for k in range(times):
        tried.add(Joint(name=f"tried{k}", type=kind.name, **markers(count), **slider, **params))
    return tried


def with_force(kind: Any, params: dict[str, Any], random: np.random.Generator, times: int = 1) -> System:
    """`times` elements of the kind on the same bodies; with a table `joint` in `params`, on a coordinate of
    that joint between them; of a kind on faces, on the face of four nodes.
    """
    if kind.on_faces:
        tried = system(0, random)
        tried.add(made(name="b0", type=FourNodes.name, orientation=turn(random)))
        for k in range(times):
            tried.add(Force(name=f"tried{k}", type=kind.name, body="b0", faces="face", **params))
        return tried
    joint = joint_of(kind, params)
    count = 2 if joint is not None else kind.markers or ANY
    tried = system(count, random)
    place = markers(count)
    if joint is not None:
        tried.add(Joint(name="tried", **markers(count), **joint))
        place = {"joint": "tried"}
        params = {key: value for key, value in params.items() if key != "joint"}
    for k in range(times):
        tried.add(Force(name=f"tried{k}", type=kind.name, **place, **params))
    return tried


def joint_that_fits(kind: Any, params: dict[str, Any], registry: Registry) -> dict[str, Any] | None:
    """The keys of a joint on which a kind for markers may stand as well; None: it does not."""
    if not stands_on_coordinates(kind) or joint_of(kind, params) is not None:
        return None
    return joint_of_unit(unit_of(kind, registry))


def with_joint_made(kind: Any, params: dict[str, Any], registry: Registry) -> dict[str, Any]:
    """Parameters with a table in the place of the name of a joint, such as "hinge", which only a scene has.

    With `coordinate` it is a cylindrical joint, which has "angle" and "length".
    """
    if not isinstance(params.get("joint"), str) or of_kind(kind, "joint"):
        return params
    joint = {"type": "cylindrical"} if "coordinate" in params else joint_of_unit(unit_of(kind, registry))
    return {**params, "joint": joint}


def other_coordinate(kind: Any, params: dict[str, Any]) -> dict[str, Any] | None:
    """The keys of a joint of the other unit, for a kind that takes both; None: it does not, or its example
    gives a table or says which coordinate.
    """
    joint = joint_of(kind, params)
    if COORDINATE not in kind.measures or joint is None or "coordinate" in params:
        return None
    unit = {"revolute": "m", "translational": "rad"}.get(joint.get("type", ""))
    if unit is None:
        return None
    try:
        given = {key: value for key, value in params.items() if key != "joint"}
        kind.on_coordinate(validated(kind.parameters, given, "example") if kind.parameters else None, unit)
    except SceneError:
        return None
    return joint_of_unit(unit)


def unit_of(kind: Any, registry: Registry) -> str:
    """The unit of the only measure of a kind; "rad" where it takes both."""
    (measure,) = kind.measures
    if measure == COORDINATE:
        return "rad"
    return (registry.measure(measure) if isinstance(measure, str) else measure).unit


def joint_of_unit(unit: str) -> dict[str, Any]:
    return {"type": "revolute" if unit == "rad" else "translational"}


def joint_of(kind: Any, params: dict[str, Any]) -> dict[str, Any] | None:
    """The keys of the joint on which a force is tried; None: it is tried between markers."""
    if isinstance(joint := params.get("joint"), dict) and not of_kind(kind, "joint"):
        return joint
    return {"type": "revolute"} if COORDINATE in kind.measures else None
