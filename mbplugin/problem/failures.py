"""Errors of compiled functions, made from the tables as the failed evaluation left them."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled, exception_of
from mbplugin.errors import Interrupted, MbpluginError, PhysicsError, PluginError, one_line
from mbplugin.kernels import entries
from mbplugin.model.expression import MOVING
from mbplugin.problem.tables import Tables
from mbplugin.tables import status as status_codes
from mbplugin.tables.groups import (
    Activity,
    Batches,
    Bearings,
    Blocks,
    Bodies,
    Bounded,
    Elements,
    Functions,
    ImplicitVariables,
    Markers,
    Rows,
    State,
    Status,
    TangentPlan,
    TransientMarkers,
    Trees,
    Wrenches,
    WrenchJobs,
)
from mbplugin.tables.records import OFF, ON, POSITION_LEVEL, REBOUNDS, TARGET_ROW
from mbplugin.tables.spec import Array

#: a state beyond this, or NaN, has diverged; no single function is the cause
DIVERGED = 1e50
#: residual over its tolerance that indicates singular equations of the implicit variables
OPEN_BY_FAR = 1e300


def open_loop(problem: Tables) -> PhysicsError:
    """The error that no values of the implicit variables solve their equations."""
    implicit = problem[ImplicitVariables]
    names = " and ".join(f'"{name}"' for name in problem.names.implicit)
    at = int(implicit.worst_place[0])
    if implicit.worst[0] >= OPEN_BY_FAR:
        what = (
            "its equation does not change with it"
            if len(problem.names.implicit) == 1
            else "their equations do not determine them"
        )
    else:
        what = (
            f'the best approximation has "{problem.names.implicit[at]}" = {implicit.value[at]:.6g}, '
            f"for which the expressions give {implicit.image[at]:.6g}"
        )
    mend = "correct contradictory expressions, weaken the dependence, or give a variable another `start`"
    return PhysicsError(
        f"t = {problem[State].time[0]:.9g} s: no value of {names} solves the equations ({what}); {mend}"
    )


def raised(problem: Tables) -> PluginError:
    """The error of a plugin's function that raised an exception, with kind, element and time."""
    batch = int(problem[Status].batch[0])
    kernel = problem.kernels[batch]
    first, count = int(problem[Batches].index[batch].first), int(problem[Batches].index[batch].length)
    # call the batch again for one element at a time, to find the one that fails
    record = next(
        (i for i in range(first, first + count) if kernel.call(i, 1, problem.addresses) != 0), first
    )
    return PluginError(
        f"t = {problem[State].time[0]:.9g} s: {kernel.owner}: its {kernel.role} function "
        f"{what_raised(problem, kernel, record)} for {element_name(problem, kernel, record)}"
    )


def what_raised(problem: Tables, kernel: Compiled, record: int) -> str:
    """What the function of a record raises, with the author's line where plain Python raises it too. Raises
    Interrupted if that is what it was.
    """
    error = exception_of(kernel, record, problem.addresses)
    if isinstance(error, Interrupted):
        raise error
    if error is None:
        return f"{'reads or writes outside an array, or ' if kernel.checked else ''}raised an exception"
    text = one_line(f"{type(error).__name__}: {error}")
    lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename in files_of(kernel)]
    place = f" in {lines[-1].filename}, line {lines[-1].lineno}: `{lines[-1].line}`" if lines else ""
    if isinstance(error, IndexError):
        return f"reads or writes outside an array ({text}){place}"
    return f"raised an exception ({text}){place}"


def solver_raised(problem: Tables, kernels: Iterable[Compiled]) -> PluginError:
    """The error of a function of the solver that raised an exception; `kernels` are the solver's."""
    for kernel in kernels:
        # call it again, to find the one that fails
        if kernel.call(0, 0, problem.addresses) == status_codes.SOLVER_RAISED:
            return PluginError(
                f"t = {problem.time:.9g} s: {kernel.owner}: its {kernel.role} function "
                f"{what_raised(problem, kernel, 0)}"
            )
    return PluginError(f"t = {problem.time:.9g} s: a function of the solver raised an exception")


