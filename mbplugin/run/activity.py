"""Elements that act at the start of a run or an analysis, later changes by users, and messages on joints,
motions, forces and contacts that begin or cease to act.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.analysis.phrases import plural
from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.problem import ActivityInfo, Names, Problem
from mbplugin.problem.failures import motions_at_once
from mbplugin.run.enforce import fit_rows_to
from mbplugin.stepping import CompiledSolver, FixedStepSolver
from mbplugin.stepping.entries import evaluate_rates
from mbplugin.tables.groups import Activity, Bounded, Functions, State
from mbplugin.tables.records import OFF, ON, RELEASED
from mbplugin.tables.spec import Array


def refuse_conditions(system: System, names: list[ActivityInfo], kind: type[Any]) -> None:
    """Raises SceneError for the first condition, if the solver has a loop of its own."""
    if issubclass(kind, CompiledSolver | FixedStepSolver):
        return
    refuse_following(system, names, f'solver "{kind.name}" has a loop of its own, which')


def refuse_following(system: System, names: list[ActivityInfo], who: str) -> None:
    """Raises SceneError for the first condition: `who` does not follow it."""
    for one in names:
        for word, text in (("active", one.active), ("release", one.release)):
            if isinstance(text, str):
                mend = f"{who} follows no conditions; leave it out, or write `active = false`"
                raise system.locate(SceneError(f"{one.key}.{word}", text, mend))


def begin_by_scene(problem: Problem, system: System) -> None:
    """Before the assembly: let act what the conditions ask for in the position of the scene as written.

    Raises SceneError if two motions of one coordinate would act.
    """
    given = [one.active is False for one in problem.names.activities]
    if not any(one.conditional for one in problem.names.activities):
        let_act(problem, system, np.where(given, OFF, ON))
        return
    problem.check(entries.evaluate(problem.addresses))
    wanted = asked_for(problem)
    unknown = {int(c.function) for c in problem[Activity].condition if c.by_reaction}
    for k, record in enumerate(problem[Activity].index):
        # reactions are not known yet, and nothing is released before the motion begins
        if wanted[k] == RELEASED or int(record.active) in unknown:
            wanted[k] = ON
    let_act(problem, system, np.where(given, OFF, wanted))


def begin_by_motion(problem: Problem, system: System) -> list[str]:
    """After the assembly, at evaluated rates: let act what the conditions ask for. Returns messages. Raises
    SceneError for a joint that would begin to act and is open.
    """
    names, first = problem.names.activities, problem.nc
    if not any(one.conditional for one in names):
        return []
    problem.check(evaluate_rates(problem.addresses))
    before, wanted = problem[State].mode[first:].copy(), asked_for(problem)
    for k in np.flatnonzero(wanted != before):
        if wanted[k] == ON:
            mend = "becomes true only where the initial state is assembled; give that state in the scene"
            raise system.locate(SceneError(f"{names[k].key}.active", names[k].active, mend))
    let_act(problem, system, wanted)
    problem.check(evaluate_rates(problem.addresses))
    return [
        f'{one.label} is released at t = 0: release = "{one.release}" is true there'
        for one, mode in zip(names, wanted)
        if mode == RELEASED
    ]


def asked_for(problem: Problem) -> Array:
    """Modes of the activities under the conditions in the tables."""
    u, index = problem[Functions].u, problem[Activity].index
    modes = problem[State].mode[problem.nc :].copy()
    for k, one in enumerate(index):
        if one.active >= 0:
            modes[k] = ON if u[one.active, 0] > 0.0 else OFF
        if one.release >= 0 and u[one.release, 0] > 0.0:
            modes[k] = RELEASED
    return np.asarray(modes)


def let_act(problem: Problem, system: System, modes: Array) -> None:
    """Let the activities have these modes, and the rows those that follow, where no step is under way. Raises
    SceneError if two motions of one coordinate would act.
    """
    before, fitted = problem[State].mode.copy(), fit_rows_to(problem, modes)
    if text := motions_at_once(problem, fitted):
        number = next(k for k, one in enumerate(problem[Activity].index) if one.rival >= 0)
        one = problem.names.activities[number]
        raise system.locate(SceneError(f"{one.key}.active", one.active, text))
    if np.array_equal(before[problem.nc :], modes):
        return
    # rows with bounds wait for the beginning of the run
    waiting = [row for row in problem[Bounded].index.row if before[row] == OFF]
    fitted[waiting] = OFF
    problem[State].mode[:] = fitted


def activity_named(names: list[ActivityInfo], name: str, caller: str, others: Sequence[str] = ()) -> int:
    """The number of the activity with this name, "pin", or "joint pin" where several have it. others: further
    names that would do. Raises SceneError.
    """
    labels = [one.label for one in names]
    if name in labels:
        return labels.index(name)
    same = [one.label for one in names if one.name == name]
    mend = f"there are {listed(same)}; name one"
    if not same:
        known = [*others, *labels]
        near = did_you_mean(name, known) or (f"; there are {listed(known, 12)}" if known else "")
        mend = f"there is no such joint, motion, force or body with contacts{near}"
    raise SceneError(f"{caller}: name", name, mend)


def refuse_switching(names: Names, k: int, mode: int, caller: str) -> None:
    """Raises SceneError where activity k may not get this mode."""
    one = names.activities[k]
    if isinstance(one.active, str):
        mend = f'acts under the condition active = "{one.active}"; leave that out'
        raise SceneError(f"{caller}: name", one.label, mend)
    rotors = [rotor.rpartition(".")[0] for rotor in names.rotors.values()]
    if mode == ON and one.what == "joint" and one.name in rotors:
        mend = "a joint with an `armature` cannot begin to act: its rotor has turned on"
        raise SceneError(f"{caller}: name", one.label, mend)


def refuse_carriers(problem: Problem, rows: Array) -> None:
    """Raises SceneError if one of these, counted as in `State.mode`, is a joint that carries a body."""
    names = problem.names
    carrying = {names.joints[k].name for k in problem.folded.choice.carried} if problem.folded else set()
    for k in np.asarray(rows) - problem.nc:
        one = names.activities[k] if k >= 0 else None
        if one is not None and one.what == "joint" and one.name in carrying:
            mend = (
                'it carries a body in joint coordinates, and cannot cease to act; use coordinates = "maximal"'
            )
            raise SceneError("joint", one.name, mend)


Message = tuple[float, str, str]
#: changes that are told one by one
FIRST = 10


class ActivityMessages:
    """Follows the changes of a run. dof: degrees of freedom at the start."""

    def __init__(self, problem: Problem, dof: int) -> None:
        self.names, self.rows, self.dof, self.count = problem.names.activities, problem.nc, dof, 0

    def follow(self, changes: Array) -> list[Message]:
        """(time, level, text) that is to be told after these records of changes."""
        told: list[Message] = []
        one: Any
        for k, one in enumerate(changes):
            if k > 0 and one.time > changes[k - 1].time:
                self.dof = int(changes[k - 1].dof)
            if one.row >= self.rows:
                self.count += 1
                if self.count <= FIRST:
                    told.append((float(one.time), "info", self.text(one)))
                if self.count == FIRST + 1:
                    told.append((float(one.time), "info", "further changes of this kind are in `events`"))
        if len(changes):
            self.dof = int(changes[-1].dof)
        return told

    def text(self, one: Any) -> str:
        """Who begins or ceases to act, and what it leaves."""
        name: ActivityInfo = self.names[int(one.row) - self.rows]
        does = {ON: "begins to act", RELEASED: "is released"}.get(int(one.after), "ceases to act")
        freedom = f"{plural(int(one.dof), 'degree')} of freedom"
        if int(one.dof) != self.dof:
            freedom += f" instead of {self.dof}"
        if one.redundant > 0:
            freedom += f", {plural(int(one.redundant), 'redundant row')}"
        return f"t = {one.time:.9g} s: {name.label} {does}: {freedom}"
