"""a M + b D + c K at the present state: the parts of `tangents.py`, laws and differences, in their order."""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tangent_compliances import enforced_tangents
from mbplugin.kernels.tangent_differences import difference_body, difference_element
from mbplugin.kernels.tangents import (
    ADD,
    FIND,
    add_masses,
    add_own,
    add_strips,
    call_over,
    needs_twists,
    put_columns,
    put_loads,
    put_wrenches,
)
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Differences, TangentBlocks, TangentPlan, TangentWork
from mbplugin.tables.purposes import GEOMETRIC, INTERNAL, JACOBIAN


@internal
def form_step_tangent(tables, a, b, c, s, by_increments):
    """a M + b D + c K into `TangentBlocks.value`, at the present state, evaluated, `Rows.lam`, and of trees
    `Rates.v_dot`, for a Newton matrix.

    An unknown δ changes positions by c T δ, with T of the last `increment_tangents`, and velocities by b δ;
    inner states of elements by s times the change of their rates (s = 0: they are held). by_increments = 0:
    T = 1, without the changes of the rates of enforced rows with positions: terms of the size of the angle
    that bodies turn in b / c, for where that is small. Returns a status. After `Problem.prepare_tangents`.
    """
    blocks = view(tables, TangentBlocks)
    weight = blocks.weight
    weight[0], weight[1], weight[2], weight[3] = a, b, c, s
    blocks.by_increments[0], blocks.hold_rates[0] = by_increments, 1 - by_increments
    return form_present(tables)


@by_address(seconds=8, when="tangents")
def form_present(tables):
    """a M + b D + c K with the weights in the tables. Returns a status."""
    blocks = view(tables, TangentBlocks)
    space = view(tables, TangentWork)
    enforced = view(tables, TangentPlan).enforced.shape[0] > 0
    differences = view(tables, Differences)
    weight = blocks.weight
    clear(blocks.value, 0, blocks.value.shape[0])
    clear(space.own, 0, space.own.shape[0])
    add_masses(tables, weight[0])
    put_loads(tables)
    put_wrenches(tables)
    status = 0
    if enforced:
        status = enforced_tangents(tables, FIND)
    twisted = needs_twists(tables)
    if status == 0:
        status = call_over(tables, JACOBIAN, False)
    if status == 0 and weight[2] != 0.0:
        status = call_over(tables, GEOMETRIC, twisted)
    for i in range(differences.body.shape[0]):
        if status == 0:
            status = difference_body(tables, i)
    if status == 0:
        status = call_over(tables, INTERNAL, False)
    if status != 0:
        return status
    put_columns(tables, twisted)
    add_own(tables)
    status = add_strips(tables, twisted)
    for i in range(differences.part.shape[0]):
        if status == 0:
            status = difference_element(tables, i, int(twisted))
    if status == 0 and enforced:
        status = enforced_tangents(tables, ADD)
    return status
