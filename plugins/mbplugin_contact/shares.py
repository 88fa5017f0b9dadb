"""Contact forces that are not unique: other forces give the same motion.

With the velocities given, impulses may change by δ with

    Gᵀ δ + G_jᵀ δ_j = 0,

three numbers for a loaded contact that sticks, two in the plane of planar bodies, one along its impulse for
one that slides, one for each rigid row of joints. The sum W δ over the contacts of two bodies is unique where
its rows lie in the row space of [Gᵀ G_jᵀ]. The split over the points of one pair, which W leaves out, hardly
ever is.

A contact that sticks counts as inside its cone: loads at its edge are an end of an interval that is open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import listed
from mbplugin.interface import STICK, Array
from mbplugin.stepping import Blocks, Bodies, TransientMarkers, TransientRows
from mbplugin.stepping.members import PARTS
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.nearest import UNIQUE
from mbplugin_contact.outlines import SPATIAL
from mbplugin_contact.report import contacts_of, slides
from mbplugin_contact.rolling import TOUCHES

#: loaded contacts of an island that is examined; sum of their cubes in a run, some tenths of a second
MAX_CONTACTS, BUDGET = 300, 3e7
#: singular values up to this part of the largest are none; part of W outside the row space that counts
RANK, OUTSIDE = 1e-6, 1e-4
#: smallest scale of a velocity's row, as a part of the largest entry
SMALLEST = 1e-6
#: quantities that are not unique between two bodies
FORCE, TORQUE = "forces", "torques"
#: how a split that is not arbitrary is chosen
NEAREST = "the one nearest to that of the step before"
#: pairs and joints that a message names
NAMED = 6

Pair = tuple[int, int]


class Loaded(NamedTuple):
    """The loaded contacts of a step, and the bodies that they connect."""

    contact: Array  # numbers in the transient rows
    slides: Array  # whether each has one direction
    sides: Array  # (n, 2) bodies by number; shapes of the ground are −1 − shape
    identity: Array  # of shapes and features


class SharedForces:
    """Examines stored frames, and reports at the end between which bodies forces are not unique."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.open: dict[Pair, str] = {}  # pair -> FORCE or TORQUE
        self.joints: dict[str, None] = {}  # joints whose reactions contacts leave open
        self.first = np.inf  # time of the first such frame [s]
        self.left_out, self.work = False, 0.0
        self.arbitrary = False  # whether a split has not been chosen by `nearest.py`
        self.last: Array = np.zeros(0)

    def frame(self) -> None:
        """Examine the step that has led to the present frame, if other contacts act than in the last one."""
        loaded = loaded_contacts(self.problem)
        if np.array_equal(loaded.identity, self.last):
            return
        self.last = loaded.identity
        for chosen, blocks in islands(self.problem, loaded):
            self.examine(loaded, chosen, blocks)

    def examine(self, loaded: Loaded, chosen: Array, blocks: Array) -> None:
        """Examine the contacts and joints of one island."""
        pairs = {tuple(side) for side in loaded.sides[chosen].tolist()}
        if all(self.open.get(pair) == FORCE for pair in pairs):
            return
        work = float(len(chosen)) ** 3
        if len(chosen) > MAX_CONTACTS or self.work + work > BUDGET:
            self.left_out = True
            return
        self.work += work
        open_pairs, joints = open_shares(self.problem, loaded, chosen, blocks)
        if open_pairs:
            self.first = min(self.first, self.problem.time)
            contacts = loaded.contact[chosen]
            self.arbitrary |= bool((self.problem[Contacts].choice[contacts] != UNIQUE).any())
        for pair, quantity in open_pairs.items():
            if self.open.get(pair) != FORCE:
                self.open[pair] = quantity
        self.joints |= dict.fromkeys(joints)

    def closing(self) -> list[tuple[str, str]]:
        """(level, text) of the messages at the end of a run."""
        lines = []
        for quantity in (FORCE, TORQUE):
            pairs = sorted((pair for pair in self.open if self.open[pair] == quantity), key=in_scene)
            if pairs:
                lines.append(
                    ("info", self.text(quantity, pairs, quantity == FORCE or FORCE not in self.open.values()))
                )
        if self.left_out:
            text = (
                "contacts: whether forces between bodies are unique was examined in a part of the frames, "
                f"and not where more than {MAX_CONTACTS} contacts are connected"
            )
            lines.append(("info", text))
        return lines

    def text(self, quantity: str, pairs: list[Pair], with_joints: bool) -> str:
        """One message."""
        joints = ""
        if self.joints and with_joints:
            names = listed(list(self.joints), NAMED)
            joints = f", nor {'is the reaction' if len(self.joints) == 1 else 'are the reactions'} of {names}"
        between = listed((pair_text(self.problem, pair) for pair in pairs), NAMED)
        return (
            f"contacts: {quantity} between {between} are not unique (first at t = {self.first:.6g} s)"
            f"{joints}: the laws leave open how they share the load; the reported split is "
            f"{'arbitrary' if self.arbitrary else NEAREST}, do not size parts with it"
        )


