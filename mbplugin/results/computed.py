"""Quantities that are computed from what a result holds, by name.

body.coupler.pen.position    place of a marker in the world, body.coupler.pen.velocity its velocity
joint.rope.tension           of a rope, a rod or a spring between two points, positive where it pulls
body.pad.strain.xx           of a body that deforms homogeneously, Green's, in the axes of its frame; also
                             stress (Cauchy's, world axes) and von_mises
contact.floor.box.force      what all contacts between two bodies, the ground or shapes do to the second
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.decoder.deformed import RATE, map_of_body
from mbplugin.decoder.nodal import von_mises
from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.results.at_nodes import Computed, at_markers
from mbplugin.results.contacts import PAIR, VECTORS, PairOfContacts, contacts_of_pair, side
from mbplugin.results.layout import COMPONENTS, Array
from mbplugin.results.read import RawResult
from mbplugin.results.validity import is_vector

CONTACT = "contact"
#: quantities of a marker -> unit
MARKER = {"position": "m", "velocity": "m/s"}
TENSION = "tension"
#: of a contact
SIDES = 2
#: components of a vector; of a symmetric tensor, whose places in rows of nine numbers are below
VECTOR = COMPONENTS["xyz"]
TENSOR, PLACES = ("xx", "yy", "zz", "xy", "yz", "xz"), [0, 4, 8, 1, 5, 2]
ORIGIN = [0.0, 0.0, 0.0]
#: those of contacts that depend on the length of the step where bodies hit each other
OF_STEP = ("force", "torque", "normal_force")


def computed(raw: RawResult) -> Iterator[Computed]:
    """Quantities of markers, lines and bodies that deform."""
    for name, unit, values in at_markers(raw, tables(raw, "body"), pose_of) if raw.names("nodes") else ():
        yield Computed(name, unit, VECTOR, values)
    for body, markers in markers_of(raw).items():
        for marker, place in markers.items():
            for quantity, unit in MARKER.items():
                values = at_marker(raw, body, place, quantity)
                yield Computed(f"body.{body}.{marker}.{quantity}", unit, VECTOR, values)
    for k, body in enumerate(raw.names("deformations")):
        yield Computed(f"body.{body}.strain", "1", TENSOR, functools.partial(strains, raw, k))
        yield Computed(f"body.{body}.stress", "Pa", TENSOR, functools.partial(stresses, raw, k))
        yield Computed(f"body.{body}.von_mises", "Pa", (), functools.partial(mises_stresses, raw, k))
    for word, element in lines_with_tension(raw):
        yield Computed(f"{word}.{element}.{TENSION}", "N", (), tension_of(raw, word, element))


def stored_scene(raw: RawResult) -> dict[str, Any]:
    """The tables of the scene, in which all numbers are numbers; empty if none is stored. To be read only."""
    return parsed(str(raw.attributes.get("scene", "")))


@functools.lru_cache(maxsize=2)
def parsed(text: str) -> dict[str, Any]:
    """The tables of a TOML text; empty if it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def tables(raw: RawResult, name: str) -> list[dict[str, Any]]:
    """Tables of the stored scene, such as all "joint"; none if the text is damaged."""
    return dicts_in(stored_scene(raw).get(name))


def dicts_in(value: Any) -> list[dict[str, Any]]:
    """The dicts of a list, whatever `value` is."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def markers_of(raw: RawResult) -> dict[str, dict[str, Array]]:
    """Body without nodes -> its markers by name -> (3,) their places in the body frame [m]."""
    deform = raw.names("nodes")
    bodies, found = set(raw.names("bodies")), {}
    for body in tables(raw, "body"):
        places = {
            str(marker["name"]): np.array(marker.get("position", ORIGIN), float)
            for marker in dicts_in(body.get("marker"))
            # a marker on nodes moves with them, of which the result has no positions
            if "name" in marker and "nodes" not in marker and is_vector(marker.get("position", ORIGIN))
        }
        if body.get("name") in bodies and places and body["name"] not in deform:
            found[str(body["name"])] = places
    return found


def pose_of(body: Mapping[str, Any]) -> Array:
    """(4, 3) position [m] and, as rows, the rotation matrix of a body of the scene at t = 0."""
    from mbplugin.model.body import Body

    keys = {key: body[key] for key in ("name", "position", "orientation") if key in body}
    made = Body.model_validate(keys)
    return np.vstack([np.array(made.position, float), made.axes()])


def at_marker(raw: RawResult, body: str, place: Array, quantity: str) -> Callable[[], Array]:
    """Makes (frames, 3) the quantity of MARKER at a point (3,) of a body."""
    k, deformed = raw.names("bodies").index(body), raw.names("deformations")

    def values() -> Array:
        arm = map_of_body(raw, k) @ place
        if quantity == "position":
            return np.asarray(raw["bodies/position"][:, k] + arm)
        if body in deformed:
            rate = raw[RATE][:, deformed.index(body)].reshape(-1, 3, 3)
            return np.asarray(raw["bodies/velocity"][:, k] + rate @ place)
        return np.asarray(raw["bodies/velocity"][:, k] + np.cross(raw["bodies/angular_velocity"][:, k], arm))

    return values


def strains(raw: RawResult, k: int) -> Array:
    """(frames, 6) Green's strain ½ (FᵀF − 1) of the k-th body that deforms, in the axes of its frame."""
    F = raw["deformations/gradient"][:, k].reshape(-1, 3, 3)
    E = 0.5 * (np.swapaxes(F, 1, 2) @ F - np.eye(3))
    return np.asarray(E.reshape(-1, 9)[:, PLACES])


