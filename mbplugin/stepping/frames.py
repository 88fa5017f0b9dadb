"""Steps and their frames in one call: the numbers of each frame are copied into a row."""

from __future__ import annotations

from math import inf

from numba import float64, int64

from mbplugin.kernels.entries import marker_rates
from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.row_wrenches import sum_row_wrenches
from mbplugin.kernels.rows import row_times
from mbplugin.kernels.view import view, words_at
from mbplugin.math.jit import compiled_entry, inlined, internal
from mbplugin.math.vectors import copy_range
from mbplugin.stepping.energy import energies
from mbplugin.stepping.frame import show_by_address
from mbplugin.stepping.loop import FAILED, FRAME, advance_by_address
from mbplugin.stepping.samples import has_samples, is_now
from mbplugin.tables.groups import Blocks, FrameValues, Inputs, Nodal, Rows, State, Step
from mbplugin.tables.purposes import NODES
from mbplugin.tables.records import ON, POSITION_LEVEL, VELOCITY_LEVEL

#: return value of `advance_frames` beside those of `advance`: a frame failed, with its status in
#: `Step.record.status`
NOT_SHOWN = 6


@compiled_entry(float64, int64, float64[::1], float64, int64[:, ::1], int64[:, ::1])
def advance_frames(tables, until, work, times, size, places, rows):
    """Step as `advance` does, and store the frames at `times` [s] that the steps pass, at most one in each
    of `rows`. Returns its code, and the frames stored.

    FRAME: all rows are full. size, places, rows: as in `store_frame`
    """
    step = view(tables, Step).record[0]
    end = step.evaluations + work
    done = 0
    while True:
        frame = times[done] if done < times.shape[0] else inf
        # frames within the last step that had no free row before are stored before the next step is taken
        code = FRAME
        if step.steps == 0 or frame > step.t1 or (frame == step.t1 and is_due(tables)):
            code = advance_by_address(tables, until, frame, end - step.evaluations)
        if code >= FAILED:
            return code, done
        while done < times.shape[0] and (
            times[done] < step.t1 or (times[done] == step.t1 and not is_due(tables))
        ):
            if done == rows.shape[0]:
                return FRAME, done
            status = show_by_address(tables, times[done]) or store_frame(tables, size, places, rows[done])
            if status != 0:
                step.status = status
                return NOT_SHOWN, done
            done += 1
        if code != FRAME or done == rows.shape[0]:
            return code, done


@inlined
def is_due(tables):
    """Whether inputs change at the end of the last step: a frame at that time comes after the change."""
    return has_samples(tables) and is_now(view(tables, Inputs).next_time[0], view(tables, Step).record[0].t1)


@compiled_entry(float64, int64[:, ::1], int64[::1])
def read_frame(tables, size, places, row):
    """The numbers of the frame in the tables: `store_frame`."""
    return store_frame(tables, size, places, row)


@internal
def store_frame(tables, size, places, row):
    """Fill in what only frames need, and copy arrays into `row`, word by word. Returns a status.

    size: of the mechanism [m]. places: (n, 2) place of each array in the vector of addresses, its columns
    """
    status = complete(tables, size)
    at = 0
    for k in range(places.shape[0]):
        words = tables[places[k, 0] + 1] * places[k, 1]
        source = words_at(tables[places[k, 0]], words)
        copy_range(source, 0, row, at, words)
        at += words
    return status


@internal
def complete(tables, size):
    """Fill in `FrameValues` and `RowWrenches` from the evaluation in the tables. Returns a status."""
    values = view(tables, FrameValues)
    status, kinetic, potential = energies(tables)
    values.numbers[0], values.numbers[1] = kinetic, potential
    values.numbers[2], values.numbers[3] = drift(tables, size)
    sum_row_wrenches(tables)
    rates = marker_rates(tables)
    if status == 0 and view(tables, Nodal).index.shape[0] > 0:
        status = run_batches(tables, NODES)
    return status if status != 0 else rates


@internal
def drift(tables, size):
    """Largest residual of a position row and of a velocity row: metres over `size` [m], or radians."""
    blocks, rows = view(tables, Blocks), view(tables, Rows)
    mode, v = view(tables, State).mode, view(tables, State).v
    position = velocity = 0.0
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for i in range(block.rows):
            r = block.first_row + i
            if mode[r] != ON:
                continue
            unit = 1.0 if rows.radians[r] == 1 else size
            if rows.level[r] == POSITION_LEVEL:
                position = larger(position, abs(rows.phi[r]) / unit)
            if rows.level[r] <= VELOCITY_LEVEL:
                velocity = larger(velocity, abs(row_times(tables, k, i, v) + rows.phi_t[r]) / unit)
    return position, velocity


@internal
def larger(a, b):
    """The larger one; NaN if one of them is."""
    return b if b > a or b != b else a