def function_under_way(problem: Tables) -> str:
    """The plugin's function that is called now, or was called last, for messages."""
    batch = int(problem[Status].batch[0])
    if not 0 <= batch < len(problem.kernels):
        return "a step"
    kernel, row = problem.kernels[batch], problem[Batches].index[batch]
    of = f" for {element_name(problem, kernel, int(row.first))}" if row.length == 1 else ""
    return f"{kernel.owner}: its {kernel.role} function{of}"


def files_of(kernel: Compiled) -> set[str]:
    """The source files of the author's functions."""
    return {function.__code__.co_filename for function in kernel.given.values()}


def tangent_raised(problem: Tables) -> PluginError:
    """The error of a tangent function that raised an exception."""
    address = int(problem[Status].batch[0])
    kernel = next(kernel for kernel in problem.tangent_kernels if kernel.address == address)
    ranges = [
        (int(row.first), int(row.length)) for row in problem[TangentPlan].call if row.address == address
    ] + [
        (int(member.first), int(member.each * strip.groups))
        for strip in problem[TangentPlan].strip
        for member in problem[TangentPlan].member[strip.first_member : strip.first_member + strip.members]
        if member.address == address
    ]
    records = [i for first, count in ranges for i in range(first, first + count)]
    record = next((i for i in records if kernel.call(i, 1, problem.addresses) != 0), records[0])
    element = kernel.role.endswith("_tangent") and kernel.role not in ("own_tangent", "retract_tangent")
    name = f' for "{problem.names.elements[record]}"' if element else ""
    why = what_raised(problem, kernel, record)
    return PluginError(f"{kernel.owner}: its tangent function {why}{name}")


def element_name(problem: Tables, kernel: Compiled, record: int) -> str:
    """The element or body of a kernel's record, as messages name it."""
    names = problem.names
    if kernel.role in (
        "measure",
        "constraint",
        "force",
        "enforcement",
        "enforcement_accept",
        "accept",
        "sample",
        "event",
    ):
        return f'"{names.elements[record]}"'
    markers = problem[Markers].index
    if kernel.shape.transient:
        number = int(problem[TransientMarkers].index[record].body)
        return f'body "{names.body(number)}"'
    match kernel.role:
        case "locate":
            number = int(markers[record].body)
        case "to_generalized_force":
            number = int(markers[problem[WrenchJobs].index[record].marker].body)
        case _:
            number = record
    return f'body "{names.body(number)}"'


def not_finite(problem: Tables) -> MbpluginError | None:
    """The error of the expression or plugin's function whose output is not finite although its inputs are.

    None if there is none.
    """
    state = problem[State]
    if not all(np.abs(y).max(initial=0.0) < DIVERGED for y in (state.q, state.v, state.aux)):
        entries.evaluate(problem.addresses)
        return expression_without_value(problem, slice(0, 1), of_time=True)
    entries.evaluate(problem.addresses)
    expression = expression_without_value(problem, slice(0, 1))
    if expression is not None:
        return expression
    body = body_without_value(problem)
    if body is not None:
        return body
    for number, kernel in enumerate(problem.kernels):
        row = problem[Batches].index[number]
        if kernel.role not in ("measure", "constraint", "force", "enforcement", "event"):
            continue
        for record in range(row.first, row.first + row.length):
            for output, values in outputs(problem, int(record), kernel).items():
                if not np.isfinite(values).all():
                    rate = (
                        expression_without_value(problem, slice(1, 3)) if kernel.role == "measure" else None
                    )
                    if rate is not None:
                        return rate
                    name = problem.names.elements[record]
                    kinds = [joint.kind for joint in problem.names.joints if joint.name == name]
                    if kernel.role in ("constraint", "measure") and kinds and kinds[0].undefined:
                        return PhysicsError(f't = {state.time[0]:.9g} s: "{name}": {kinds[0].undefined}')
                    return PluginError(
                        f"t = {state.time[0]:.9g} s: {kernel.owner}: its {kernel.role} function returned "
                        f"{output} = {values.tolist()} for {element_name(problem, kernel, record)}"
                        f"{unknown_derivative(problem, record, kernel)}"
                    )
    return None


