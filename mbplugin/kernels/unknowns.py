"""What expressions read and only the solve tells: accelerations, reactions, and variables that depend on
themselves.

Together they are z = F(z): with z, expressions give forces h and prescribed accelerations γ, the factor at
hand gives v̇ and λ, and those give F. Newton's method:

    (1 − ∂F/∂z) Δz = F(z) − z

with the matrix from differences, one solve for each unknown, kept as long as the residual falls to a tenth.
It begins with z of the last accepted step, so that nothing depends on how often somebody looked.
"""

from __future__ import annotations

from mbplugin.kernels.core import accelerations_of_forces, terms
from mbplugin.kernels.evaluate import MASS_AND_G, PLUGIN, POSES
from mbplugin.kernels.schur import APART
from mbplugin.kernels.view import TABLES, table_at, view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import (
    FORCE_SIZE,
    K_BODIES,
    K_BODY,
    K_GM,
    K_ROW,
    K_SLOTS,
    MULTIPLIER,
    SECOND_RATE,
    VARIABLE,
    Z_AXES,
    Z_BLOCK,
    Z_COMPONENT,
    Z_PLACE,
    Z_ROW,
    Z_ROWS,
    Z_SLOT,
    Z_WHAT,
    Blocks,
    Bodies,
    Functions,
    Points,
    Rates,
    Rows,
    State,
    Unknowns,
)

#: what is rounding: of an unknown beside its own terms, and beside the largest load or acceleration of the
#: mechanism; the least size of a variable
ROUNDING, BESIDE, LEAST = 1e-13, 1e-15, 1e-3
#: residual over its tolerance at which a loop that no step improves counts as closed; where rows repeat each
#: other, how they share is rounding over δ
STALLED, STALLED_REPEATED = 1e4, 1e8
#: size of differences, relative; Newton steps and halvings of one
DIFFERENCE, STEPS, HALVINGS = 1e-4, 40, 8
#: what `close_loops` returns in the place of passes where it finds no z
OPEN = -2
#: with `without`: make sure that there is only one z nearby
DETERMINED = 8


@internal
def second_rate(tables, k, r):
    """G v̇ − γ of row r of block k, and the sum of the sizes of its terms."""
    blocks = view(tables, Blocks)
    v_dot = view(tables, Rates).v_dot
    block = blocks.row[k]
    found = -view(tables, Rows).gamma[r]
    size = abs(found)
    for j in range(block[K_BODY], block[K_BODY] + block[K_BODIES]):
        g0, v0, nv = blocks.body[j, 1], blocks.body[j, 2], blocks.body[j, 3]
        for c in range(nv):
            term = blocks.G[g0 + (r - block[K_ROW]) * nv + c] * v_dot[v0 + c]
            found += term
            size += abs(term)
    return found, size


@internal
def wrench(tables, k, first, count, slot, c):
    """World component c of the reaction on the marker of a slot of block k by some of its rows."""
    blocks = view(tables, Blocks)
    rows = view(tables, Rows)
    block = blocks.row[k]
    slots = block[K_SLOTS]
    total = 0.0
    for r in range(first, first + count):
        total += (rows.lam[r] + rows.load[r]) * blocks.gm[
            block[K_GM] + ((r - block[K_ROW]) * slots + slot) * 6 + c
        ]
    return total


@internal
def reaction(tables, row):
    """A component of a joint's reaction in the axes of a marker, or the size of its force or torque."""
    R = view(tables, Points).R
    component = row[Z_COMPONENT]
    torque = component == FORCE_SIZE + 1 or (3 <= component < FORCE_SIZE)
    w0 = 3 if torque else 0
    x = wrench(tables, row[Z_BLOCK], row[Z_ROW], row[Z_ROWS], row[Z_SLOT], w0)
    y = wrench(tables, row[Z_BLOCK], row[Z_ROW], row[Z_ROWS], row[Z_SLOT], w0 + 1)
    z = wrench(tables, row[Z_BLOCK], row[Z_ROW], row[Z_ROWS], row[Z_SLOT], w0 + 2)
    if component >= FORCE_SIZE:
        return (x * x + y * y + z * z) ** 0.5
    place = 9 * row[Z_AXES] + component % 3
    return R[place] * x + R[place + 3] * y + R[place + 6] * z


