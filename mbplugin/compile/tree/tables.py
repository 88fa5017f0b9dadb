"""The table of trees."""

from __future__ import annotations

import numpy as np

from mbplugin.compile.body_tables import read_points
from mbplugin.compile.draft import Draft
from mbplugin.compile.frames import plane_axes
from mbplugin.compile.tree.flat import flat_tables, planes_of
from mbplugin.compile.tree.fold import Folded
from mbplugin.compile.tree.links import Link, Rotor
from mbplugin.kernels.tree.numbers import ARTICULATED, BIAS, OWN, POSE
from mbplugin.model.scene import Scene
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Flat, Trees
from mbplugin.tables.records import DERIVED, LinkRecord, RotorRecord, TreeRecord
from mbplugin.tables.spec import Array, records, table


def tree_tables(draft: Draft, bodies: Bodies, scene: Scene, number: dict[int, int]) -> tuple[Trees, Flat]:
    """The tables of the trees of a draft, which is in joint coordinates; empty where it is not.

    number: marker of each point of the draft
    """
    folded: Folded | None = draft.folded
    if folded is None or not folded.trees:
        return table(Trees), table(Flat)
    # momenta are those of links in space, and a mass matrix is formed there
    in_plane = not (folded.momenta or folded.form.forms_mass)
    planes = [plane if in_plane else None for plane in planes_of(folded.trees)]
    read = {draft.points[point][0] for point in read_points(draft)}
    trees: list[tuple[int, ...]] = []
    links: list[tuple[int, ...]] = []
    rotors: list[Rotor] = []
    rate = D = derived = 0
    for t, of_tree in enumerate(folded.trees):
        body = bodies.index[folded.first_body + t]
        first, q, v = len(links), int(body.first_q), int(body.first_v)
        reactions = any(link.read for link in of_tree)
        flat, located = int(planes[t] is not None), int(reactions or folded.first_body + t in read)
        trees.append((folded.first_body + t, first, len(of_tree), flat, located, int(reactions)))
        for link in of_tree:
            parent = first + link.parent if link.parent >= 0 else -1
            own = derived if link.form == DERIVED else -1
            ends = int(link.joint < 0), int(link.forward), own, number[link.last] if link.read else -1
            own_rotors = len(rotors), len(link.rotors)
            links.append((parent, link.form, q, v, link.rates, rate, D, *ends, int(link.planar), *own_rotors))
            rotors += link.rotors
            derived += link.form == DERIVED
            q, v, rate, D = q + link.nq, v + link.rates, rate + link.rates, D + link.rates**2
    every = folded.links
    n = len(every)
    carried = 6 * n if any(link.read for link in every) else 0
    table_of_trees = Trees(
        index=records(TreeRecord, trees),
        link=records(LinkRecord, links),
        gravity=np.array(scene.gravity, float),
        normal=plane_axes(scene.plane)[:, 2].copy(),
        fixed=np.concatenate([fixed(link) for link in every]),
        motion=np.concatenate([link.motion.ravel() for link in every]),
        armature=np.concatenate([link.armature for link in every]),
        pose=np.zeros(POSE * n),
        bias=np.zeros(BIAS * n),
        own=np.zeros(OWN * n),
        composite=np.zeros(OWN * n),
        S=np.zeros(6 * rate),
        articulated=np.zeros(ARTICULATED * n),
        U=np.zeros(6 * rate),
        D=np.zeros(max(D, 1)),
        external=np.zeros(6 * n),
        load=np.zeros(6 * n),
        change=np.zeros(6 * n),
        jump=np.zeros(rate),
        reaction=np.zeros(6 * n),
        accel=np.zeros(6 * n),
        turn=np.zeros((0, 2), np.int64),
        weight=np.array([link.number if any(scene.gravity) else -1 for link in every], np.int64),
        carried=np.zeros(carried),
        mean=np.zeros(carried),
        row_force=np.zeros(len(draft.rows) if carried else 0),
        rotor=records(RotorRecord, [(rotor.velocity, rotor.measure) for rotor in rotors]),
        inertia=np.array([rotor.inertia for rotor in rotors], float),
        momentum=np.array(folded.momenta, np.int64),
        number=np.zeros(1),
        places=np.zeros(2, np.int64),
    )
    return table_of_trees, flat_tables(folded.trees, planes)


def tree_cases(folded: Folded | None, trees: Trees) -> dict[str, bool]:
    """Which of the engine's functions of trees a problem calls (`kernels/by_address.py`)."""
    if folded is None:
        return {}
    flat = trees.index["flat"]  # as an attribute it is one of arrays
    return {
        "tree": True,
        "flat": bool((flat == 1).any()),
        "spatial": bool((flat == 0).any()),
        "momentum": bool(folded.momenta),
        "forms_mass": folded.form.forms_mass,
        "alone": folded.form.lone,
        "carried": len(trees.carried) > 0,
    }


def fixed(link: Link) -> Array:
    """(22,) numbers of a link that do not change, as `kernels/tree/numbers.py` has them."""
    J = link.inertia
    moments = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    return np.array([*link.axes.ravel(), *link.place, *link.centre, link.mass, *moments], float)


def turns_of(problem: Problem) -> Array:
    """`Trees.turn`: of coordinates of carrying joints, and of measures that repeat them."""
    names, links = problem.names, problem.folded.links
    place = {
        f"{names.joints[link.joint].name}.{name}": int(record.first_q) + k
        for link, record in zip(links, problem[Trees].link)
        if link.joint >= 0
        for k, name in enumerate(link.coordinates)
    }
    counting = problem.folded.counting
    turns = {c.measure: place[c.name] for c in names.coordinates if c.name in place and c.measure in counting}
    turns |= {copy: turns[own] for copy, own in names.same_measures if own in turns}
    return np.array(sorted(turns.items()), np.int64).reshape(-1, 2)
