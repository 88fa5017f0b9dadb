"""Tables of what collides: shapes, their surfaces, and the pairs of bodies that are left out."""

from __future__ import annotations

from itertools import combinations
from math import hypot
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import SceneError, listed
from mbplugin.model import Body, Scene, System
from mbplugin.model.contact import LAW_NUMBERS, Material, OfPair, Surface, combined, of_rule, touches
from mbplugin.model.convex import thickness
from mbplugin.model.names import GROUND, body_of
from mbplugin.model.shape import SurfaceFaces, SurfaceNode
from mbplugin.problem import Names
from mbplugin.problem.collisions import Collisions

#: acceleration by which speeds are judged where there is no gravity [m/s²]
GRAVITY = 9.81
#: rows of a joint that leaves no freedom
DIRECTIONS = 6
#: pairs that a remark names
NAMED = 5
#: surfaces of no material: no friction, no rebound
BARE = Surface()


class Origin(NamedTuple):
    """Identity of a surface: its material, the body if a `[[contact]]` names it, and its group."""

    material: str | None
    body: str
    group: str | None


def collisions(system: System, names: Names) -> Collisions:
    """Shapes that collide in a system whose table of shapes is made."""
    named = {name for contact in system.contacts for name in (contact.a, contact.b)}
    origins: dict[Origin, int] = {}
    surface = []
    for owner, _, shape in system.shapes():
        body, group = name_of(owner), getattr(owner, "group", None)
        origin = Origin(shape.material or owner.material, body if body in named else "", group)
        there = system.scene.contacts and touches(owner, shape)
        surface.append(origins.setdefault(origin, len(origins)) if there else -1)
    n = len(origins)
    between = np.zeros((len(OfPair._fields), n, n))
    laws = system.contact_laws()
    law, law_numbers = np.zeros((n, n), np.int64), np.zeros((n, n, LAW_NUMBERS))
    pass_through = np.zeros((n, n), np.int64)
    materials = {material.name: material for material in system.materials}
    for a, i in origins.items():
        for b, j in origins.items():
            rule = rule_of(system, a, b)
            if rule is not None:
                between[:, i, j] = of_rule(rule)
                pass_through[i, j] = not rule.collide
                law[i, j] = laws.index(rule.kind) if rule.kind in laws else 0
                law_numbers[i, j] = rule.params or 0.0
            else:
                pair = (surface_of(materials, a), surface_of(materials, b))
                between[:, i, j] = combined(*pair)
                pass_through[i, j] = a.group is not None and a.group == b.group
    refuse_moments(system, surface, between[3:])
    friction, static, restitution, rolling, spinning = between
    return Collisions(
        np.array(surface, np.int64),
        friction,
        static,
        restitution,
        rolling,
        spinning,
        pass_through,
        law,
        law_numbers,
        laws,
        system.has_moments_of_contact,
        hypot(*system.scene.gravity) or GRAVITY,
        joined(system, names) if origins else np.zeros((0, 2), np.int64),
    )


def refuse_moments(system: System, surface: list[int], levers: Any) -> None:
    """Raises SceneError where what cannot rotate has rolling or spinning friction. levers: those of rolling,
    and of spinning, (surfaces, surfaces) [m].
    """
    for (owner, key, shape), s in zip(system.shapes(), surface):
        cannot = isinstance(shape, SurfaceNode | SurfaceFaces) or getattr(owner, "type", "") == "point"
        if s < 0 or not cannot or not levers[:, s].any():
            continue
        name = ("rolling_friction", "spinning_friction")[0 if levers[0, s].any() else 1]
        of = "the surface of a body that deforms has" if owner.type != "point" else "a point mass has"
        mend = f'{of} no rotation of its own at a contact; give a [[contact]] of "{owner.name}" without it'
        raise system.locate(SceneError(f"{key}: {name}", float(levers[:, s].max()), mend))


def surface_of(materials: dict[str, Material], origin: Origin) -> Surface:
    return BARE if origin.material is None else materials[origin.material]


def rule_of(system: System, a: Origin, b: Origin) -> Any:
    """The `[[contact]]` that holds for two surfaces, one of bodies before one of materials; None: none."""
    for of_bodies in (True, False):
        for contact in system.contacts:
            one, other = ({a.body}, {b.body}) if of_bodies else ({a.material}, {b.material})
            ends = (contact.a, contact.b)
            if any(e in one and f in other for e, f in (ends, ends[::-1])):
                return contact
    return None


def joined(system: System, names: Names) -> Any:
    """(n, 2) numbers of bodies that a joint connects and no `[[contact]]` names: they do not collide."""
    number = {name: names.body_index[k] for k, name in enumerate(names.bodies)} | {GROUND: -1}
    pairs = {tuple(sorted((number[a], number[b]))) for a, b in joined_bodies(system, names)}
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)


