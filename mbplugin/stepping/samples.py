"""Schedules of inputs: a step ends at each sample, and the next one begins with its values."""

from __future__ import annotations

from math import inf

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.view import view
from mbplugin.stepping.switches import jump_inputs
from mbplugin.tables.groups import Inputs, Step
from mbplugin.tables.records import NOT_READY


@by_address(when="inputs")
def take_samples(tables):
    """Take the samples of all schedules up to the end of the last step, and find the time of the next one.

    If an input differs from its value in the memory then, the tables are set to a state after the jump, and
    `Step.record.ready` to NOT_READY. Returns a status.
    """
    inputs, step = view(tables, Inputs), view(tables, Step)
    record = step.record[0]
    n = inputs.time.shape[0]
    for i in range(inputs.value.shape[0]):
        if inputs.scheduled[i] == 0:
            inputs.value[i] = step.memory1[i]
    k = inputs.next[0]
    while k < n and inputs.time[k] <= record.t1:
        inputs.value[inputs.input[k]] = inputs.sample[k]
        k += 1
    jumps = False
    for i in range(inputs.value.shape[0]):
        jumps = jumps or inputs.value[i] != step.memory1[i]
    if jumps:
        record.ready = NOT_READY
        status = jump_inputs(tables)
        if status != 0:
            return status
    inputs.next[0] = k
    inputs.next_time[0] = inputs.time[k] if k < n else inf
    return 0