def stresses(raw: RawResult, k: int) -> Array:
    """(frames, 6) Cauchy stress of the k-th body that deforms, world axes [Pa]."""
    return np.asarray(raw["deformations/stress"][:, k][:, PLACES])


def mises_stresses(raw: RawResult, k: int) -> Array:
    """(frames,) von Mises stress of the k-th body that deforms [Pa]."""
    return von_mises(stresses(raw, k))


def lines_with_tension(raw: RawResult) -> list[tuple[str, str]]:
    """("joint" or "force", name) of what pulls along a line: all but joints with a coordinate, whose motion
    may pull besides their reaction.
    """
    driven = {name.partition(".")[0] for name in raw.names("coordinates")}
    radii = zip(raw.names("lines"), raw.attribute("lines/radius", []))
    driven |= {name for name, radius in radii if radius}  # whose tensions differ
    # whose forces are not along their lines
    askew = {name for name, both in zip(raw.names("lines"), raw.attribute("lines/sheaves", [])) if both}
    joints = set(raw.names("joints")) - driven - askew
    forces = set(raw.names("forces")) - askew
    words = {"joint": joints, "force": forces}
    lines = dict.fromkeys(raw.names("lines"))
    return [(word, name) for name in lines for word, names in words.items() if name in names]


def tension_of(raw: RawResult, word: str, element: str) -> Callable[[], Array]:
    """Makes (frames,) the force on b towards the other end of its line [N]."""
    key = {"joint": "joints", "force": "forces"}[word]
    array = {"joint": "joints/force", "force": "forces/wrench"}[word]

    def values() -> Array:
        lines = raw.names("lines")
        last = len(lines) - 1 - lines[::-1].index(element)  # the force on b is that on the last marker
        start, end = np.moveaxis(raw["lines/ends"][:, last], 1, 0)
        force = raw[array][:, raw.names(key).index(element), :3]
        length = np.linalg.norm(start - end, axis=1)
        pull = np.einsum("ij,ij->i", force, start - end)
        strands = raw.attribute("lines/strands")[last]
        return np.divide(pull, strands * length, out=np.zeros_like(pull), where=length > 0.0)

    return values


# contacts


def contact(raw: RawResult, name: str, pair: Callable[[str, str], PairOfContacts]) -> Computed | None:
    """The quantity "contact.A.B.QUANTITY"; None if the name is of another kind. pair: of two names. Raises
    SceneError that says what is missing or unknown in a name of this kind.
    """
    word, *parts = name.split(".")
    if word != CONTACT or "contacts" not in raw.lists or len(parts) not in (2, 3):
        return None
    a, b, quantity = (*parts, "")[:3]
    if not quantity and not are_sides(raw, parts):
        return None  # an output of a solver may have such a name
    if quantity not in PAIR:
        listing = ", ".join(f".{each}" for each in PAIR)
        mend = f"what of these contacts? Add one of {listing}"
        if quantity:
            near = did_you_mean(quantity, list(PAIR)) or f"; there are {listed(list(PAIR))}"
            mend = f'contacts between two have no quantity "{quantity}"{near}'
        raise SceneError("what", name, mend)
    found = pair(a, b)
    remark = ""
    if quantity == "impulse" and np.isnan(found.impulse).any():
        remark = f"{name}: the solver of this result does not sum impulses"
    elif quantity == "impulse" and not found.impulse.any():
        remark = f'{name}: "{a}" and "{b}" never touch, so this is zero'
    elif quantity not in ("gap", "impulse") and not found.count.any():
        between = "impacts between frames are in none"
        if found.impulse.any():
            between += f", but in {CONTACT}.{a}.{b}.impulse and in `impacts`"
        remark = f'{name}: "{a}" and "{b}" do not touch in any frame, so this is zero; {between}'
    values = getattr(found, quantity)
    components = VECTOR if quantity in VECTORS else ()
    return Computed(name, PAIR[quantity], components, lambda: np.asarray(values, float), remark)


def are_sides(raw: RawResult, names: Sequence[str]) -> bool:
    """Whether these are names of two bodies, the ground or shapes of a result with contacts."""
    if len(names) != SIDES or "contacts" not in raw.lists:
        return False
    try:
        for name in names:
            side(raw, name)
    except SceneError:
        return False
    return True


def pair_reader(raw: RawResult) -> Callable[[str, str], PairOfContacts]:
    """Contacts of two, each pair read once."""
    kept: dict[tuple[str, str], PairOfContacts] = {}

    def pair(a: str, b: str) -> PairOfContacts:
        if (a, b) not in kept:
            kept[a, b] = contacts_of_pair(raw, a, b)
        return kept[a, b]

    return pair