@internal
def residuals(tables):
    """F, its tolerances and F − z; the largest residual over its tolerance, not finite where one is not. Its
    number is noted in `outcome`.
    """
    unknowns = view(tables, Unknowns)
    rows = view(tables, Rows)
    bodies = view(tables, Bodies)
    u = view(tables, Functions).u
    load, acceleration = 0.0, 0.0
    for k in range(bodies.h.shape[0]):
        load = max(load, abs(bodies.h[k]))
        acceleration = max(acceleration, abs(bodies.h[k]) * bodies.inverse[k])
    largest = 0.0
    for r in range(rows.lam.shape[0]):
        largest = max(largest, abs(rows.lam[r]) + abs(rows.load[r]))
    worst = 0.0
    for i in range(unknowns.row.shape[0]):
        row = unknowns.row[i]
        if row[Z_WHAT] == VARIABLE:
            found = u[row[Z_PLACE], 0]
            tolerance = ROUNDING * max(max(abs(found), abs(unknowns.value[i])), LEAST)
        elif row[Z_WHAT] == SECOND_RATE:
            found, size = second_rate(tables, row[Z_BLOCK], row[Z_PLACE])
            tolerance = ROUNDING * size + BESIDE * acceleration
        else:
            if row[Z_WHAT] == MULTIPLIER:
                found = rows.lam[row[Z_PLACE]] + rows.load[row[Z_PLACE]]
            else:
                found = reaction(tables, row)
            tolerance = ROUNDING * max(abs(found), largest) + BESIDE * load
        # what was large on the way leaves its rounding
        unknowns.found[i], unknowns.tolerance[i] = found, max(unknowns.tolerance[i], tolerance + 1e-300)
        unknowns.residual[i] = found - unknowns.value[i]
        relative = abs(unknowns.residual[i]) / unknowns.tolerance[i]
        if not relative <= worst:
            worst = relative
            unknowns.outcome[0], unknowns.outcome[1] = relative, i
    return worst


@internal
def evaluate(tables, without):
    """h, γ, v̇, λ and F at the present z. Returns a status, passes and the largest residual."""
    status = terms(tables, MASS_AND_G | POSES | without)
    if status != 0:
        return status, 0, 0.0
    passes = accelerations_of_forces(tables)
    return 0, passes, residuals(tables)


@internal
def differences(tables, without):
    """1 − ∂F/∂z at the present z, whose residuals are at hand; z is put back. Returns a status and passes."""
    unknowns = view(tables, Unknowns)
    m = unknowns.row.shape[0]
    for i in range(m):
        unknowns.start[i], unknowns.change[i] = unknowns.value[i], unknowns.residual[i]
    for j in range(m):
        size = max(
            max(abs(unknowns.value[j]), abs(unknowns.start[j] + unknowns.change[j])),
            unknowns.tolerance[j] / ROUNDING,
        )
        h = DIFFERENCE * size if size > 1e-290 else DIFFERENCE
        unknowns.value[j] += h
        status, passes, _ = evaluate(tables, without)
        if status != 0 or passes < 0:
            return status, passes
        h = unknowns.value[j] - unknowns.start[j]
        for i in range(m):
            unknowns.matrix[i * m + j] = -(unknowns.residual[i] - unknowns.change[i]) / h
        unknowns.value[j] = unknowns.start[j]
    for i in range(m):
        unknowns.residual[i] = unknowns.change[i]
    return 0, 0