def body_without_value(problem: Tables) -> PhysicsError | None:
    """The error of the first body whose kind does not describe its present state; None if there is none."""
    bodies = problem[Bodies]
    for number, (row, kind) in enumerate(zip(bodies.index, problem.names.kinds)):
        written = (
            bodies.scratch[row.first_scratch : row.first_scratch + row.scratch],
            bodies.h[row.first_v : row.first_v + row.kind_v],
        )
        if kind.undefined and not all(np.isfinite(values).all() for values in written):
            name, t = problem.names.body(number), problem[State].time[0]
            return PhysicsError(f't = {t:.9g} s: body "{name}" {kind.undefined}')
    return None


def expression_without_value(problem: Tables, which: slice, of_time: bool = False) -> PhysicsError | None:
    """The error of the first expression whose value (0) or a derivative (1, 2) is not finite now.

    of_time: only expressions of time alone. None if there is none.
    """
    functions, t = problem[Functions], float(problem[State].time[0])
    for (key, text), row in zip(problem.names.functions, functions.index):
        if of_time and np.isin(functions.ops[row.start : row.stop, 0], list(MOVING)).any():
            continue
        values = np.roll(functions.u[row.target], -row.shift)[: row.known + 1][which]
        if not np.isfinite(values).all():
            what = f"is {values[0]}" if which.start == 0 else f"has the derivatives {values.tolist()}"
            return PhysicsError(
                f't = {t:.9g} s: {key} = "{text}" {what} there; '
                "choose one that has a value at all times of the run"
            )
    return None


def unknown_derivative(problem: Tables, record: int, kernel: Compiled) -> str:
    """A clause about the first function of an element whose derivatives are not known; "" for none."""
    first = int(problem[Elements].index[record].first_function)
    targets = range(first, first + len(kernel.shape.functions))
    for (key, text), row in zip(problem.names.functions, problem[Functions].index):
        if row.target in targets and row.known < 2:
            which = "second derivative" if row.known else "derivatives"
            name = kernel.shape.functions[int(row.target) - first]
            return (
                f'; if it reads the {which} of u.{name}, these are nan, because {key} = "{text}" depends on '
                "the motion: their values contain accelerations"
            )
    return ""


def outputs(problem: Tables, record: int, kernel: Compiled) -> dict[str, Array]:
    """Outputs of one element's function, by name."""
    element = problem[Elements].index[record]
    if kernel.role == "force":
        wrenches = problem[Wrenches]
        first, count = wrenches.index[element.force].first_slot, wrenches.index[element.force].slots
        return {
            "wrench": wrenches.wrench[6 * first : 6 * (first + count)],
            "energy": wrenches.energy[element.force : element.force + 1],
            "power": wrenches.power[element.force : element.force + 1],
        }
    if kernel.role == "event":
        first = element.first_event
        return {"event": problem[Elements].event[first : first + kernel.shape.events]}
    if kernel.role == "enforcement":
        r = element.first_row
        return {name: getattr(problem[Rows], name)[r : r + 1] for name in ("load", "energy", "power")}
    owner = problem.names.elements[record]
    residuals = {}
    rows, blocks = problem[Rows], problem[Blocks]
    for block in blocks.index:
        for r in range(block.first_row, block.first_row + block.rows):
            if problem.names.rows[r].owner == owner:
                residuals[f"row {r - block.first_row} (phi, gamma)"] = np.array([rows.phi[r], rows.gamma[r]])
    return residuals


def no_pivot(problem: Tables) -> PhysicsError:
    """The error that S has no factor."""
    return PhysicsError(
        "the constraint equations cannot be factored: a pivot is not positive; "
        "check the masses and inertias of the bodies",
        time=problem.time,
    )


