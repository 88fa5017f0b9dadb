"""Adds what may cease to act: every joint, motion and force, and the contacts of bodies; with the conditions
of the keys `active` and `release`.

What belongs to a joint goes with it: its own rows, those of its motions, limits and friction, its springs and
soft stops.
"""

from __future__ import annotations

from collections import Counter
from math import pi

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.references import resolve
from mbplugin.errors import SceneError, errors_at
from mbplugin.model.activity import Acts
from mbplugin.model.contact import collides
from mbplugin.model.expression import Expression, parse
from mbplugin.model.references import Reaction
from mbplugin.problem import ActivityInfo
from mbplugin.tables import tape
from mbplugin.tables.records import (
    COMPLIANT,
    LOWER,
    ON,
    TARGET_CONTACTS,
    TARGET_FORCE,
    TARGET_ROW,
    ActivityRecord,
    ConditionRecord,
    TargetRecord,
)

#: what changes with the motion
MOVING = (tape.MEASURE, tape.RATE, tape.STATE, tape.UNKNOWN)

#: most that an angle turns in a step where a condition reads it, so that none begins and ends within it [rad]
STRIDE_OF_CONDITIONS = 0.25 * pi


def add_activities(build: Builder) -> None:
    """Add one for each element of the scene. Raises SceneError."""
    system = build.system
    bounded = {one.row for one in build.draft.bounded}
    rows = acting_rows(build, bounded)

    def row_target(row: int) -> TargetRecord:
        """The record of a row, with the mode that it has where it acts."""
        return TargetRecord(TARGET_ROW, row, LOWER if row in bounded else build.draft.rows[row].mode)

    for k, joint in enumerate(system.joints):
        forces = build.forces_of.get(("joint", joint.name), [])
        targets = [row_target(r) for r in rows.get(joint.name, [])]
        targets += [TargetRecord(TARGET_FORCE, number) for number in forces]
        add_activity(build, joint.name, "joint", f"joint[{k}]", joint, targets)
    rivals: dict[tuple[str, str], int] = {}
    activities = build.draft.activities
    for k, motion in enumerate(system.motions):
        key = f"motion[{k}]"
        targets = [row_target(build.row_of_motion[f"{key}.{motion.key}"])]
        add_activity(build, str(motion.name), "motion", key, motion, targets)
        if motion.effort_limit is None:
            coordinate, number = (motion.joint, motion.coordinate), len(activities) - 1
            if (before := rivals.get(coordinate)) is not None:
                activities[before] = activities[before]._replace(rival=number)
            rivals[coordinate] = number
    for k, force in enumerate(system.forces):
        numbers = build.forces_of["force", str(force.name)]
        targets = [TargetRecord(TARGET_FORCE, number) for number in numbers]
        add_activity(build, str(force.name), "force", f"force[{k}]", force, targets)
    for k, body in enumerate(system.bodies):
        colliding = system.scene.contacts and any(collides(body, shape) for shape in body.shapes)
        if colliding:
            touches = [TargetRecord(TARGET_CONTACTS, build.index[body.name])]
            key = f"body[{k}].contacts"
            add_activity(build, f"{body.name}.contacts", "contacts", key, body.contacts or Acts(), touches)
        elif body.contacts is not None:
            mend = "there is no shape that collides; set `collide = true`, or leave it out"
            raise SceneError(f"body[{k}].contacts", body.contacts.model_dump(exclude_unset=True), mend)
    used = Counter(one.name for one in build.names.activities)
    for one in build.names.activities:
        one.label = one.name if used[one.name] == 1 else f"{one.what} {one.name}"


def acting_rows(build: Builder, bounded: set[int]) -> dict[str, list[int]]:
    """The rows that belong to each joint, and act or may act; bounded: those with bounds."""
    found: dict[str, list[int]] = {}
    for r, row in enumerate(build.draft.rows):
        if row.mode in (ON, COMPLIANT) or r in bounded:
            found.setdefault(row.owner.partition(" ")[0], []).append(r)
    return found


def add_activity(
    build: Builder, name: str, what: str, key: str, acts: Acts, targets: list[TargetRecord]
) -> None:
    """Add one with its conditions. Raises SceneError."""
    draft = build.draft
    one = ActivityRecord(
        first_target=len(draft.targets), targets=len(targets), snap=int(getattr(acts, "snap", False))
    )
    breaks = build.breaks.get(name) if what == "joint" else None
    if acts.release is not None:
        with errors_at(f"{key}.release", acts.release):
            parse(acts.release, build.symbols, condition=True)
    endings = [text for text in (acts.release, breaks) if text is not None]
    release = " or ".join(endings) if endings else None
    conditions = {"active": acts.active, "release": release}
    for word, text in conditions.items():
        if not isinstance(text, str):
            continue
        expression = condition(build, f"{key}.{word}", text)
        if word == "active":
            refuse_own_reaction(build, f"{key}.{word}", text, expression, what, name)
        place = draft.bind(expression)
        one = one._replace(**{word: place})
        codes = expression.tape.ops[:, 0]
        if np.isin(codes, MOVING).any():
            one = one._replace(watched=1)
            draft.conditions.append(ConditionRecord(place, int((codes == tape.UNKNOWN).any())))
            draft.events += 1
        elif (codes == tape.TIME).any():
            draft.timed.add(place)
    if what == "joint" and (one.active >= 0 or acts.active is False):
        refuse_armature(build, key, name, acts)
    draft.activities.append(one)
    draft.targets += targets
    broken = breaks is not None
    build.names.activities.append(ActivityInfo(name, what, key, name, acts.active, release, broken))


def condition(build: Builder, key: str, text: str) -> Expression:
    """The expression of a condition, with its references numbered. Raises SceneError."""
    with errors_at(key, text):
        expression = parse(text, build.symbols, condition=True)
    if expression.constant is not None:
        raise SceneError(key, text, "never changes: it reads neither the motion nor `time`")
    expression = resolve(build, expression, key, acts=False)
    for code, k in expression.tape.ops.tolist():
        if code == tape.MEASURE:
            measure = build.draft.measures[build.draft.numbers[expression.references[k]]]
            measure.stride = min(measure.stride, STRIDE_OF_CONDITIONS) if measure.wraps else measure.stride
    return expression


def refuse_own_reaction(
    build: Builder, key: str, text: str, expression: Expression, what: str, name: str
) -> None:
    """Raises SceneError if a condition reads the reaction of what it lets act: without that there is none."""
    own = {name}
    if what == "motion":
        motion = next(one for one in build.system.motions if one.name == name)
        own = {f"{motion.joint}.{motion.coordinate}"}
    for reference in expression.references:
        if isinstance(reference, Reaction) and what in ("joint", "motion"):
            joint = reference.component.rpartition(".")[0]
            if reference.component in own or joint in own:
                mend = (
                    f"reads {reference}, which is 0 as soon as this {what} does not act; use `release`, or "
                    "read a coordinate"
                )
                raise SceneError(key, text, mend)


def refuse_armature(build: Builder, key: str, joint: str, acts: Acts) -> None:
    """Raises SceneError for a joint with an armature that would begin to act."""
    if any(rotor.rpartition(".")[0] == joint for rotor in build.names.rotors.values()):
        mend = "a joint with an `armature` cannot begin to act: its rotor has turned on; use `release`"
        raise SceneError(f"{key}.active", acts.active, mend)
