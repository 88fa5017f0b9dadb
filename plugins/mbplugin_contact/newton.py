"""Contacts and joints at once: an augmented Lagrangian around Newton's method in the velocities.

    F(v) = M (v − v_f) − Σ Gᵀ S(r − ρ (G v + b)) − G_jᵀ Λ = 0,   G_j v = g,   then r ← S(r − ρ u)

with ρ = σ 3 / trace(W) of each contact (Acary, Brémond & Huber 2018, on Alart & Curnier's map). M in
the matrix makes it regular however redundant contacts are; rows of joints border it.

    [ M + Σ GᵀD G   Ĝ_jᵀ ] [ δv ]     [ F          ]
    [ Ĝ_j           −δ   ] [ −μ ] = − [ Ĝ_j v − ĝ  ]       D = ρ ∂S/∂x

Convex first: with the cone projection in the place of S, D is symmetric and the problem convex. It is exact
where nothing slides, since what it adds to the normal velocity is μ |u_T|.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import inlined, internal
from mbplugin.matrix import (
    Matrix,
    add_constraints,
    add_mass,
    add_pool_terms,
    add_proximal,
    analyse,
    ask_for_matrix_room,
    clear_matrix,
    couple_pool,
    declare_augmented,
    factor_matrix,
    row_scale,
    solve_matrix,
)
from mbplugin.stepping import Blocks, Bodies, Pool, State, apply_mass, copy, solve_mass, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.coulomb import cone_projection, impulse_map, slope_of_map, slope_of_projection
from mbplugin_contact.operators import add_load, relative_velocity
from mbplugin_contact.sweeps import law_residual

#: penalty at first, at most, and factors by which it changes
FIRST, MOST = 10.0, 1e6
#: passes of the augmented Lagrangian; Newton steps in each
PASSES, STEPS = 60, 15
#: times that a Newton step is halved
HALVINGS = 9
#: passes in a row that do not halve the residual
PATIENCE = 6


@internal
def prepare_matrix(tables):
    """The pattern of the matrix for the present contacts, if it is not that already. Returns a status."""
    pool, mine, m = view(tables, Pool), view(tables, Contacts), view(tables, Matrix)
    n = pool.used[0]
    same = mine.pairs[0] == n
    for k in range(n):
        a, b = pool.member[2 * k].body, pool.member[2 * k + 1].body
        if mine.pair[k, 0] != a or mine.pair[k, 1] != b:
            same = False
            mine.pair[k, 0], mine.pair[k, 1] = a, b
    if same:
        return 0
    declare_augmented(tables, m, 0)
    for k in range(n):
        couple_pool(tables, m, k)
    mine.pairs[0] = n
    if analyse(m) != 0:
        mine.pairs[0] = -1
        return ask_for_matrix_room(tables)
    return 0


@inlined
def law(exact, x, y, z, mu):
    """Impulse and status at the argument x of the map."""
    if exact == 1:
        return impulse_map(x, y, z, mu)
    return cone_projection(x, y, z, mu)


@internal
def balance(tables, v, sigma, exact):
    """F at velocities v, into `Contacts.F`, and statuses. Returns its size, √(Fᵀ M⁻¹ F + |Ĝ v − ĝ|²) [√J]."""
    pool, mine, bodies = view(tables, Pool), view(tables, Contacts), view(tables, Bodies)
    r, nv = pool.impulse, v.shape[0]
    F, x = mine.F, mine.work
    for c in range(nv):
        x[c] = v[c] - mine.v_free[c]
        F[c] = 0.0
    for i in range(bodies.index.shape[0]):
        apply_mass(bodies, i, 1.0, x, F)
    for k in range(pool.used[0]):
        i, rho = 3 * k, sigma * mine.rho[k]
        u_n, u_1, u_2 = relative_velocity(pool, k, v)
        n, a, b, status = law(
            exact,
            r[i] - rho * (u_n + mine.bias[k, 0]),
            r[i + 1] - rho * (u_1 + mine.bias[k, 1]),
            r[i + 2] - rho * (u_2 + mine.bias[k, 2]),
            pool.friction[k],
        )
        mine.status[k] = status
        if status != 0:
            add_load(pool, k, -n, -a, -b, F)
    joints = add_joints(tables, v)
    total = joints
    for c in range(nv):
        x[c] = F[c]
    for i in range(bodies.index.shape[0]):
        solve_mass(bodies, i, x, bodies.index[i].first_v)
    for c in range(nv):
        total += x[c] * F[c]
    return sqrt(max(total, 0.0))


@internal
def add_joints(tables, v):
    """F ← F − Gᵀ Λ of joints, and Ĝ v − ĝ into `Contacts.open`. Returns the sum of its squares."""
    mine, blocks = view(tables, Contacts), view(tables, Blocks)
    scale = row_scale(tables)
    total = 0.0
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            mine.open[row] = 0.0
            s = scale[row]
            if s == 0.0:
                continue
            rate = 0.0
            for i in range(block.first_member, block.first_member + block.members):
                member = blocks.member[i]
                g = member.first_G + r * member.nv
                for c in range(member.nv):
                    rate += blocks.G[g + c] * v[member.first_v + c]
                    mine.F[member.first_v + c] -= blocks.G[g + c] * mine.impulse[row]
            mine.open[row] = s * (rate - mine.g[row])
            total += mine.open[row] * mine.open[row]
    return total


@internal
def form(tables, v, sigma, exact):
    """Factor the matrix at velocities v. Returns a status."""
    pool, mine, m = view(tables, Pool), view(tables, Contacts), view(tables, Matrix)
    r = pool.impulse
    m.info[0].symmetric = 1 - exact
    clear_matrix(m)
    add_mass(tables, m, 1.0)
    add_constraints(tables, m, row_scale(tables), 1.0)
    add_proximal(tables, m, -1.0)
    for k in range(pool.used[0]):
        mine.formed[k] = mine.status[k]
        if mine.status[k] == 0:
            continue
        i, rho = 3 * k, sigma * mine.rho[k]
        u_n, u_1, u_2 = relative_velocity(pool, k, v)
        n = r[i] - rho * (u_n + mine.bias[k, 0])
        a, b = r[i + 1] - rho * (u_1 + mine.bias[k, 1]), r[i + 2] - rho * (u_2 + mine.bias[k, 2])
        if exact == 1:
            slope_of_map(n, a, b, pool.friction[k], rho, mine.D, k)
        else:
            slope_of_projection(n, a, b, pool.friction[k], rho, mine.D, k)
        add_pool_terms(tables, m, k, mine.D[k], 0)
    mine.record[0].factored += 1
    return factor_matrix(m)


@internal
def newton_step(tables):
    """The step of v into `Contacts.step` and of Λ into `Contacts.turn`, by the matrix as it is factored."""
    mine, m = view(tables, Contacts), view(tables, Matrix)
    scale = row_scale(tables)
    nv = mine.F.shape[0]
    for c in range(nv):
        m.x[c] = -mine.F[c]
    for row in range(mine.open.shape[0]):
        m.x[nv + row] = -mine.open[row]
    solve_matrix(m, m.x)
    for c in range(nv):
        mine.step[c] = m.x[c]
    for row in range(mine.open.shape[0]):
        mine.turn[row] = -scale[row] * m.x[nv + row]


@inlined
def stale(mine, n):
    """Whether a contact has another status than in the matrix."""
    for k in range(n):
        if mine.formed[k] != mine.status[k]:
            return True
    return False


@internal
def solve_balance(tables, sigma, exact, formed):
    """F(v) = 0 at fixed r by Newton's method with a line search.

    formed: 1 if the matrix is that of this penalty. Returns a status, the Newton steps (−1: not converged)
    and `formed`.
    """
    mine, v = view(tables, Contacts), view(tables, State).v
    n = view(tables, Pool).used[0]
    size = balance(tables, v, sigma, exact)
    first = size
    floor = 1e-15 * mine.record[0].momentum
    for k in range(STEPS):
        if size <= floor or (k > 0 and size <= 1e-2 * first):
            return 0, k, formed
        fresh = formed == 0 or stale(mine, n)
        if fresh:
            status = form(tables, v, sigma, exact)
            if status != 0:
                return status, -1, 0
            formed = 1
        newton_step(tables)
        best = search(tables, v, sigma, exact, size)
        if not best < 0.999 * size and fresh:
            return 0, (k if size <= 1e3 * floor else -1), formed
        size = best
    return 0, -1, formed


@internal
def search(tables, v, sigma, exact, size):
    """Move along Newton's step, halved until |F| falls; F, statuses, v and Λ are there. Returns |F|."""
    mine = view(tables, Contacts)
    copy(v, mine.trial)
    copy(mine.impulse, mine.impulse_trial)
    alpha, best, at = 1.0, 1e300, 0.0
    for _ in range(HALVINGS):
        move(mine, v, alpha)
        now = balance(tables, v, sigma, exact)
        if now < best:
            best, at = now, alpha
        if now <= (1.0 - 1e-3 * alpha) * size:
            return now
        alpha *= 0.5
    move(mine, v, at)
    return balance(tables, v, sigma, exact)


