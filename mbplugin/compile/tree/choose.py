"""Which joint carries which body: a spanning tree of the bodies of a scene, from the ground outwards.

Cut are the joints with the fewest rows: a tree of the greatest weight, by Prim's algorithm. The weight of a
joint is the number of its rows; of equal ones the body nearer to the root comes first, then the order of the
scene.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mbplugin.compile.builder import Builder
from mbplugin.compile.frames import plane_axes
from mbplugin.compile.joint_motion import CannotCarry, JointMotion, joint_motion
from mbplugin.compile.tree.form import TreeForm
from mbplugin.compile.tree.turned_round import turned_round
from mbplugin.problem import JointInfo
from mbplugin.tables.records import EQUALITY
from mbplugin.tables.spec import Array

GROUND = -1


@dataclass(frozen=True)
class Carrier:
    """How a joint carries a body."""

    joint: int  # in names.joints
    parent: int  # number of a body in `Builder.bodies`; GROUND
    child: int
    motion: JointMotion  # of the marker on the child, in axes of the marker on the parent
    parent_point: int
    child_point: int
    forward: bool  # whether the parent has the first marker


@dataclass
class Branch:
    """A body of a tree; carrier None: a free root."""

    body: int
    carrier: Carrier | None
    parent: int  # place in the list of its tree; -1: the ground

    @property
    def velocities(self) -> int:
        """How many it has; a free body in a plane has fewer."""
        if self.carrier is None:
            return 6
        return 3 if self.carrier.motion.form == "ball" else len(self.carrier.motion.coordinates)


@dataclass
class Choice:
    """The trees of a scene. reasons: joint -> why it carries no body, if it could not."""

    trees: list[list[Branch]] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def carried(self) -> set[int]:
        """Numbers of the joints that carry a body."""
        return {branch.carrier.joint for tree in self.trees for branch in tree if branch.carrier is not None}


#: (x, R) of the markers of joint number k, world
Poses = Callable[[int], list[tuple[Array, Array]]]


def choose_trees(build: Builder, poses: Poses, form: TreeForm) -> Choice:
    """The trees of a draft. Raises PluginError.

    poses: those of the markers of a joint when the system is assembled; several may satisfy its rows, such as
    parallel and antiparallel axes
    form: with momenta as states a single free body is a tree too, and derived motions carry nothing
    """
    choice = Choice()
    carriers: dict[int, list[Carrier]] = {}
    needed = Needed.of(build)
    for k, joint in enumerate(build.names.joints):
        try:
            for carrier in carriers_of(build, k, joint, poses, needed, form.momenta):
                carriers.setdefault(carrier.parent, []).append(carrier)
        except CannotCarry as reason:
            choice.reasons[joint.name] = str(reason)
    taken = {GROUND}
    roots = [GROUND, *(build.index[name] for name in build.names.bodies)]
    for root in roots:
        if root != GROUND and (root in taken or not may_be_link(build, root)):
            continue
        grown = grow(build, root, carriers, taken)
        if root == GROUND:
            choice.trees += split_by_root(grown)
        elif grown or form.lone or form.momenta:
            choice.trees.append(listed_tree([Branch(root, None, -1)], grown))
    leave_out_large(build, choice, form)
    return choice


def leave_out_large(build: Builder, choice: Choice, form: TreeForm) -> None:
    """Trees of more velocities than the form has are none."""
    size = lambda tree: sum(branch.velocities for branch in tree)
    for tree in choice.trees:
        if size(tree) > form.largest:
            reason = f"its tree has {size(tree)} velocities, and this solver takes at most {form.largest:g}"
            carriers = [branch.carrier for branch in tree if branch.carrier is not None]
            choice.reasons |= {build.names.joints[one.joint].name: reason for one in carriers}
    choice.trees = [tree for tree in choice.trees if size(tree) <= form.largest]


def may_be_link(build: Builder, body: int) -> bool:
    """Whether a body is rigid."""
    return build.bodies[body].kind.rigid


def grow(build: Builder, root: int, carriers: dict[int, list[Carrier]], taken: set[int]) -> list[Carrier]:
    """The carriers of all bodies that joints can carry from `root`, each after that of its parent."""
    depth, found = {root: 0}, []
    heap: list[tuple[int, int, int, Carrier]] = []
    taken.add(root)

    def offer(body: int) -> None:
        for carrier in carriers.get(body, []):
            if carrier.child not in taken:
                rows = len(build.names.joints[carrier.joint].rows)
                heapq.heappush(heap, (-rows, depth[body] + 1, carrier.joint, carrier))

    offer(root)
    while heap:
        _, deep, _, carrier = heapq.heappop(heap)
        if carrier.child in taken:
            continue
        taken.add(carrier.child)
        depth[carrier.child] = deep
        found.append(carrier)
        offer(carrier.child)
    return found


def listed_tree(tree: list[Branch], carriers: list[Carrier]) -> list[Branch]:
    """A tree with the bodies of these carriers behind its own."""
    place = {branch.body: k for k, branch in enumerate(tree)}
    for carrier in carriers:
        place[carrier.child] = len(tree)
        tree.append(Branch(carrier.child, carrier, place.get(carrier.parent, -1)))
    return tree


def split_by_root(carriers: list[Carrier]) -> list[list[Branch]]:
    """One tree for each body that the ground carries."""
    root: dict[int, int] = {}
    of_root: dict[int, list[Carrier]] = {}
    for carrier in carriers:
        root[carrier.child] = root.get(carrier.parent, carrier.child)
        of_root.setdefault(root[carrier.child], []).append(carrier)
    return [listed_tree([], found) for found in of_root.values()]


def carriers_of(
    build: Builder, k: int, joint: JointInfo, poses: Poses, needed: Needed, momenta: bool
) -> Iterator[Carrier]:
    """How joint number k could carry its second body, or its first. Raises CannotCarry with the reason."""
    refuse_other_rows(build, k, joint, needed)
    a, b = (build.draft.points[point][0] for point in joint.markers)
    normal = plane_axes(build.system.scene.plane)[:, 2] if joint.planar else None
    motion = joint_motion(
        joint.kind,
        joint.params,
        poses(k),
        joint.planar,
        normal,
        lambda given: build.measure(given, joint.kind),
    )
    if momenta and motion.form == "derived":
        raise CannotCarry("in the momentum form a joint has to move its body by constants")
    if motion.form == "derived":
        refuse_derived(joint)
    points = joint.markers
    if b != GROUND and fits(build, joint, b):
        yield Carrier(k, a, b, motion, points[0], points[1], True)
    if a != GROUND and fits(build, joint, a):
        try:
            yield Carrier(k, b, a, turned_round(motion), points[1], points[0], False)
        except CannotCarry:
            if b == GROUND:
                raise


def refuse_derived(joint: JointInfo) -> None:
    """Raise CannotCarry where more than the joint's own functions make its rows."""
    if joint.planar:
        raise CannotCarry("it is planar, and its body moves on no line or circle")
    if joint.kind.relation(joint.params):
        raise CannotCarry("it relates its coordinates, and its body moves on no line, circle or screw")


