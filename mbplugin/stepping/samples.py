"""Samples of inputs, from schedules and from a compiled control law, and those of elements, such as sampled
controllers: a step ends at each sample, and the next one begins with its values.
"""

from __future__ import annotations

from math import inf

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.joint_space import read_joint_space
from mbplugin.kernels.projection import refactor
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import copy
from mbplugin.stepping.rates import follow_implicit_variables
from mbplugin.stepping.snapshot import restore_end
from mbplugin.stepping.switches import begin_after_jump, jump_inputs
from mbplugin.tables.groups import Batches, Controls, Inputs, Samplers, State, Status, Step
from mbplugin.tables.records import NOT_READY
from mbplugin.tables.status import CONTROL_NOT_FINITE

#: a sample that is nearer than this, relative to its time, is at the present time
ROUNDING_OF_TIME = 1e-12


@inlined
def is_now(t, now):
    """Whether the time t of a sample is not after the present one, but for rounding."""
    return t <= now + ROUNDING_OF_TIME * abs(now)


@inlined
def next_stop(tables, until):
    """The time at which the next step ends at the latest: `until`, or that of a sample before it."""
    t = view(tables, Inputs).next_time[0]
    return until if is_now(until, t) else t


@inlined
def has_samples(tables):
    """Whether inputs, or what elements keep, may change between two steps by themselves."""
    return (
        view(tables, Inputs).time.shape[0] > 0
        or view(tables, Controls).address.shape[0] > 0
        or view(tables, Samplers).index.shape[0] > 0
    )


@by_address(when="inputs")
def take_samples(tables):
    """Take the samples of all schedules up to the end of the last step, and call the control law if its
    sample is due; then those of elements. Find the time of the next ones.

    If an input differs from its value in the memory then, it jumps: `jump_inputs`, which sets
    `Step.record.ready`. Returns a status.
    """
    inputs, step, controls = view(tables, Inputs), view(tables, Step), view(tables, Controls)
    record = step.record[0]
    n = inputs.time.shape[0]
    for i in range(inputs.value.shape[0]):
        if inputs.scheduled[i] == 0:
            inputs.value[i] = step.memory1[i]
    k = inputs.next[0]
    while k < n and is_now(inputs.time[k], record.t1):
        inputs.value[inputs.input[k]] = inputs.sample[k]
        k += 1
    next_time = inputs.time[k] if k < n else inf
    if controls.address.shape[0] > 0 and controls.address[0] != 0:
        if is_now(controls.next_time[0], record.t1):
            status = call_law(tables)
            if status != 0:
                return status
        next_time = min(next_time, controls.next_time[0])
    jumps = False
    for i in range(inputs.value.shape[0]):
        jumps = jumps or inputs.value[i] != step.memory1[i]
    if jumps:
        status = jump_inputs(tables)
        if status != 0:
            return status
    inputs.next[0] = k
    status, of_elements = sample_elements(tables)
    if status != 0:
        return status
    inputs.next_time[0] = min(next_time, of_elements)
    return 0


@inlined
def time_of_sample(samplers, i, k):
    """The time of sample number k of an element [s]."""
    return k * samplers.interval[i] / samplers.rate[i]


@internal
def sample_elements(tables):
    """Let elements whose samples are due take them at the end of the last step: their forces jump there.
    Returns a status, and the time of the next sample, infinite without any.
    """
    samplers, step, memory = view(tables, Samplers), view(tables, Step), view(tables, State).memory
    t, due, next_time = step.record[0].t1, False, inf
    for i in range(samplers.index.shape[0]):
        due = due or is_now(time_of_sample(samplers, i, step.memory1[samplers.index[i].taken]), t)
    if due:
        step.record[0].ready = NOT_READY
        restore_end(tables)
        status = refactor(tables)
        if status == 0:
            status = follow_implicit_variables(tables)
        if status != 0:
            return status, inf
        for i in range(samplers.index.shape[0]):
            one = samplers.index[i]
            if not is_now(time_of_sample(samplers, i, memory[one.taken]), t):
                continue
            view(tables, Status).batch[0] = one.batch
            address = view(tables, Batches).index[one.batch].address
            status = call_batch(address, one.element, 1, tables)
            if status != 0:
                return status, inf
            memory[one.taken] += 1.0
        status = refactor(tables)
        if status == 0:
            status = begin_after_jump(tables, t)
        if status != 0:
            return status, inf
    for i in range(samplers.index.shape[0]):
        next_time = min(next_time, time_of_sample(samplers, i, step.memory1[samplers.index[i].taken]))
    return 0, next_time


@internal
def call_law(tables):
    """Let the control law set `Inputs.value`, of inputs without a schedule. Returns a status."""
    inputs, controls = view(tables, Inputs), view(tables, Controls)
    copy(inputs.value, controls.before)
    status = read_joint_space(tables, controls.parts[0])
    if status == 0:
        status = call_batch(controls.address[0], 0, 0, tables)  # type: ignore[call-arg]
    if status != 0:
        return status
    for i in range(inputs.value.shape[0]):
        if inputs.scheduled[i] == 1:
            inputs.value[i] = controls.before[i]
        elif inputs.value[i] - inputs.value[i] != 0.0:
            inputs.value[i] = controls.before[i]
            return CONTROL_NOT_FINITE
    controls.sample[0] += 1
    t = controls.sample[0] * controls.every[0] / controls.rate[0]
    controls.next_time[0] = t if t < controls.stop[0] else inf
    return 0
