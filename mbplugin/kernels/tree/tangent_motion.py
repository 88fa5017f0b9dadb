"""What the tangents of trees are made of: twists and accelerations of their links and how these change with
the coordinates, all about one point c, the origin of the tree's first link as it stands.

S_k is the twist by velocity k, V and A twist and acceleration of its link l, V_p of the link that carries l:

    V = V_p + Σ S_k v_k      A = A_p + Σ (S_k v̇_k + Ṡ_k v_k)      Ṡ_k = V_p × S_k + Σ_m σ_mk v_m

Coordinate j moves all links from l outwards by S_j, so that S of their joints change by S_j × S. In its own
joint S_k changes by σ_jk. Of a link i that it moves

    ∂V_i/∂q_j = S_j × V_i + ν_j      ν_j = Σ σ_jk v_k − S_j × V
    ∂A_i/∂q_j = S_j × A_i + α_j + ν_j × V_i
    ∂A_i/∂v_j = S_j × V_i + χ_j      χ_j = Ṡ_j + ν_j
    α_j = Σ σ_jk v̇_k + V_p × Σ σ_jk v_k + ∂(Σ σ_mk v_m v_k)/∂q_j − S_j × A − ν_j × V

About the origin of the link, at r from c, σ_jk is δω_jk and δu_jk of the joint (u: velocity of the origin),
and about c (δω_jk, δu_jk + r × δω_jk + u_j × ω_k). The acceleration of the ground is −g, which is the weight.

Derived here for joints of several velocities; for one it is Carpentier & Mansard, "Analytical derivatives of
rigid body dynamics algorithms" (2018). `tests/trees/test_tangents_of_trees.py` checks it by differences.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.derived import move_joint
from mbplugin.kernels.tree.flat import show_in_space
from mbplugin.kernels.tree.inertia import own_inertia
from mbplugin.kernels.tree.mass_matrix import add_composite
from mbplugin.kernels.tree.numbers import NUMBERS, OWN, POSE, X, get, put, times_symmetric
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import ZERO, add, cross, dot, load9, product, rotate, scale, sub
from mbplugin.math.vectors import copy_range
from mbplugin.tables.groups import DerivedRows, Rates, State, Trees, TreeTangents
from mbplugin.tables.records import BALL, CROSS, DERIVED, FREE

#: places in the sums of a link: inertia, momentum, Coriolis matrix, force, wrench, its moment; their number
INERTIA, MOMENTUM, CORIOLIS, FORCE, WRENCH, MOMENT, SUMS = 0, 10, 13, 22, 28, 34, 43
#: numbers of a joint in `TreeTangents.joint`: of each of six coordinates S of six, and the bias
COORDINATE, JOINT = 42, 252
#: numbers that `save_joint` keeps
SAVED = 62
#: change of a coordinate of a joint in `DerivedRows` for differences [rad or m]
DIFFERENCE_STEP = 1e-5


@inlined
def centre_of(trees, t):
    """The point c of tree t, world."""
    return get(trees.pose, POSE * trees.index[t].first_link + X)


@inlined
def changed(trees, work, link, j, k):
    """δω and δu of velocity k of a joint by its coordinate j."""
    s = 6 * link.first_rate
    if link.form == BALL or link.form == FREE or (link.form == CROSS and j < k):
        return cross(get(trees.S, s + 6 * j), get(trees.S, s + 6 * k)), ZERO
    if link.form == DERIVED:
        at = JOINT * link.derived + COORDINATE * j + 6 * k
        return get(work.joint, at + 3), get(work.joint, at)
    return ZERO, ZERO


@inlined
def changed_bias(trees, work, link, j, v):
    """The changes by coordinate j of what the velocities v of the joint add to both accelerations."""
    if link.form == DERIVED:
        at = JOINT * link.derived + COORDINATE * j + 36
        return get(work.joint, at + 3), get(work.joint, at)
    if link.form == CROSS and j == 0:
        s = 6 * link.first_rate
        first, second = get(trees.S, s), get(trees.S, s + 6)
        f = v[link.first_v] * v[link.first_v + 1]
        return scale(f, cross(first, cross(first, second))), ZERO
    return ZERO, ZERO


@internal
def move_tangents(trees, work, state, v_dot, i, c):
    """S, V, A, ν, α and χ of link i."""
    link, v = trees.link[i], state.v
    r = sub(get(trees.pose, POSE * i + X), c)
    w_p, v_p, a_p = ZERO, ZERO, ZERO
    b_p = scale(-1.0, get(trees.gravity, 0))
    if link.parent >= 0:
        p = 6 * link.parent
        w_p, v_p = get(work.twist, p), get(work.twist, p + 3)
        a_p, b_p = get(work.acceleration, p), get(work.acceleration, p + 3)
    spin, slip, spin_dot, slip_dot = ZERO, ZERO, ZERO, ZERO
    beta, gain = ZERO, ZERO
    for k in range(link.rates):
        s, x, y = 6 * (link.first_rate + k), v[link.first_v + k], v_dot[link.first_v + k]
        w, u = get(trees.S, s), get(trees.S, s + 3)
        put(work.S, s, w)
        put(work.S, s + 3, add(u, cross(r, w)))
        spin, slip = add(spin, scale(x, w)), add(slip, scale(x, u))
        spin_dot, slip_dot = add(spin_dot, scale(y, w)), add(slip_dot, scale(y, u))
        for m in range(link.rates):
            dw, du = changed(trees, work, link, m, k)
            f = x * v[link.first_v + m]
            beta, gain = add(beta, scale(f, dw)), add(gain, scale(f, du))
    # of the joint: twist, its rate at held S, and Σ σ v v
    v_s = add(slip, cross(r, spin))
    W, V = add(w_p, spin), add(v_p, v_s)
    A = add(add(a_p, spin_dot), add(cross(w_p, spin), beta))
    B = add(add(b_p, add(slip_dot, cross(r, spin_dot))), add(cross(w_p, v_s), cross(v_p, spin)))
    B = add(B, add(gain, add(cross(r, beta), cross(slip, spin))))
    put(work.twist, 6 * i, W)
    put(work.twist, 6 * i + 3, V)
    put(work.acceleration, 6 * i, A)
    put(work.acceleration, 6 * i + 3, B)
    for j in range(link.rates):
        s = 6 * (link.first_rate + j)
        w, u, at_c = get(trees.S, s), get(trees.S, s + 3), get(work.S, s + 3)
        dw_v, du_v, dw_a, du_a, ew, eu = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
        for k in range(link.rates):
            x, y = v[link.first_v + k], v_dot[link.first_v + k]
            dw, du = changed(trees, work, link, j, k)
            dw_v, du_v = add(dw_v, scale(x, dw)), add(du_v, scale(x, du))
            dw_a, du_a = add(dw_a, scale(y, dw)), add(du_a, scale(y, du))
            dw, du = changed(trees, work, link, k, j)
            ew, eu = add(ew, scale(x, dw)), add(eu, scale(x, du))
        d_beta, d_gain = changed_bias(trees, work, link, j, v)
        # Σ σ_jk v_k, Σ σ_jk v̇_k and Σ σ_mj v_m about c
        sv = add(du_v, add(cross(r, dw_v), cross(u, spin)))
        sa = add(du_a, add(cross(r, dw_a), cross(u, spin_dot)))
        se = add(eu, add(cross(r, ew), cross(slip, w)))
        nu_w = sub(dw_v, cross(w, W))
        nu_v = sub(sv, add(cross(w, V), cross(at_c, W)))
        put(work.nu, s, nu_w)
        put(work.nu, s + 3, nu_v)
        al_w = add(add(dw_a, cross(w_p, dw_v)), d_beta)
        al_w = sub(al_w, add(cross(w, A), cross(nu_w, W)))
        al_v = add(sa, add(cross(w_p, sv), cross(v_p, dw_v)))
        al_v = add(al_v, add(d_gain, add(cross(r, d_beta), cross(u, beta))))
        al_v = add(al_v, add(cross(du_v, spin), cross(slip, dw_v)))
        al_v = sub(al_v, add(cross(w, B), cross(at_c, A)))
        al_v = sub(al_v, add(cross(nu_w, V), cross(nu_v, W)))
        put(work.alpha, s, al_w)
        put(work.alpha, s + 3, al_v)
        put(work.chi, s, add(nu_w, add(cross(w_p, w), ew)))
        put(work.chi, s + 3, add(nu_v, add(add(cross(w_p, at_c), cross(v_p, w)), se)))


@internal
def put_sums(trees, work, i, c):
    """Inertia, momentum, Coriolis matrix and force of link i itself about c, without wrenches.

    A twist ν = (ω, u) beside the link's own (Ω, v) gives each point of mass the Coriolis force 2 ω × (its
    momentum), together (2 h × (ω × v) − 2 Ω × J ω, 2 ω × p) with J = Σ m r rᵀ and the momentum p: the matrix.
    """
    a = SUMS * i
    clear(work.sums, a, SUMS)
    add_composite(trees.own, OWN * i, work.sums, a, sub(get(trees.pose, POSE * i + X), c))
    I = work.sums
    W, V = get(work.twist, 6 * i), get(work.twist, 6 * i + 3)
    A, B = get(work.acceleration, 6 * i), get(work.acceleration, 6 * i + 3)
    h, m = get(I, a + 6), I[a + 9]
    p = add(scale(m, V), cross(W, h))
    L = add(times_symmetric(I, a, W), cross(h, V))
    n = add(add(times_symmetric(I, a, A), cross(h, B)), add(cross(W, L), cross(V, p)))
    f = add(add(scale(m, B), cross(A, h)), cross(W, p))
    put(I, a + MOMENTUM, p)
    put(I, a + FORCE, n)
    put(I, a + FORCE + 3, f)
    half = 0.5 * (I[a] + I[a + 1] + I[a + 2])
    along = dot(h, V)
    J = (
        (half - I[a], -I[a + 3], -I[a + 4]),
        (-I[a + 3], half - I[a + 1], -I[a + 5]),
        (-I[a + 4], -I[a + 5], half - I[a + 2]),
    )
    for k in range(3):
        x = cross(W, J[k])
        for q in range(3):
            e = along if q == k else 0.0
            I[a + CORIOLIS + 3 * q + k] = 2.0 * (e - V[q] * h[k] - x[q])


@by_address(seconds=4, when="tangents of trees")
def motions_of_trees(tables, first, count):
    """`TreeTangents` of the links of `count` trees at the present state and v̇. Returns 0."""
    trees, work = view(tables, Trees), view(tables, TreeTangents)
    state, v_dot = view(tables, State), view(tables, Rates).v_dot
    if view(tables, DerivedRows).index.shape[0] > 0:
        difference_joints(tables)
    for t in range(first, first + count):
        tree = trees.index[t]
        if tree.flat == 1 and tree.located == 0:
            show_in_space(tables, t)
        c = centre_of(trees, t)
        for i in range(tree.first_link, tree.first_link + tree.links):
            if tree.flat == 1:
                own_inertia(trees, i)
            move_tangents(trees, work, state, v_dot, i, c)
            put_sums(trees, work, i, c)
    return 0


# joints whose motion follows from their rows


@by_address(seconds=4, when="tangents of derived")
def difference_joints(tables):
    """How S and biases of the joints in `DerivedRows` change with their coordinates, in world axes, by the
    difference of two positions; 0 where one of them is none. Returns 0.
    """
    rows, work, trees = view(tables, DerivedRows), view(tables, TreeTangents), view(tables, Trees)
    q = view(tables, State).q
    for number in range(rows.index.shape[0]):
        joint = rows.index[number]
        n, link = 6 - joint.rows, trees.link[joint.link]
        T = load9(trees.fixed, NUMBERS * joint.link)
        if link.parent >= 0:
            T = product(load9(trees.pose, POSE * link.parent), T)
        save_joint(rows, joint, number, n, work.saved)
        clear(work.joint, JOINT * number, JOINT)
        for j in range(n):
            at, before = JOINT * number + COORDINATE * j, q[joint.first_q + j]
            status = 0
            for side in range(2):
                e = DIFFERENCE_STEP if side == 0 else -DIFFERENCE_STEP
                q[joint.first_q + j] = before + e
                if status == 0:
                    status = move_joint(tables, number)
                if status == 0:
                    for k in range(n):
                        add_part(work.joint, at + 6 * k, rows.S, 6 * (joint.first_coordinate + k), 0.5 / e, T)
                    add_part(work.joint, at + 36, rows.bias, 6 * number, 0.5 / e, T)
                restore_joint(rows, joint, number, n, work.saved)
            q[joint.first_q + j] = before
            if status != 0:
                clear(work.joint, at, COORDINATE)
    return 0


@inlined
def add_part(target, t, source, s, factor, T):
    """Add factor times two vectors in axes T, as world ones."""
    for k in range(2):
        x = rotate(T, get(source, s + 3 * k))
        put(target, t + 3 * k, add(get(target, t + 3 * k), scale(factor, x)))


@inlined
def save_joint(rows, joint, number, n, saved):
    """Keep what `move_joint` of a joint with n coordinates changes."""
    first = joint.first_coordinate
    copy_range(rows.value, first, saved, 0, n)
    copy_range(rows.rate, first, saved, 6, n)
    copy_range(rows.S, 6 * first, saved, 12, 6 * n)
    copy_range(rows.pose, 7 * number, saved, 48, 7)
    copy_range(rows.bias, 6 * number, saved, 55, 6)
    saved[61] = rows.side[number]


@inlined
def restore_joint(rows, joint, number, n, saved):
    """Put back what `save_joint` has kept."""
    first = joint.first_coordinate
    copy_range(saved, 0, rows.value, first, n)
    copy_range(saved, 6, rows.rate, first, n)
    copy_range(saved, 12, rows.S, 6 * first, 6 * n)
    copy_range(saved, 48, rows.pose, 7 * number, 7)
    copy_range(saved, 55, rows.bias, 6 * number, 6)
    rows.side[number] = saved[61]