@inlined
def move(mine, v, alpha):
    """v and Λ at a part of Newton's step."""
    for c in range(v.shape[0]):
        v[c] = mine.trial[c] + alpha * mine.step[c]
    for row in range(mine.impulse.shape[0]):
        mine.impulse[row] = mine.impulse_trial[row] + alpha * mine.turn[row]


@internal
def update(tables, sigma, exact):
    """r ← S(r − ρ u) at the present velocities."""
    pool, mine, v = view(tables, Pool), view(tables, Contacts), view(tables, State).v
    r = pool.impulse
    for k in range(pool.used[0]):
        i, rho = 3 * k, sigma * mine.rho[k]
        u_n, u_1, u_2 = relative_velocity(pool, k, v)
        r[i], r[i + 1], r[i + 2], mine.status[k] = law(
            exact,
            r[i] - rho * (u_n + mine.bias[k, 0]),
            r[i + 1] - rho * (u_1 + mine.bias[k, 1]),
            r[i + 2] - rho * (u_2 + mine.bias[k, 2]),
            pool.friction[k],
        )


@internal
def measure(tables):
    """Residual of the law [m/s] at v − M⁻¹ F: the velocities that the present impulses give."""
    pool, mine, v = view(tables, Pool), view(tables, Contacts), view(tables, State).v
    bodies = view(tables, Bodies)
    x, F = mine.work, mine.F
    for c in range(v.shape[0]):
        x[c] = v[c] - mine.v_free[c]
        F[c] = 0.0
    for i in range(bodies.index.shape[0]):
        apply_mass(bodies, i, 1.0, x, F)
    for k in range(pool.used[0]):
        add_load(pool, k, -pool.impulse[3 * k], -pool.impulse[3 * k + 1], -pool.impulse[3 * k + 2], F)
    add_joints(tables, v)
    for c in range(v.shape[0]):
        x[c] = F[c]
    for i in range(bodies.index.shape[0]):
        solve_mass(bodies, i, x, bodies.index[i].first_v)
    for c in range(v.shape[0]):
        x[c] = v[c] - x[c]
    return law_residual(tables, x)