def pair_text(problem: Any, pair: Any) -> str:
    """Names of both sides."""
    return " and ".join(side_text(problem, side) for side in pair)


def side_text(problem: Any, side: int) -> str:
    """Name of a body, or of a shape of the ground as `Result.contact` takes it."""
    if side >= 0:
        return f'"{problem.names.body(side)}"'
    shapes, shape = problem.names.shapes, -1 - side
    of_ground = np.flatnonzero(problem[Shapes].index.body < 0)
    of_scene = [k for k in of_ground.tolist() if not shapes[k].shown_before]
    if len(of_scene) == 1:
        return "ground"
    name = shapes[shape].name or f"ground_{of_scene.index(shape)}"
    return f'ground ("{name}")'


def in_scene(pair: Pair) -> list[tuple[bool, int]]:
    """Sorting key of a pair: bodies before shapes of the ground."""
    return [(side < 0, abs(side)) for side in pair]


def loaded_contacts(problem: Any) -> Loaded:
    """The loaded contacts of the last step."""
    transient, contacts = problem[TransientRows], problem[Contacts]
    n = int(transient.used[0])
    loaded = np.flatnonzero(transient.impulse[: 3 * n : 3] > 0.0)
    one = slides(problem)[np.searchsorted(contacts_of(problem), loaded)]
    sides = sides_of(problem, loaded)
    identity = np.stack([contacts.key[loaded], contacts.feature[loaded], one], axis=1)
    return Loaded(loaded, one, sides, identity)


