"""Contacts in results: the entry of each contact in a frame, and the messages at the end of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.interface import OPEN, SLIP, STICK, Array, ContactArray, FoundContacts
from mbplugin.stepping import Middle, Step, TransientRows
from mbplugin.stepping.bounded_rows import Bounded
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.phases import MAX_PHASES
from mbplugin_contact.rolling import ROLLS, SPINS, TOUCHES

#: overlap in thicknesses up to which it is not reported, and beyond which a run warns
UNREPORTED_OVERLAP, DEEP_OVERLAP = 1e-6, 0.01
#: energy that removal of overlap adds, as a part of what contacts take, above which it is reported
REPORTED_ENERGY = 1e-3
#: status of a contact that is loaded, and was not in the last step
NEW = 3
#: status of a contact that its law has bonded
BONDED = 4
ARRAYS = {
    "shape_a": ContactArray("1", "index of the shape of a, in the order of `shapes`", whole=True),
    "shape_b": ContactArray("1", "index of the shape of b", whole=True),
    "identity": ContactArray("1", "number of the contact, the same while its features are near", whole=True),
    "status": ContactArray(
        "1",
        "0 open, 1 sticks: slip_speed within 1e-6 g h, 2 slips, 3 new: loaded, and not in the step before, "
        "4 bonded: its law holds it by a memory above 0",
        whole=True,
        words=("open", "sticks", "slips", "new", "bonded"),
    ),
    "friction": ContactArray("1", "coefficient in this step"),
    "cone_distance": ContactArray("N", "of the force from Coulomb's cone; 0: it slips; nan: another law"),
    "velocity_before": ContactArray("m/s", "of b relative to a at the start of the step, world axes", 3),
    "velocity_after": ContactArray("m/s", "the same at its end", 3),
    "slip_speed": ContactArray("m/s", "size of the tangential part at the end of the step, between surfaces"),
    "rolling_moment": ContactArray("N m", "of rolling friction on b, across the normal, world axes", 3),
    "spinning_moment": ContactArray("N m", "of spinning friction on b, about the normal, world axes", 3),
    "residual": ContactArray("m/s", "of the law, with that of the moments"),
}


def describe_contacts(problem: Any) -> Mapping[str, Array]:
    """`ARRAYS` of the contacts of the present step."""
    transient, contacts = problem[TransientRows], problem[Contacts]
    k, h = contacts_of(problem), float(problem[Step].record[0].length)
    n = int(transient.used[0])
    r = transient.impulse[: 3 * n].reshape(n, 3)[k]
    mu = transient.friction[k]
    distance = (mu * r[:, 0] - np.linalg.norm(r[:, 1:], axis=1)) / np.sqrt(1.0 + mu**2) / h
    shapes = len(problem[Shapes].index)
    # forces on b of the three rows: normal and tangents
    axes = transient.G_marker[: 36 * n].reshape(n, 3, 12)[k, :, 6:9]
    world = lambda u: np.einsum("ikx,ik->ix", axes, u[k])
    slip = slip_speeds(problem)
    return {
        "shape_a": contacts.key[k] // shapes,
        "shape_b": contacts.key[k] % shapes,
        "identity": contacts.identity[k],
        "status": np.where(
            contacts.of_law.memory_0[k] > 0.0,
            BONDED,
            statuses(r[:, 0] > 0.0, contacts.fresh[k] == 1, slides(problem)),
        ),
        "friction": mu,
        "cone_distance": np.where(contacts.contact_law[k] == 0, distance, np.nan),
        "velocity_before": world(contacts.before - contacts.belt_before),
        "velocity_after": world(contacts.after - contacts.belt),
        "slip_speed": slip,
        "rolling_moment": moments(problem, ROLLS),
        "spinning_moment": moments(problem, SPINS),
        "residual": largest_residuals(problem),
    }


def found_contacts(problem: Any) -> FoundContacts:
    """Features and coefficients of the contacts that have been found."""
    k, contacts = contacts_of(problem), problem[Contacts]
    rules, laws = contacts.rules[contacts.rule[k]], problem.names.collisions.laws
    others = [laws[k].name for k in rules.contact_law.tolist() if laws[k] is not None]
    return FoundContacts(
        np.column_stack([contacts.key[k], contacts.feature[k]]),
        rules.friction.copy(),
        rules.friction_static.copy(),
        others[0] if others else "",
    )


def slip_speeds(problem: Any) -> Array:
    """(n,) tangential speeds of the contacts of the present step at its end, of their surfaces [m/s]."""
    contacts, k = problem[Contacts], contacts_of(problem)
    return np.asarray(np.linalg.norm(contacts.after[k, 1:] + contacts.held_rate[k, 1:], axis=1))


def slides(problem: Any) -> Array:
    """(n,) whether each contact slides, or has no friction."""
    goal, k = float(problem[Contacts].record[0].goal), contacts_of(problem)
    return (slip_speeds(problem) > goal) | (problem[TransientRows].friction[k] == 0.0)


def contacts_of(problem: Any) -> Array:
    """(n,) numbers of the blocks that are contacts; between them are those of their moments."""
    turns = problem[Contacts].turns[: int(problem[TransientRows].used[0])]
    return np.flatnonzero(turns == TOUCHES)


def moments(problem: Any, turns: int) -> Array:
    """(n, 3) moments of one kind on b at each contact, world axes [N·m]."""
    transient, contacts, k = problem[TransientRows], problem[Contacts], contacts_of(problem)
    used, h = int(transient.used[0]), float(problem[Step].record[0].length)
    found, of = np.zeros((used, 3)), np.flatnonzero(contacts.turns[:used] == turns)
    torques = transient.G_marker[: 36 * used].reshape(used, 3, 12)[of, :, 9:]
    impulses = transient.impulse[: 3 * used].reshape(used, 3)[of]
    found[contacts.bounded_by[of]] = np.einsum("ikx,ik->ix", torques, impulses) / (h or np.inf)
    return np.asarray(found[k])


def largest_residuals(problem: Any) -> Array:
    """(n,) residual of each contact or of its moments, whichever is larger [m/s]."""
    contacts, used = problem[Contacts], int(problem[TransientRows].used[0])
    found, of = contacts.contact_residual[:used].copy(), np.flatnonzero(contacts.turns[:used] != TOUCHES)
    np.maximum.at(found, contacts.bounded_by[of], contacts.contact_residual[of])
    return np.asarray(found[contacts_of(problem)])


def middle(problem: Any) -> Middle:
    """The middle of the last step: q_m = q₀ ⊕ ½h v₀, v_m = v₀ + ½h v̇, after a blow (v₀ + v₁)/2."""
    contacts, step = problem[Contacts], problem[Step]
    h, bounded = float(step.record[0].length), problem[Bounded].index
    impulse = np.where(contacts.row_scale > 0.0, contacts.joint_impulse, 0.0)
    impulse[bounded.row] = contacts.bounds.impulse
    return Middle(
        dq=0.5 * h * step.v0,
        v=step.v0 + 0.5 * h * contacts.v_dot_middle,
        aux=step.aux0 + 0.5 * h * contacts.x_dot,
        impulse=impulse,
        implicit=contacts.row_compliance > 0.0,
        # `Contacts.dq` is ½h v₁, before the projection
        v1=contacts.dq / (0.5 * h),
    )


def statuses(loaded: Array, fresh: Array, slips: Array) -> Array:
    """The status of each contact, by three truths."""
    return np.where(loaded, np.where(fresh, NEW, np.where(slips, SLIP, STICK)), OPEN)


def closing(problem: Any, steps: int) -> list[tuple[str, str]]:
    """Messages at the end of a run: residuals, and impacts."""
    contacts = problem[Contacts]
    goal, missed, impacts = float(contacts.record[0].goal), int(contacts.missed[0]), int(contacts.impacts[0])
    totals = contacts.totals[0]
    worst, time, key = float(totals.worst), float(totals.worst_time), int(totals.worst_pair)
    of_impacts = f"{impacts} impact{'' if impacts == 1 else 's'}"
    if (softened := int(totals.softened)) > 0:
        steps_of_them = f"{softened} step{'' if softened == 1 else 's'}"
        taken = f"all of it would add energy, or a body jams; {float(totals.softened_energy):.2g} J taken"
        of_impacts += f", in {steps_of_them} with less rebound: {taken}"
    if overlap := overlap_text(problem):
        of_impacts += f"; {overlap}"
    lifted = float(totals.lifted)
    if lifted > REPORTED_ENERGY * abs(
        float(contacts.friction_loss[0]) + float(contacts.impact_loss[0]) + lifted
    ):
        of_impacts += f"; removal of overlap has added {lifted:.2g} J"
    remarks = [
        *broken_text(problem),
        *deep_text(problem),
        *unended_text(problem),
        *leap_text(problem),
        *swept_text(problem, steps),
    ]
    if missed == 0:
        reached = f"every step reached its residual, {goal:.1e} m/s (the largest is {worst:.1e})"
        return [("info", f"contacts: {reached}; {of_impacts}"), *remarks]
    between = pair_text(problem, key)
    if contacts.record[0].only_sweeps == 1:
        of_impacts += f"; each step had {int(contacts.record[0].sweeps)} sweeps, as `sweeps` asks"
    text = (
        f"contacts: {missed} of {steps} steps missed their residual, {goal:.1e} m/s; the worst is {worst:.1e}"
    )
    return [("warning", f"{text} at t = {time:.6g} s{between}; {of_impacts}"), *remarks]


def overlap_text(problem: Any) -> str:
    """The largest overlap of a run beside the thickness of its pair; "" if that is rounding."""
    totals = problem[Contacts].totals[0]
    relative, overlap = float(totals.deepest), float(totals.deepest_overlap)
    if relative < UNREPORTED_OVERLAP:
        return ""
    return f"overlap of bodies is at most {overlap:.2g} m, {100.0 * relative:.2g} % of their thickness"


def deep_text(problem: Any) -> list[tuple[str, str]]:
    """A warning if bodies have overlapped by more than a part of their thickness."""
    totals = problem[Contacts].totals[0]
    relative, overlap, time = float(totals.deepest), float(totals.deepest_overlap), float(totals.deepest_time)
    if relative <= DEEP_OVERLAP:
        return []
    of = f"{100.0 * relative:.2g} % of the thickness of the thinner one"
    where = f"t = {time:.6g} s{pair_text(problem, int(totals.deepest_pair))}"
    text = f"contacts: bodies overlapped by {overlap:.3g} m, {of} (at {where})"
    return [("warning", f"{text}; give a shorter `step`")]


def broken_text(problem: Any) -> list[tuple[str, str]]:
    """A line if bonds have broken."""
    totals = problem[Contacts].totals[0]
    if totals.broken == 0:
        return []
    bonds = "1 bond" if totals.broken == 1 else f"{totals.broken} bonds"
    first = f"t = {totals.broken_time:.6g} s{pair_text(problem, int(totals.broken_pair))}"
    energy = f"contacts took {float(totals.broken_energy):.3g} J in these steps"
    return [("info", f"contacts: {bonds} broke (first at {first}); {energy}")]


def unended_text(problem: Any) -> list[tuple[str, str]]:
    """A warning if impacts of a step went on after its last phase."""
    totals = problem[Contacts].totals[0]
    if totals.unended == 0:
        return []
    steps = "1 step" if totals.unended == 1 else f"{totals.unended} steps"
    where = f"t = {totals.unended_time:.6g} s{pair_text(problem, int(totals.unended_pair))}"
    text = f"contacts: impacts of {steps} went on after {MAX_PHASES} in turn (first at {where})"
    return [("warning", f"{text}; there all that still approached was struck at once")]


def swept_text(problem: Any, steps: int) -> list[tuple[str, str]]:
    """A line if steps had no matrix."""
    n = int(problem[Contacts].totals[0].swept_only)
    if n == 0:
        return []
    reason = "a factorization would have cost more than 100 sweeps"
    fault = "bodies that stick move as the residual allows"
    return [("info", f"contacts: {n} of {steps} steps were solved by sweeps alone: {reason}; {fault}")]


def leap_text(problem: Any) -> list[tuple[str, str]]:
    """A warning if a body moved farther in a step than the smallest radius."""
    totals = problem[Contacts].totals[0]
    leap, time, body = (
        float(totals.longest_move),
        float(totals.longest_move_time),
        int(totals.longest_move_body),
    )
    if leap <= 1.0:
        return []
    distance = f"{leap:.3g} of the smallest radius in a step (t = {time:.6g} s)"
    fault = f'"{problem.names.body(body)}" moved by {distance}'
    mend = "an impact is taken in the step before it; give a shorter `step` if details of impacts matter"
    return [("warning", f"contacts: {fault}; {mend}")]


def pair_text(problem: Any, key: int) -> str:
    """Names of the bodies of a pair of shapes, for a message."""
    if key < 0:
        return ""
    bodies = problem[Shapes].index.body.tolist()
    a, b = (problem.names.body(bodies[i]) if bodies[i] >= 0 else "ground" for i in divmod(key, len(bodies)))
    return f', between "{a}" and "{b}"'
