"""Inputs: places in the memory of the state, schedules, and what may read them."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model.expression import Expression
from mbplugin.tables.groups import Inputs

if TYPE_CHECKING:
    from mbplugin.compile.builder import Builder
    from mbplugin.compile.draft import Draft


def add_inputs(build: Builder) -> None:
    """Add the inputs: the memory begins with them."""
    draft = build.draft
    assert draft.memory == 0
    for place, one in enumerate(build.system.inputs):
        draft.numbers[one.name] = place
        draft.inputs.append(one)
    draft.memory = len(draft.inputs)


def refuse_unread(build: Builder) -> None:
    """Raises SceneError for an input that no expression of the compiled system reads. Where keys of a file
    were changed, such as the torque of a motor, that gives a warning, and setting the input is refused.
    """
    for k, one in enumerate(build.system.inputs):
        if one.name in build.inputs_read:
            continue
        if build.system.varied and one.samples is None:
            build.names.unread.append(one.name)
            continue
        mend = (
            "no expression of a force, a motion or a state reads this input, so it would do nothing; "
            "use its name in one, or leave it out"
        )
        raise SceneError(f"input[{k}].name", one.name, mend)


def refuse_in_position(expression: Expression, key: str) -> None:
    """Raises SceneError for an expression that prescribes a position and reads what makes it, or its rate,
    jump: an input, or a curve with kinks.
    """
    if expression.kinked:
        mend = (
            "a [[spline]] of straight lines makes the speed jump at its points, and a position must not; "
            'give it interpolation = "monotone", or prescribe a velocity or an acceleration'
        )
        raise SceneError(key, expression.text, mend)
    for name in expression.inputs:
        mend = (
            f'the input "{name}" jumps, and a position must not; apply a force, give a velocity or an '
            f'acceleration, or follow a [[state]] with rate = "({name} - x)/0.01"'
        )
        raise SceneError(key, expression.text, mend)


def input_tables(draft: Draft) -> Inputs:
    """The table of inputs, with the samples of all schedules in the order of their times."""
    scheduled = [(k, one.samples) for k, one in enumerate(draft.inputs) if one.samples is not None]
    n = len(draft.inputs)
    flags = np.zeros(n, np.int64)
    flags[[k for k, _ in scheduled]] = 1
    none = np.zeros(0)
    time = np.concatenate([none, *(samples.time for _, samples in scheduled)])
    order = np.argsort(time, kind="stable")
    return Inputs(
        np.array([one.at_start for one in draft.inputs], float),
        flags,
        np.array([int(not (draft.inputs_jump or draft.implicit_rows))], np.int64),
        time[order],
        np.concatenate([none.astype(np.int64), *(np.full(len(s.time), k) for k, s in scheduled)])[order],
        np.concatenate([none, *(samples.value for _, samples in scheduled)])[order],
        np.zeros(1, np.int64),
        np.full(1, -inf),
    )