def no_point_at(problem: Tables) -> PluginError:
    """The error of a contact on a body whose kind takes none."""
    number = int(problem[Status].batch[0])
    name, kind = problem.names.body(number), problem.names.kinds[number].name
    return PluginError(
        f't = {problem.time:.9g} s: no contact can act on body "{name}": its kind "{kind}" gives no '
        "`point_at`; give the body another type"
    )


def no_mass(problem: Any) -> PhysicsError:
    """The error that a body of a tree, with all that it carries, has no mass that its velocities move."""
    link = problem.folded.links[int(problem[Status].batch[0])]
    if link.joint < 0:
        text = f'the free motion of body "{link.body}" moves no mass: give it a mass and an inertia'
    else:
        text = (
            f'the motion of joint "{problem.names.joints[link.joint].name}" moves no mass: give body '
            f'"{link.body}" a mass and an inertia, or the joint an armature'
        )
    return PhysicsError(f'{text}, or use coordinates = "maximal"', time=problem.time)


def wedged(problem: Tables) -> PhysicsError:
    """The error that no forces fit the friction of bearings and the reactions that press on them."""
    bearings = problem[Bearings]
    at = int(bearings.worst_place[0])
    key, value, what = problem.names.bounded[int(bearings.index[at].bounded)]
    mend = "a smaller coefficient or a longer bearing does not wedge"
    text = (
        f"the {what} wedges: no force of friction fits what it presses on its own bearing "
        f"(Painlevé's paradox); {mend} ({key} = {value})"
    )
    return PhysicsError(text, time=problem.time)


def no_pose(problem: Any) -> PhysicsError:
    """The error that the coordinates of a joint do not tell where the body is that it carries."""
    number = int(problem[Status].batch[0])
    link, first = problem.folded.links[number], int(problem[Trees].link[number].first_q)
    joint = problem.names.joints[link.joint]
    units = {c.name: c.unit for c in problem.names.coordinates}
    values = joined(
        f"{name} = {problem[State].q[first + k]:.6g} {units[f'{joint.name}.{name}']}"
        for k, name in enumerate(link.coordinates)
    )
    text = (
        f'joint "{joint.name}" ({joint.type}) is at a position where its coordinates do not describe its '
        f'motion, {values}; use coordinates = "maximal"'
    )
    return PhysicsError(text, time=problem.time)


def joined(parts: Iterable[str]) -> str:
    """The parts, joined by commas and a last "and"."""
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def apart(problem: Tables) -> PhysicsError:
    """The error that a joint or motion which begins to act is open, or beyond a limit."""
    activity, rows, names, mode = problem[Activity], problem[Rows], problem.names, problem[State].mode
    number = int(activity.failed[0])
    name, record = names.activities[number], activity.index[number]
    targets = activity.target[record.first_target : record.first_target + record.targets]
    own = [int(one.number) for one in targets if one.kind == TARGET_ROW]
    is_open = [r for r in own if rows.level[r] == POSITION_LEVEL and (mode[r] == ON or rows.phi[r] < 0.0)]
    worst = max(is_open, key=lambda r: abs(float(rows.phi[r])))
    size = f"{abs(float(rows.phi[worst])):.4g} {names.rows[worst].unit} ({names.rows[worst].label})"
    mend = (
        f"is open by {size}; {name.key}.snap = true closes it by a jump, or let it begin where it is closed"
    )
    if mode[worst] != ON:
        mend = f"is beyond it by {size}; let it begin within its limits"
    return PhysicsError(f'{name.what} "{name.name}" begins to act, and {mend}', time=problem.time)


def motions_at_once(problem: Tables, modes: Array) -> str:
    """A sentence on two motions of one coordinate that act by these modes (rows and activities); "" if there
    are none.
    """
    activity, names = problem[Activity], problem.names
    acts = lambda k: activity.index[k].targets > 0 and modes[first_row(activity, k)] == ON
    for k, one in enumerate(activity.index):
        other = int(one.rival)
        while other >= 0:
            if acts(k) and acts(other):
                row = first_row(activity, k)
                coordinate = next(c.name for c in names.coordinates if row in c.motion_rows)
                return (
                    f'motions "{names.activities[k].name}" and "{names.activities[other].name}" both drive '
                    f'"{coordinate}"; only one at a time can: let their `active` exclude each other, or give '
                    "one an `effort_limit`"
                )
            other = int(activity.index[other].rival)
    return ""


