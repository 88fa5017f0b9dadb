"""Turns a draft in maximal coordinates into one in joint coordinates.

Every tree becomes one body, whose coordinates are those of its joints. Its bodies are links; markers are
points of links. What a joint that carries a body would do by rows is gone, and so is the weight of links,
which the recursion knows. All other rows, forces and measures stay as they are, over markers.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields, replace

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.collisions import name_of
from mbplugin.compile.draft import Draft, DraftBody, first_part_of
from mbplugin.compile.tree.choose import Choice
from mbplugin.compile.tree.derived import derived_elements
from mbplugin.compile.tree.form import TreeForm
from mbplugin.compile.tree.kind import Tree
from mbplugin.compile.tree.links import Link, Rotor, in_body, link_of, rest
from mbplugin.compile.tree.readers import measures_of_armatures, read_links
from mbplugin.compile.tree.rows import dead_of_idle, dead_rows, drop_elements, drop_rows
from mbplugin.interface.body import BodyPlan
from mbplugin.model.contact import collides
from mbplugin.tables.links import renumbered
from mbplugin.tables.records import DERIVED
from mbplugin.tables.spec import Array

#: least mass and moment of inertia of a link in the lengths of rows, as a part of the mean ones
LEAST = 1e-6


@dataclass
class Folded:
    """Outcome of folding a draft.

    rows: number in the draft before of each row that is left; −1: it moves nothing, and is off
    """

    trees: list[list[Link]] = field(default_factory=list)
    first_body: int = 0  # number in the tables of the body of the first tree
    rows: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    choice: Choice = field(default_factory=Choice)
    form: TreeForm = TreeForm()  # noqa: RUF009 - it is frozen
    bare: list[int] = field(default_factory=list)  # joints that have lost all their rows
    counting: set[int] = field(default_factory=set)  # measures that count turns
    owners: list[str] = field(default_factory=list)  # of rows, in their order before
    momenta: list[int] = field(default_factory=list)  # first of them in State.aux; empty: they are no states

    @property
    def links(self) -> list[Link]:
        """Links of all trees, as they are numbered in the tables."""
        return [link for links in self.trees for link in links]

    def links_of(self, body: int) -> list[Link]:
        """Links of the tree that is this body of the tables; none if it is no tree."""
        t = body - self.first_body
        return self.trees[t] if 0 <= t < len(self.trees) else []


def fold(build: Builder, choice: Choice, form: TreeForm, idle: frozenset[int] = frozenset()) -> Builder:
    """A copy of a draft with the trees of a choice as bodies. idle: rows that move no tree."""
    build = copied(build)
    folded = build.draft.folded = Folded(choice=choice, form=form)
    place: dict[int, tuple[int, int]] = {}  # body -> its tree, its place there
    for t, tree in enumerate(choice.trees):
        links: list[Link] = []
        for branch in tree:
            links.append(link_of(build, branch, links))
            if branch.carrier is not None and links[-1].form == DERIVED:
                links[-1].elements = derived_elements(build, branch.carrier)
            place[branch.body] = (t, len(links) - 1)
        folded.trees.append(links)
    folded.counting = {k for k, measure in enumerate(build.draft.measures) if measure.wraps}
    folded.owners = list(dict.fromkeys(row.owner for row in build.names.rows))
    gone = rotors_on(build, folded, form)
    read_links(build, folded)
    drop_elements(build, choice, place, measures_of_armatures(build, folded))
    dead = dead_rows(build, choice, gone) | dead_of_idle(build, idle)
    folded.bare = [
        k for k, joint in enumerate(build.names.joints) if joint.rows and dead.issuperset(joint.rows)
    ]
    folded.rows = drop_rows(build, dead, idle)
    build.draft.of_shapes = points_of_shapes(build)
    folded.rows[np.isin(folded.rows, list(idle))] = -1
    rows = int((folded.rows >= 0).sum()) - len(build.draft.bounded)  # those are off for much of the time
    folded.form = form.fitted([sum(link.rates for link in links) for links in folded.trees], rows)
    build.draft.elements += [e for link in folded.links for e in link.elements]
    move_bodies(build, folded, place, gone)
    if form.momenta:
        add_momenta(build.draft, folded)
    return build


def points_of_shapes(build: Builder) -> set[int]:
    """Points at the mass centres of bodies whose shapes collide."""
    owners = {name_of(owner) for owner, _, shape in build.system.shapes() if collides(owner, shape)}
    return {point for name, point in zip(build.names.bodies, build.names.body_marker) if name in owners}


def copied(build: Builder) -> Builder:
    """A builder with lists of its own; what stands in them is not changed."""
    lists = {each.name: copy(getattr(build.draft, each.name)) for each in fields(build.draft)}
    return replace(build, draft=replace(build.draft, **lists), bodies=list(build.bodies))


def add_momenta(draft: Draft, folded: Folded) -> None:
    """Let the momenta of all trees be auxiliary states."""
    folded.momenta = [draft.states]
    for links in folded.trees:
        for link in links:
            draft.state_names += [f"momentum of {link.body}"] * link.rates
            draft.state_units += [""] * link.rates
            draft.start_states += [0.0] * link.rates
            draft.states += link.rates


def rotors_on(build: Builder, folded: Folded, form: TreeForm) -> set[int]:
    """Give the velocities of carrying joints their armatures; returns the numbers of their rotors, which are
    no bodies any more.
    """
    of_joint = {
        build.names.joints[link.joint].name: link
        for links in folded.trees
        for link in links
        if link.joint >= 0
    }
    measure = {one.name: one.measure for one in build.names.coordinates}
    gone = set()
    for armature in build.armatures:
        link = of_joint.get(armature.joint.name)
        if link is None:
            continue
        number = next(k for k, body in enumerate(build.bodies) if body is armature.body)
        coordinate = build.names.rotors[number].rpartition(".")[2]
        if coordinate not in link.coordinates and not form.lone:
            continue  # its place follows from another coordinate by a factor, which what is shown has not
        index, factor = rate_of(build, link, coordinate)
        mass = float(armature.body.plan.mass[0])
        link.armature[index] += factor * factor * mass
        link.rotors.append(Rotor(coordinate, measure[build.names.rotors[number]], index, factor * mass))
        gone.add(number)
    return gone


def rate_of(build: Builder, link: Link, coordinate: str) -> tuple[int, float]:
    """(i, c) with ṡ = c q̇ᵢ of a coordinate s of the joint that carries a link, also where its relation
    Σ cₖ sₖ = 0 gives it, as the length of a screw.
    """
    if coordinate in link.coordinates:
        return link.coordinates.index(coordinate), 1.0
    joint = build.names.joints[link.joint]
    terms = dict(joint.kind.relation(joint.params))
    index = next(i for i, own in enumerate(link.coordinates) if own in terms)
    return index, -terms[link.coordinates[index]] / terms[coordinate]


def move_bodies(build: Builder, folded: Folded, place: dict[int, tuple[int, int]], gone: set[int]) -> None:
    """Replace the bodies of trees by the trees, and points of bodies by points of links."""
    names, draft = build.names, build.draft
    left = [k for k in range(len(build.bodies)) if k not in place and k not in gone]
    made = [tree_body(links, folded.form) for links in folded.trees]
    bodies = [*(build.bodies[k] for k in left), *made]
    order = sorted(range(len(bodies)), key=lambda k: bodies[k].kind.name)
    at = {k: n for n, k in enumerate(order)}
    new = {k: at[n] for n, k in enumerate(left)}
    folded.first_body = at[len(left)] if made else 0
    first_link = np.cumsum([0, *(len(links) for links in folded.trees)])
    every = [link for links in folded.trees for link in links]
    least = LEAST * np.mean([(link.mass, np.trace(link.inertia)) for link in every] or [(1, 1)], axis=0)
    for point, (body, _) in enumerate(draft.points):
        if body in place:
            t, i = place[body]
            x, A = in_body(build, point)
            link = folded.trees[t][i]
            at_link = link.R.T @ (x - link.x)
            lengths = lengths_at(link, at_link, least)
            own = [first_link[t] + i, *at_link, *(link.R.T @ A).ravel(), *lengths]
            draft.points[point] = (at[len(left) + t], np.array(own, float))
        elif body in gone:
            draft.points[point] = (-1, np.zeros(0))
        elif body >= 0:
            draft.points[point] = (new[body], draft.points[point][1])
    # a link is a part of its tree, without velocities of its own
    first_part = [first_part_of([bodies[k] for k in order], at[len(left) + t]) for t in range(len(made))]
    new |= {k: first_part[tree] + i for k, (tree, i) in place.items()}
    draft.origins = [build.bodies[k].plan.origin for k in names.body_index]
    draft.targets = renumbered(draft.targets, {"Bodies": new})
    build.names = renumbered(names, {"Bodies": new})
    build.index = {name: new[k] for name, k in build.index.items()}
    build.bodies = [bodies[k] for k in order]


def lengths_at(link: Link, at: Array, least: Array) -> tuple[float, float]:
    """What a unit force and a unit torque at a point of a link add to the squared length of a row: of a ball
    with the link's mass and mean moment of inertia 1/m + ⅔ r²/J, and 1/J.
    """
    m, J = max(link.mass, least[0]), max(np.trace(link.inertia) / 3.0, least[1])
    arm = at - link.centre
    return 1.0 / m + 2.0 / 3.0 * float(arm @ arm) / J, 1.0 / J


def tree_body(links: list[Link], form: TreeForm) -> DraftBody:
    """The body of the tables that stands for a tree, at no particular place."""
    nq, nv = sum(link.nq for link in links), sum(link.rates for link in links)
    mass, parts = None if form.forms_mass else links, [0] * len(links)
    plan = BodyPlan(mass=mass, parameters=np.zeros(0), nq=nq, nv=nv, parts=parts)
    q = np.concatenate([rest(link) for link in links])
    return DraftBody(f"tree of {links[0].body}", Tree, plan, q, np.zeros(nv), np.zeros(3), np.eye(3))