@internal
def sliding(tables):
    """The largest tangential speed of a loaded contact [m/s]."""
    pool, v = view(tables, Pool), view(tables, State).v
    fastest = 0.0
    for k in range(pool.used[0]):
        if pool.impulse[3 * k] > 0.0:
            _, a, b = relative_velocity(pool, k, v)
            fastest = max(fastest, a * a + b * b)
    return sqrt(fastest)


@internal
def keep_best(tables):
    pool, mine = view(tables, Pool), view(tables, Contacts)
    copy(view(tables, State).v, mine.v_best)
    copy(mine.impulse, mine.impulse_best)
    for k in range(pool.used[0]):
        for r in range(3):
            mine.best[k, r] = pool.impulse[3 * k + r]


@internal
def return_best(tables):
    pool, mine = view(tables, Pool), view(tables, Contacts)
    copy(mine.v_best, view(tables, State).v)
    copy(mine.impulse_best, mine.impulse)
    for k in range(pool.used[0]):
        for r in range(3):
            pool.impulse[3 * k + r] = mine.best[k, r]


@internal
def augmented_lagrangian(tables, exact, goal, before, sigma, passes):
    """Passes from the present v, r and Λ, whose residual is `before`, until the residual is `goal` [m/s].

    Returns a status and the residual; v, r and Λ are those of the best pass.
    """
    mine = view(tables, Contacts)
    best, idle, formed = before, 0, 0
    keep_best(tables)
    rough = mine.record[0].rough
    for _ in range(passes):
        if best <= goal or idle >= PATIENCE or mine.record[0].factored >= mine.record[0].passes:
            break
        status, steps, formed = solve_balance(tables, sigma, exact, formed)
        if status != 0:
            return_best(tables)
            return status, best
        update(tables, sigma, exact)
        now = measure(tables)
        idle = 0 if now < 0.5 * best else idle + 1
        if now < best:
            best = now
            keep_best(tables)
        grown = sigma
        if steps < 0:
            grown = max(1.0, 0.25 * sigma)
        elif steps <= 4:
            grown = min(4.0 * sigma, MOST)
        else:
            grown = min(1.5 * sigma, MOST)
        if grown != sigma:
            sigma, formed = grown, 0
        if exact == 0 and sliding(tables) > rough:
            break
    return_best(tables)
    return 0, best