def first_row(activity: Activity, k: int) -> int:
    """The row of activity k, a motion."""
    return int(activity.target[activity.index[k].first_target].number)


def chatters(problem: Tables) -> PhysicsError:
    """The error that a condition changes to and fro within a step."""
    name = problem.names.activities[int(problem[Activity].failed[0])]
    text = (
        f'{name.what} "{name.name}" begins and ceases to act again and again within a step: what it '
        f'does makes {name.key}.active = "{name.active}" false, and without it that is true; read another '
        "quantity, or let it cease for good by `release`"
    )
    return PhysicsError(text, time=problem.time)


def jump(problem: Tables) -> PhysicsError:
    """The error of a motion, or a gap, that jumps from one position to another."""
    rows, names, bounded = problem[Rows], problem.names, problem[Bounded].index
    mode = problem[State].mode[: len(rows.phi)]
    residual = np.abs(np.where((mode == ON) & (rows.level == POSITION_LEVEL), rows.phi, 0.0))
    gaps = bounded.row[bounded.gap == 1]
    gaps = gaps[mode[gaps] != OFF]
    residual[gaps] = np.maximum(residual[gaps], -rows.phi[gaps])
    row = int(np.argmax(residual))
    name, unit = names.rows[row].owner, names.rows[row].unit
    for coordinate in names.coordinates:
        if row in coordinate.motion_rows:
            name, unit = coordinate.name, coordinate.unit
    mend = "use haversine_step(time, x0, h0, x1, h1), or give its velocity"
    jump_size = f"{abs(rows.phi[row]):.4g} {unit}"
    what = "gap" if row in gaps else "motion"
    text = f'the {what} of "{name}" jumps by {jump_size}, which needs an infinite speed; {mend}'
    return PhysicsError(text, time=problem.time)


def no_bound(problem: Tables) -> PhysicsError:
    """The error of an expression that gives no bound of a force, or no restitution."""
    functions, command = problem[Functions], problem[Bounded].command[int(problem[Status].batch[0])]
    place = int(np.flatnonzero(functions.index.target == command.function)[0])
    key, text = problem.names.functions[place]
    what = problem.names.bounded[int(command.commanded)][2]
    asked = "must be from 0 to 1" if command.what == REBOUNDS else "must not be negative: write max(0, ...)"
    value = f"{functions.u[command.function, 0]:.6g}"
    return PhysicsError(f'{key} = "{text}", of the {what}, becomes {value} and {asked}', time=problem.time)


#: status of a compiled function -> the function that makes its error
ERRORS: dict[int, Callable[[Any], MbpluginError]] = {
    status_codes.RAISED: raised,
    status_codes.TANGENT_RAISED: tangent_raised,
    status_codes.LOOP_OPEN: open_loop,
    status_codes.NO_PIVOT: no_pivot,
    status_codes.NOT_FINITE: lambda problem: (
        not_finite(problem) or PhysicsError("the motion diverges", time=problem.time)
    ),
    status_codes.WEDGED: wedged,
    status_codes.APART: apart,
    status_codes.DRIVEN_TWICE: lambda problem: PhysicsError(
        motions_at_once(problem, problem[Rows].next_mode), time=problem.time
    ),
    status_codes.CHATTERS: chatters,
    status_codes.POSITION_JUMPS: jump,
    status_codes.NO_BOUND: no_bound,
    status_codes.NO_MASS: no_mass,
    status_codes.NO_POSE: no_pose,
    status_codes.NO_POINT_AT: no_point_at,
}


def check(problem: Tables, status: int) -> None:
    """Raise the error of a status of a compiled function. Raises PluginError, PhysicsError."""
    if status == status_codes.OK:
        return
    if status not in ERRORS:
        raise PluginError(
            f"t = {problem.time:.9g} s: a compiled function returned the unknown status {status}"
        )
    raise ERRORS[status](problem)