@internal
def newton_change(tables):
    """The solution of matrix · change = residual, by elimination with row pivots. False where the matrix is
    singular.
    """
    unknowns = view(tables, Unknowns)
    m = unknowns.row.shape[0]
    a, b = unknowns.matrix, unknowns.change
    for k in range(m * m):
        a[m * m + k] = a[k]
    for i in range(m):
        b[i] = unknowns.residual[i]
    for k in range(m):
        best = k
        for i in range(k + 1, m):
            if abs(a[m * m + i * m + k]) > abs(a[m * m + best * m + k]):
                best = i
        pivot = a[m * m + best * m + k]
        size = 0.0
        for j in range(m):
            size = max(size, abs(a[best * m + j]))
        if not abs(pivot) > 1e-11 * max(size, 1.0):
            return False
        for j in range(m):
            a[m * m + k * m + j], a[m * m + best * m + j] = a[m * m + best * m + j], a[m * m + k * m + j]
        b[k], b[best] = b[best], b[k]
        for i in range(k + 1, m):
            f = a[m * m + i * m + k] / pivot
            for j in range(k, m):
                a[m * m + i * m + j] -= f * a[m * m + k * m + j]
            b[i] -= f * b[k]
    for k in range(m - 1, -1, -1):
        for j in range(k + 1, m):
            b[k] -= a[m * m + k * m + j] * b[j]
        b[k] /= a[m * m + k * m + k]
    return True


@internal
def step_along(tables, without, fraction):
    """z a part of the change behind `start`. Returns a status, passes and the largest residual."""
    unknowns = view(tables, Unknowns)
    for i in range(unknowns.row.shape[0]):
        unknowns.value[i] = unknowns.start[i] + fraction * unknowns.change[i]
    return evaluate(tables, without)


@internal
def closed(tables, worst):
    """Whether a residual that no step improves is rounding."""
    return worst <= (STALLED if view(tables, Rows).delta[0] == APART else STALLED_REPEATED)


@internal
def close_loops(tables, without):
    """z = F(z), and v̇ and λ with it. Returns passes; OPEN where there is no z, or the status of `terms`
    (from 2³² on).
    """
    unknowns = view(tables, Unknowns)
    m = unknowns.row.shape[0]
    memory = view(tables, State).memory
    for i in range(m):
        unknowns.value[i], unknowns.tolerance[i] = memory[unknowns.memory[0] + i], 0.0
    status, passes, worst = evaluate(tables, without)
    fresh, known = False, False
    for _ in range(STEPS):
        if status != 0:
            return status
        if passes < 0 or worst <= 1.0:
            return passes
        if not worst < 1e300:
            # no number, and the loop of steps is to see that
            view(tables, Rates).v_dot[0] = unknowns.residual[int(unknowns.outcome[1])]
            return passes
        if not known:
            status, passes = differences(tables, without)
            fresh, known = True, True
            if status != 0 or passes < 0:
                continue
        if not newton_change(tables):
            unknowns.outcome[0] = 1e300
            return OPEN
        for i in range(m):
            unknowns.start[i] = unknowns.value[i]
        before, fraction = worst, 1.0
        for _ in range(HALVINGS if fresh else 1):
            status, passes, worst = step_along(tables, without, fraction)
            if status != 0 or passes < 0 or worst <= max(1.0, (1.0 - 0.1 * fraction) * before):
                break
            fraction *= 0.5
        if status == 0 and passes >= 0 and not worst < before and worst > 1.0:
            status, passes, worst = step_along(tables, without, 0.0)
            if fresh:
                return passes if status == 0 and closed(tables, worst) else OPEN
            known = False
            continue
        known, fresh = worst <= 0.1 * before, False
    return passes if closed(tables, worst) else OPEN


@internal
def keep_unknowns(tables):
    """After an accepted step: the next search begins with what this one found."""
    unknowns = view(tables, Unknowns)
    memory = view(tables, State).memory
    for i in range(unknowns.row.shape[0]):
        memory[unknowns.memory[0] + i] = unknowns.value[i]


@internal
def determined(tables, without):
    """`close_loops`, and OPEN where other values of the unknowns would do as well."""
    passes = close_loops(tables, without)
    if passes < 0 or passes >= PLUGIN:
        return passes
    status, failed = differences(tables, without)
    if status != 0 or failed < 0:
        return status if status != 0 else failed
    if not newton_change(tables):
        view(tables, Unknowns).outcome[0] = 1e300
        return OPEN
    return close_loops(tables, without)


def close_loops_at_address(without, spare, address):
    tables = table_at(address, 2 * TABLES)
    return determined(tables, without - DETERMINED) if without & DETERMINED else close_loops(tables, without)
