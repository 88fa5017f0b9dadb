"""Equilibria of what touches: whether the bodies rest where they begin, and rows of contacts for the search.

Friction at rest is history, and the start is its reference: first one step of `contact` from rest, as that of
`instant.py`, looks for any share of forces within all cones and bounds that holds the bodies where they are.
Only where there is none, the search moves them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mbplugin.analysis.equilibrium.bounded_rows import BoundedRows
from mbplugin.analysis.equilibrium.complementarity import AT_LOWER, HOLDS, SLIPS
from mbplugin.analysis.equilibrium.touching_rows import CLOSED, REACH, TouchingRows
from mbplugin.analysis.forces_report import TouchingForce
from mbplugin.analysis.rank.null_space import deformation_rates
from mbplugin.analysis.tangent.stiffness import stride
from mbplugin.errors import SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.interface import OPEN, SLIP, STICK
from mbplugin.interface.solver import FoundContacts
from mbplugin.kernels import transient_entries
from mbplugin.model import System
from mbplugin.model.motion import Motion
from mbplugin.problem import Problem
from mbplugin.run.instant import Instant, at_instant
from mbplugin.tables.groups import Bodies, Bounded, Rates, Rows, Step, TransientMarkers, TransientRows
from mbplugin.tables.records import MOMENT
from mbplugin.tables.spec import Array

#: residual of that step; accelerations relative to those without contacts up to which bodies rest
RESIDUAL, RESTS = 1e-9, 1e-7
#: the list of contacts in a frame, and its arrays that are 0 at rest
LIST = "lists/contacts/"
AT_REST = ("velocity_before", "velocity_after", "slip_speed", "residual")
#: a force below this part of the largest is none
NO_FORCE = 1e-9


@dataclass
class AtRest:
    """A scene whose bodies touch, begun at rest."""

    problem: Problem
    instant: Instant
    rests: bool  # where it begins
    features: list[tuple[int, ...]]  # of the contacts of that step
    force: Array  # (n, 3) theirs [N]
    lam: Array  # (nc,) multipliers of that step
    stays: bool  # whether no other position is asked for, if it rests there
    friction: bool  # whether contacts have friction

    def find(self, reach: float) -> FoundContacts:
        """The contacts at the present position, evaluated, up to a gap [m]. Raises SceneError for a law other
        than Coulomb's: it acts where the bodies rest.
        """
        kind = self.instant.prepared.solver.kind
        kind.find_contacts(self.instant.integrator, reach)
        found: FoundContacts = kind.found_contacts(self.problem)
        if found.law and not self.stays:
            mend = "finds equilibria with other laws only where the bodies begin; run the scene"
            raise SceneError("contact.type", found.law, f"static analysis {mend}")
        if not self.friction:
            found = found._replace(kinetic=0.0 * found.kinetic, static=0.0 * found.static)
        return found

    def rows(self) -> TouchingRows:
        """Rows of the contacts; of bodies that rest where they begin, only of those that touch."""
        return TouchingRows(self.problem, self.find, 0.0 if self.stays else REACH)

    def hold(self, bounded: BoundedRows) -> None:
        """Give the rows the forces of the step that has found the bodies at rest."""
        if bounded.touching is None:
            return
        places = {name: k for k, name in enumerate(self.features)}
        force = np.zeros((bounded.contacts, 3))
        for k, name in enumerate(bounded.touching.now.names):
            if name in places:
                force[k] = self.force[places[name]]
        own = self.lam[bounded.row]
        least = NO_FORCE * max(np.abs(force).max(initial=0.0), np.abs(own).max(initial=0.0))
        loaded = force[:, 0] > least
        gap = self.problem[Bounded].index.gap[bounded.number] == 1
        of_own = np.where(gap & (np.abs(own) <= least), AT_LOWER, HOLDS)
        of_contacts = np.where(loaded[:, None], HOLDS, np.array([AT_LOWER, SLIPS, SLIPS]))
        of_contacts[bounded.touching.now.static == 0.0, 1:] = SLIPS
        bounded.doing = np.concatenate([of_own, of_contacts.ravel()])
        carried = np.where(of_own == HOLDS, own, 0.0)
        bounded.force = np.concatenate([carried, (force * loaded[:, None]).ravel()])


def begun_at_rest(system: System, registry: Registry, moving: bool = False, friction: bool = True) -> AtRest:
    """Begin a scene whose bodies touch. moving: whether motions are to go on from there; friction: whether
    contacts have it. Raises SceneError, PhysicsError.
    """
    scene = system.scene.model_copy(update={"start": "given"})
    motions = system.motions
    if not moving:
        motions = [one.model_copy(update={"raw": {one.key: at_start(one)}}) for one in motions]
    still = system.model_copy(update={"scene": scene, "motions": motions})
    instant = at_instant(still, registry, True, residual=RESIDUAL)
    problem = instant.prepared.problem
    kind, transient = instant.prepared.solver.kind, problem[TransientRows]
    n, h = int(transient.used[0]), float(problem[Step].record[0].length)
    found = kind.found_contacts(problem)
    force = transient.impulse[: 3 * n].reshape(n, 3) / (h or 1.0)
    v_dot, free = problem[Rates].v_dot.copy(), problem[Bodies].inverse * problem[Bodies].h
    moves = max(stride(problem, v_dot), float(deformation_rates(problem, v_dot[:, None]).max(initial=0.0)))
    rests = moves <= RESTS * max(stride(problem, free), 1e-300)
    # friction of the step, and what motions move, are no rest
    rests = rests and friction and not np.any(problem.v)
    if moving or not rests:
        refuse_belts(system)
    if friction:
        refuse_moments(problem)
    features = [tuple(one) for one in found.features.tolist()]
    lam, stays = problem[Rows].lam.copy(), bool(rests and not moving)
    return AtRest(problem, instant, bool(rests), features, force, lam, stays, friction)


def at_start(motion: Motion) -> Any:
    """What a motion prescribes at t = 0, where it stays; of a function as it is."""
    if motion.level > 0:
        return 0.0
    given = motion.expression
    return re.sub(r"\btime\b", "(0.0)", given) if isinstance(given, str) else given


def refuse_belts(system: System) -> None:
    """Raises SceneError for the first surface that moves on its body: what it drags along is at no rest."""
    for _, key, shape in system.shapes():
        if shape.surface_velocity is not None:
            mend = "it moves what it touches; only bodies that rest on it at the start are in equilibrium"
            error = SceneError(f"{key}.surface_velocity", shape.surface_velocity, f"static analysis: {mend}")
            raise system.locate(error)


def refuse_moments(problem: Problem) -> None:
    """Raises SceneError where contacts that were found have rolling or spinning friction."""
    if np.any(problem[TransientRows].index.row_type[: int(problem[TransientRows].used[0])] == MOMENT):
        collisions = problem.names.collisions
        assert collisions is not None
        name = "rolling_friction" if collisions.rolling.any() else "spinning_friction"
        lever = float(max(collisions.rolling.max(), collisions.spinning.max()))
        mend = "finds no equilibria with moments at contacts; run the scene, or leave friction out"
        raise SceneError(name, lever, f"static analysis {mend}")


class Touching(NamedTuple):
    """Contacts at an equilibrium."""

    names: list[tuple[int, ...]]  # the features that touch
    force: Array  # (n, 3) along the normal and two tangents [N]
    status: Array  # (n,) OPEN, STICK or SLIP

    @classmethod
    def of(cls, bounded: BoundedRows) -> Touching:
        assert bounded.touching is not None
        force, doing = (x[bounded.own :].reshape(-1, 3) for x in (bounded.force, bounded.doing))
        status = np.where(doing[:, 0] != HOLDS, OPEN, np.where(doing[:, 1] == HOLDS, STICK, SLIP))
        return cls(list(bounded.touching.now.names), force.copy(), status)

    def entries(self, problem: Problem, touching: TouchingRows) -> dict[str, Array]:
        """The list of contacts of a frame at this equilibrium, the present state, evaluated."""
        outputs, transient = problem.solver_outputs, problem[TransientRows]
        assert outputs is not None
        found, places = touching.found(0.0).names, {name: k for k, name in enumerate(self.names)}
        place = np.array([places.get(name, -1) for name in found], np.int64)
        known = place >= 0
        force, status = np.zeros((len(found), 3)), np.full(len(found), OPEN)
        force[known], status[known] = self.force[place[known]], self.status[place[known]]
        # forces are impulses of a second
        transient.impulse[: force.size] = force.ravel()
        problem[Step].record[0].length = 1.0
        entries = outputs.contacts()
        at_rest = {f"{LIST}{name}" for name in AT_REST} & set(entries)
        entries |= {key: np.zeros_like(entries[key]) for key in at_rest}
        if f"{LIST}status" in entries:
            entries[f"{LIST}status"] = status
        return entries


def touching_forces(problem: Problem, bounded: BoundedRows) -> list[TouchingForce]:
    """Each contact at an equilibrium that is closed, with its status. Finds their points."""
    touching = bounded.touching
    assert touching is not None
    touching.found(touching.reach)  # the stiffness has found others
    problem.check(transient_entries.locate_contacts(problem.addresses))
    transient, markers, n = problem[TransientRows], problem[TransientMarkers], bounded.contacts
    axes = transient.G_marker[: 36 * n].reshape(n, 3, 12)[:, :, 6:9]
    force, doing = (x[bounded.own :].reshape(n, 3) for x in (bounded.force, bounded.doing))
    part, names, now = markers.index.part[: 2 * n], problem.names, touching.now
    found = []
    for k in range(n):
        loaded = bool(doing[k, 0] == HOLDS)
        if not loaded and now.gap[k] > CLOSED * names.size:
            continue
        status = ("sticks" if doing[k, 1] == HOLDS else "slips") if loaded else "open"
        a, b = (names.body(int(i)) if i >= 0 else "ground" for i in part[2 * k : 2 * k + 2])
        most = float(now.static[k] * force[k, 0])
        share = float(np.hypot(force[k, 1], force[k, 2])) / most if most > 0.0 else 0.0
        point, local = markers.x[2 * k + 1].copy(), force[k].copy()
        found.append(TouchingForce(a, b, status, point, axes[k].T @ local, local, share))
    return found