def fits(build: Builder, joint: JointInfo, child: int) -> bool:
    """Whether a joint leaves its body just the motions that the body has."""
    return joint.planar or not build.bodies[child].kind.in_plane


@dataclass(frozen=True)
class Needed:
    """Reasons for which rows of joints are needed, so that these cannot carry a body."""

    enforced: frozenset[int]  # numbers of joints
    conditional: frozenset[str]  # names of joints that may cease to act, or do not act at first
    bounded: frozenset[int]  # rows

    @classmethod
    def of(cls, build: Builder) -> Needed:
        names = build.names
        return cls(
            frozenset(one.joint for one in names.enforced),
            frozenset(
                one.name
                for one in names.activities
                if one.what == "joint" and (one.conditional or one.active is False)
            ),
            frozenset(one.row for one in build.draft.bounded),
        )


def refuse_other_rows(build: Builder, k: int, joint: JointInfo, needed: Needed) -> None:
    """Raise CannotCarry where the rows of a joint are needed, or where one of its bodies is not rigid."""
    if len(joint.markers) != 2 or build.draft.blocks[joint.block].row_type != EQUALITY:
        raise CannotCarry("its rows are no equations between two markers")
    a, b = (build.draft.points[point][0] for point in joint.markers)
    if a == b:
        raise CannotCarry("both its markers are on one body")
    for body in (a, b):
        if body != GROUND and not may_be_link(build, body):
            raise CannotCarry(f'"{build.bodies[body].name}" is no rigid body')
    if k in needed.enforced:
        raise CannotCarry("its rows are under a compliance")
    if joint.name in needed.conditional:
        raise CannotCarry("it does not always act")
    if not needed.bounded.isdisjoint(joint.rows):
        raise CannotCarry("its rows have bounds")
