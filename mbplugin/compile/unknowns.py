"""Adds implicit variables to the draft: variables that depend on themselves, accelerations, reactions."""

from __future__ import annotations

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftRow
from mbplugin.compile.references import marker_point, of_measure, resolve
from mbplugin.errors import SceneError, did_you_mean, errors_at, listed
from mbplugin.interface import ConstraintKind
from mbplugin.model.references import Acceleration, Implicit, Reaction
from mbplugin.problem import JointInfo
from mbplugin.tables.records import (
    FORCE_SIZE,
    MULTIPLIER,
    PROBE,
    REACTION,
    SECOND_RATE,
    TORQUE_SIZE,
    VARIABLE,
    ImplicitRecord,
)

#: components of a reaction by name
COMPONENTS = {
    "fx": 0,
    "fy": 1,
    "fz": 2,
    "tx": 3,
    "ty": 4,
    "tz": 5,
    "force": FORCE_SIZE,
    "torque": TORQUE_SIZE,
}


def add_unknowns(build: Builder) -> None:
    """Add the implicit variables of all expressions so far and those they refer to. Raises SceneError."""
    draft = build.draft
    draft.implicit_memory = draft.memory
    done = 0
    while done < len(draft.unknowns):
        reference = draft.unknowns[done]
        record, guess = placed(build, reference)
        draft.implicit_rows.append(record)
        draft.guesses.append(guess)
        build.names.implicit.append(str(reference))
        done += 1
    draft.memory += done
    draft.reads_alone = build.acting.isdisjoint(draft.unknowns)


def placed(build: Builder, reference: Implicit | Acceleration | Reaction) -> tuple[ImplicitRecord, float]:
    """The record of an implicit variable, and where its iteration begins. Raises SceneError."""
    if isinstance(reference, Implicit):
        return add_variable(build, reference.variable)
    with errors_at(*build.first_use[reference]):
        if isinstance(reference, Acceleration):
            return add_acceleration(build, reference), 0.0
        return add_reaction(build, reference), 0.0


def add_variable(build: Builder, name: str) -> tuple[ImplicitRecord, float]:
    k, variable = next((k, v) for k, v in enumerate(build.system.variables) if v.name == name)
    key = f"variable[{k}].value"
    expression = resolve(build, build.expression(variable.value, key), key)
    place = build.draft.bind_all([expression], of_kernel=False)
    return ImplicitRecord(VARIABLE, place=place), variable.start or 0.0


def add_acceleration(build: Builder, reference: Acceleration) -> ImplicitRecord:
    """Add an inactive row over the measure, which gives s̈ = G v̇ − γ."""
    draft = build.draft
    number = draft.numbers.get(reference.of)
    if number is None:
        number = draft.numbers[reference.of] = of_measure(build, reference.of)
    block = draft.open_block(draft.measures[number].points)
    row = build.add_row(block, DraftRow("an expression", str(reference), "m", 0, mode=PROBE))
    draft.couple(row, number, 0, 1.0)
    return ImplicitRecord(SECOND_RATE, place=row, block=len(draft.blocks) - 1)


def add_reaction(build: Builder, reference: Reaction) -> ImplicitRecord:
    """A component of the reaction on the last marker of a joint, as in the result. Raises SceneError."""
    name, _, component = reference.component.rpartition(".")
    joints = {joint.name: joint for joint in build.names.joints}
    if name not in joints:
        near = did_you_mean(name, list(joints)) or f"; there are {listed(joints)}"
        raise SceneError(mend=f'there is no joint "{name}"{near}')
    joint = joints[name]
    if component not in COMPONENTS:
        return add_drive(build, name, component)
    if reference.axes:
        axes = marker_point(build, reference.axes)
    elif component in ("force", "torque"):
        axes = joint.markers[-1]
    else:
        axes = joint_axes(joint, component)
    rows = joint.rows
    build.names.reads.append((build.first_use[reference][0], name, "" if reference.axes else component))
    return ImplicitRecord(
        REACTION,
        block=joint.block,
        first_row=rows.start,
        rows=len(rows),
        axes=axes,
        component=COMPONENTS[component],
        slot=len(joint.markers) - 1,
    )


def add_drive(build: Builder, name: str, coordinate: str) -> ImplicitRecord:
    """The driving force or torque of a coordinate's motion. Raises SceneError."""
    info = next((c for c in build.names.coordinates if c.name == f"{name}.{coordinate}"), None)
    if info is None or not info.motion_rows:
        driven = [
            c.name.rpartition(".")[2]
            for c in build.names.coordinates
            if c.name.rpartition(".")[0] == name and c.motion_rows
        ]
        known = [*COMPONENTS, *driven]
        raise SceneError(
            mend=f'joint "{name}" has no reaction "{coordinate}"; there are {listed(known, len(known))}'
        )
    if len(info.motion_rows) > 1:
        mend = f'several motions drive "{info.name}", and expressions read the drive of one only'
        raise SceneError(mend=mend)
    return ImplicitRecord(MULTIPLIER, place=info.motion_rows[0])


def joint_axes(joint: JointInfo, component: str) -> int:
    """The marker whose axes are those of the joint, as in the result: the first for forces, the last for
    torques. Raises SceneError if the kind has axes of its own.
    """
    if joint.kind.axes.__func__ is not ConstraintKind.axes.__func__:  # type: ignore[attr-defined]
        raise SceneError(
            mend=f'type "{joint.type}" has axes of its own, which no marker has; '
            f"give a marker: reaction({joint.name}.{component}, marker)"
        )
    return joint.markers[0] if component.startswith("f") else joint.markers[-1]