def sides_of(problem: Any, chosen: Array) -> Array:
    """(n, 2) the two sides of these contacts: bodies, nodes and links by number, of faces their body; shapes
    of the ground are −1 − shape, of a part of a mesh that of the mesh.
    """
    markers, key = problem[TransientMarkers].index, problem[Contacts].key[chosen]
    part = np.where(markers.face >= 0, markers.body, markers.part)
    bodies, number = np.stack([part[2 * chosen], part[2 * chosen + 1]], axis=1), len(problem[Shapes].index)
    shape = np.stack([key // number, key % number], axis=1)
    return np.where(bodies >= 0, bodies, -1 - whole_shapes(problem)[shape])


def whole_shapes(problem: Any) -> Array:
    """(n,) number of each shape, of a part of a mesh on the ground that of the mesh."""
    numbers = np.arange(len(problem[Shapes].index))
    for k in np.flatnonzero(problem[Shapes].index.body < 0).tolist():
        numbers[k] -= problem.names.shapes[k].shown_before
    return numbers


def islands(problem: Any, loaded: Loaded) -> Iterator[tuple[Array, Array]]:
    """(contacts, blocks of joints) of each island in which forces may be shared; contacts are places in
    `loaded`.

    Without joints and with no more pairs than links of a tree, each force follows from balances.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    blocks, bodies = problem[Blocks], len(problem[Bodies].index)
    count, sides = len(blocks.index), moving_bodies(problem, loaded.sides)
    of_block = np.repeat(np.arange(count), blocks.index.members)
    moves = blocks.member.nv > 0
    # nodes: bodies, then blocks; the ground is no node
    inner = sides.min(axis=1, initial=0) >= 0
    one = np.concatenate([sides[inner, 0], bodies + of_block[moves]])
    other = np.concatenate([sides[inner, 1], blocks.member.body[moves]])
    graph = coo_array((np.ones(len(one)), (one, other)), shape=(bodies + count,) * 2)
    label = connected_components(graph, directed=False)[1]
    of_contact, of_blocks = label[sides.max(axis=1, initial=-1)], label[bodies:]
    pairs = np.unique(np.column_stack([of_contact, sides]), axis=0)
    count_of = lambda labels: np.bincount(labels, minlength=bodies + count)
    nodes = count_of(label) + (count_of(pairs[pairs[:, 1:].min(axis=1, initial=0) < 0, 0]) > 0)
    links = count_of(pairs[:, 0])
    # a tree has the joints that carry its links
    jointed = (count_of(of_blocks) > 0) | (count_of(label[np.flatnonzero(is_tree(problem))]) > 0)
    for island in np.flatnonzero((links > 0) & ((links >= nodes) | jointed)):
        yield np.flatnonzero(of_contact == island), np.flatnonzero(of_blocks == island)


def moving_bodies(problem: Any, sides: Array) -> Array:
    """The bodies that have the velocities of these parts: of a link its tree."""
    bodies = problem[Bodies].index
    moving = np.where(bodies.nv == 0, bodies.whole, np.arange(len(bodies)))
    return np.where(sides >= 0, moving[np.maximum(sides, 0)], sides)


def is_tree(problem: Any) -> Array:
    """(bodies,) whether each is a tree of bodies that joints carry."""
    bodies = problem[Bodies].index
    return np.asarray((bodies.tree >= 0) & (bodies.nv > 0))


def open_shares(
    problem: Any, loaded: Loaded, chosen: Array, blocks: Array
) -> tuple[dict[Pair, str], list[str]]:
    """FORCE or TORQUE of each pair of bodies of an island whose share is not unique, and joints whose
    reactions contacts leave open, or more open than they are among the joints alone.
    """
    A, W, pair_of = contact_columns(problem, loaded, chosen)
    J, rows = joint_columns(problem, blocks)
    G = np.concatenate([A, J], axis=1)
    scale = np.abs(G).max(axis=1)
    G = G / np.maximum(scale, SMALLEST * scale.max())[:, None]
    length = np.linalg.norm(G, axis=0)
    length[length == 0.0] = 1.0
    G, n = G / length, A.shape[1]
    Q = row_space(G[scale > 0.0])
    W = W / length[:n]
    members = problem[Bodies].index
    open_pairs: dict[Pair, str] = {}
    for pair in dict.fromkeys(pair_of):
        own = [k for k in range(n) if pair_of[k] == pair]
        body = members[int(moving_bodies(problem, np.array(pair)).max())]
        if is_outside(W[:, own], Q[own]):
            open_pairs[pair] = FORCE
        elif is_outside(G[body.first_v : body.first_v + body.nv, own], Q[own]):
            open_pairs[pair] = TORQUE
    if not open_pairs or not rows:
        return open_pairs, []
    # 1 less the sum of squares is how far a row is open; rows that the joints alone leave open are more so
    closed, closed_alone = (Q[n:] ** 2).sum(axis=1), (row_space(G[:, n:]) ** 2).sum(axis=1)
    opened = np.flatnonzero(closed_alone - closed > OUTSIDE**2)
    return open_pairs, list(dict.fromkeys(problem.names.rows[rows[k]].owner for k in opened))


def row_space(G: Array) -> Array:
    """(n, rank) orthonormal columns that span the rows of G (m, n)."""
    _, s, Vt = np.linalg.svd(G, full_matrices=False)
    return np.asarray(Vt[s > RANK * s.max(initial=0.0)].T)


def is_outside(W: Array, Q: Array) -> bool:
    """Whether W (m, k) has a part outside the row space. Q (k, rank): the rows of its k columns."""
    return bool((W**2).sum() - ((W @ Q) ** 2).sum() > OUTSIDE**2 * (W**2).sum())


def contact_columns(problem: Any, loaded: Loaded, chosen: Array) -> tuple[Array, Array, list[Pair]]:
    """Gᵀ (nv, n), force on b (3, n) in world axes, and pair, of each number that a contact leaves open."""
    transient, numbers = problem[TransientRows], loaded.contact[chosen]
    G_of, W_of, pair_of = [], [], []
    flat = lie_in_plane(problem, numbers)
    columns = np.split(contact_rows(problem, numbers).toarray().T, len(chosen), axis=1)
    single, sides = loaded.slides[chosen], loaded.sides[chosen].tolist()
    first, of_moments = moment_rows(problem, numbers)
    for i, (G, k, one, side, in_plane) in enumerate(zip(columns, numbers, single, sides, flat)):
        W = transient.G_marker[36 * k : 36 * k + 36].reshape(3, 12)[:, 6:9].T
        if one:
            r = transient.impulse[3 * k : 3 * k + 3]
            d = (r / np.linalg.norm(r))[:, None]
            G, W = G @ d, W @ d
        elif in_plane:
            G, W = G[:, :2], W[:, :2]
        moments = of_moments[:, first[i] : first[i + 1]]
        G, W = np.concatenate([G, moments], axis=1), np.pad(W, ((0, 0), (0, moments.shape[1])))
        G_of.append(G)
        W_of.append(W)
        pair_of += [(side[0], side[1])] * G.shape[1]
    return np.concatenate(G_of, axis=1), np.concatenate(W_of, axis=1), pair_of


def moment_rows(problem: Any, chosen: Array) -> tuple[Array, Array]:
    """Gᵀ (nv, m) of the moments of these contacts that are inside their bounds, or along those at them, and
    where the columns of each contact begin (n + 1,).
    """
    transient, contacts = problem[TransientRows], problem[Contacts]
    columns, first = [np.zeros((problem.nv, 0))], [0]
    turns = contacts.turns[: int(transient.used[0])]
    for c in chosen:
        k = c + 1
        while k < len(turns) and turns[k] != TOUCHES:
            G = contact_rows(problem, np.array([k])).toarray().T[:, 1:]
            m = transient.impulse[3 * k + 1 : 3 * k + 3]
            if contacts.status[k] != STICK and m.any():
                G = G @ (m / np.linalg.norm(m))[:, None]
            columns.append(G[:, np.abs(G).max(axis=0) > 0.0])
            k += 1
        first.append(sum(column.shape[1] for column in columns))
    return np.array(first), np.concatenate(columns, axis=1)


def lie_in_plane(problem: Any, chosen: Array) -> Array:
    """Whether each of these contacts is in the plane of planar bodies, where its last row is zero."""
    contacts = problem[Contacts]
    shapes = np.stack(np.divmod(contacts.key[chosen], len(problem[Shapes].index)))
    return np.asarray((contacts.outline.first[shapes] != SPATIAL).all(axis=0))


def joint_columns(problem: Any, blocks: Array) -> tuple[Array, list[int]]:
    """Gᵀ (nv, n) of the rigid rows of joints, and their numbers."""
    contacts = problem[Contacts]
    rigid = (contacts.row_scale > 0.0) & (contacts.row_compliance == 0.0)
    numbers = [
        row
        for block in problem[Blocks].index[blocks]
        for row in range(int(block.first_row), int(block.first_row + block.rows))
        if rigid[row]
    ]
    return problem.sparse_jacobian()[numbers].toarray().T, numbers


def contact_rows(problem: Any, chosen: Array) -> Any:
    """G (3 n, nv) of these contacts, sparse: each has its normal row first."""
    from scipy.sparse import coo_array

    transient = problem[TransientRows]
    places = 2 * int(transient.width[PARTS])
    members = transient.member[(places * np.asarray(chosen)[:, None] + np.arange(places)).ravel()]
    size = 3 * members["nv"]
    of = np.repeat(np.arange(len(members)), size)
    place = np.arange(len(of)) - np.repeat(np.cumsum(size) - size, size)
    row, column = np.divmod(place, members["nv"][of])
    at = 3 * (of // places) + row, members["first_v"][of] + column
    shape = (3 * len(chosen), problem.nv)
    return coo_array((transient.G[members["first_G"][of] + place], at), shape=shape).tocsr()