def joined_bodies(system: System, names: Names) -> dict[tuple[str, str], str]:
    """Two bodies that do not collide because of a joint -> the joint.

    A joint to the ground says nothing of the floor: its body collides with the ground unless it cannot move.
    """
    rows = {joint.name: len(joint.rows) for joint in names.joints}
    wanted = {frozenset((c.a, c.b)) for c in system.contacts if c.collide}
    pairs: dict[tuple[str, str], str] = {}
    for joint in system.joints:
        references = joint.markers or [r for r in (joint.a, joint.b) if r]
        for a, b in combinations(sorted({body_of(reference) for reference in references}), 2):
            held = GROUND not in (a, b) or rows.get(joint.name) == DIRECTIONS
            if held and frozenset((a, b)) not in wanted:
                pairs.setdefault((a, b), joint.name)
    return pairs


def remarks(system: System, names: Names) -> list[str]:
    """A sentence on the bodies whose shapes would collide without a joint; nothing if there are none."""
    found = names.collisions
    if found is None or not found.exist:
        return []
    surfaces: dict[str, set[int]] = {}
    for (owner, _, _), surface in zip(system.shapes(), found.surface.tolist()):
        if surface >= 0:
            surfaces.setdefault(name_of(owner), set()).add(surface)
    left_out = []
    for (a, b), joint in joined_bodies(system, names).items():
        if any(not found.pass_through[i, j] for i in surfaces.get(a, ()) for j in surfaces.get(b, ())):
            left_out.append(f'"{a}" and "{b}" (joint "{joint}")')
    if not left_out:
        return []
    text = f"bodies on a joint do not collide with each other: {listed(left_out, NAMED)}"
    return [f"{text}; a [[contact]] with their names as `a` and `b` lets them collide"]


def node_remarks(system: System, names: Names) -> list[str]:
    """A sentence on the pairs of bodies that collide with their nodes alone, as balls of their radii, never a
    node and a face; nothing if there are none.
    """
    found = names.collisions
    if found is None or not found.exist:
        return []
    surfaces: dict[str, int] = {}
    for (owner, _, shape), surface in zip(system.shapes(), found.surface.tolist()):
        if surface >= 0 and is_ball(shape):
            surfaces.setdefault(name_of(owner), surface)
    apart = joined_bodies(system, names)
    pairs = [
        f'"{a}" and "{b}"'
        for a, b in combinations(sorted(surfaces), 2)
        if (a, b) not in apart and not found.pass_through[surfaces[a], surfaces[b]]
    ]
    if not pairs:
        return []
    text = f"nodes of one body do not collide with faces of another: {listed(pairs, NAMED)} pass through"
    return [f"{text} each other, but for nodes that meet as balls of their `contact_radius`"]


def narrow_remarks(system: System, names: Names) -> list[str]:
    """A sentence on the pairs of bodies of which one has shapes narrower than two elements of the other,
    whose nodes collide: they fall between the nodes. Nothing if there are none.
    """
    found = names.collisions
    if found is None or not found.exist:
        return []
    colliding = [
        (name_of(owner), shape, surface)
        for (owner, _, shape), surface in zip(system.shapes(), found.surface.tolist())
        if surface >= 0
    ]
    meshes = {name: surface for name, shape, surface in colliding if is_ball(shape)}
    apart = joined_bodies(system, names)
    pairs: dict[tuple[str, str], str] = {}
    for name in meshes:
        nodes = next(body.content.surface for body in system.bodies if body.name == name)
        spacing = nodes.spacing or nodes.extent
        for other, shape, surface in colliding:
            passes = tuple(sorted((name, other))) in apart or found.pass_through[meshes[name], surface]
            if other in meshes or other == name or passes or not shape.kind.bounded:
                continue
            width = middle_width(shape)
            if width + 2.0 * nodes.radius < 2.0 * spacing:
                pairs.setdefault((other, name), f'"{other}" ({width:.3g} m) on "{name}" ({spacing:.3g} m)')
    if not pairs:
        return []
    text = "nodes of a mesh collide, its faces do not: what is narrower than two elements falls between them"
    mend = "refine the mesh or give it a `contact_radius`; a flat mesh is not flat for such bodies"
    return [f"{text}: {listed(pairs.values(), NAMED)}; {mend}"]


def is_ball(shape: Any) -> bool:
    """Whether a shape is a node that touches as a ball, with no faces between it and others."""
    return isinstance(shape, SurfaceNode) and shape.contact_type == shape.type


def middle_width(shape: Any) -> float:
    """The middle one of the three widths of a shape [m]: what it needs to lie on nodes, not between them."""
    return float(thickness(shape.surface()[0])[1])


def name_of(owner: Body | Scene) -> str:
    """Name of a body, or of the ground."""
    return owner.name if isinstance(owner, Body) else GROUND
