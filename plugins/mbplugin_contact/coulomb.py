"""Signorini's condition with Coulomb's cone: the exact law of one contact, its map, slope and local solution.

    K_μ = { |r_T| ≤ μ r_N },   ũ = u + μ |u_T| n,   K_μ* ∋ ũ ⊥ r ∈ K_μ          (De Saxcé & Feng 1998)

r is the impulse and u the relative velocity of one contact in its frame (normal, two tangents); p[0] is μ.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import OPEN, SLIP, STICK, ContactLaw

#: relative error of the root ν of a sliding contact
ROUNDING_OF_ROOT = 1e-14
#: steps to that root, at most
MAX_STEPS = 60


def begin(friction, friction_static, own, gap, h, stuck):
    """μ of a step: one that stuck in the last step has the static coefficient."""
    return (friction_static if stuck else friction, 0.0, 0.0, 0.0)


def impulse_map(x, y, z, p):
    """S(x): 0 where x_N ≤ 0, x in the cone, else μ x_N along x_T. A fixed point r = S(r − ρ u) obeys the law
    (Alart & Curnier, Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375). Returns r and the status.
    """
    if x <= 0.0:
        return 0.0, 0.0, 0.0, OPEN
    t = sqrt(y * y + z * z)
    if t <= p[0] * x:
        return x, y, z, STICK
    f = p[0] * x / t
    return x, f * y, f * z, SLIP


def cone_projection(x, y, z, p):
    """P_K(x), the nearest point of the cone. Returns it and the status."""
    mu = p[0]
    t = sqrt(y * y + z * z)
    # first: without friction t = 0 is on the other side too
    if mu * t <= -x:
        return 0.0, 0.0, 0.0, OPEN
    if t <= mu * x:
        return x, y, z, STICK
    n = (x + mu * t) / (1.0 + mu * mu)
    f = mu * n / t
    return n, f * y, f * z, SLIP


def slope_of_map(x, y, z, p):
    """∂S/∂x."""
    mu = p[0]
    if x <= 0.0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    t = sqrt(y * y + z * z)
    if t <= mu * x:
        return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    a, b = y / t, z / t
    k = mu * x / t
    c = -k * a * b
    return (1.0, 0.0, 0.0, mu * a, k * (1.0 - a * a), c, mu * b, c, k * (1.0 - b * b))


def slope_of_projection(x, y, z, p):
    """∂P_K/∂x; symmetric."""
    mu = p[0]
    t = sqrt(y * y + z * z)
    if mu * t <= -x:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if t <= mu * x:
        return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    a, b = y / t, z / t
    f = 1.0 / (1.0 + mu * mu)
    n = (x + mu * t) / (1.0 + mu * mu)
    k = mu * n / t
    s = f * mu * mu - k
    g, h, c = f * mu * a, f * mu * b, s * a * b
    return (f, g, h, g, k + s * a * a, c, h, c, k + s * b * b)


def start(own, begins):
    """It has no memory."""
    return 0.0, 0.0, 0.0


def accept(own, memory, r_n, r_1, r_2, h, status):
    """It has no memory."""
    return memory


def cone_of(p):
    """μ and c of the cone |r_T| ≤ μ (r_N + c)."""
    return p[0], 0.0


def local_impulse(W, q_n, q_1, q_2, p):
    """The impulse r of a contact with u = W r + q, by the one equation of its sliding direction.

    With r_T(ν) = −(W_b + ν)⁻¹ q_b and r_N(ν) = −(q_N + w·r_T) / W_NN a sliding contact has ν ≥ 0 where
    |r_T| = μ r_N; ν = 0 is one that sticks. W: G M⁻¹ Gᵀ, row by row. Returns r and the status.
    """
    mu = p[0]
    if q_n >= 0.0:
        return 0.0, 0.0, 0.0, OPEN
    w_n = W[0]
    if mu == 0.0:
        return -q_n / w_n, 0.0, 0.0, SLIP
    i_n, w_1, w_2 = 1.0 / w_n, W[3], W[6]
    f_1, f_2 = w_1 * i_n, w_2 * i_n
    a = W[4] - w_1 * f_1
    b = W[5] - w_1 * f_2
    d = W[8] - w_2 * f_2
    trace = a + d
    # a contact that cannot move along a tangent has no stiffness there
    a += 1e-14 * trace
    d += 1e-14 * trace
    b_n, b_1, b_2 = q_n * i_n, q_1 - f_1 * q_n, q_2 - f_2 * q_n
    low, high, nu = 0.0, -1.0, 0.0
    r_n = r_1 = r_2 = 0.0
    for step in range(MAX_STEPS):
        a_s, c_s = a + nu, d + nu
        i_det = 1.0 / (a_s * c_s - b * b)
        r_1, r_2 = (b * b_2 - c_s * b_1) * i_det, (b * b_1 - a_s * b_2) * i_det
        r_n = -(b_n + f_1 * r_1 + f_2 * r_2)
        t = sqrt(r_1 * r_1 + r_2 * r_2)
        if step == 0 and r_n >= 0.0 and t <= mu * r_n:
            return r_n, r_1, r_2, STICK
        g = mu * r_n - t
        if abs(g) <= ROUNDING_OF_ROOT * (t + mu * abs(r_n)):
            break
        if g < 0.0:
            low = nu
        else:
            high = nu
        # derivatives of r by ν
        d_1, d_2 = (b * r_2 - c_s * r_1) * i_det, (b * r_1 - a_s * r_2) * i_det
        n_rate = -(f_1 * d_1 + f_2 * d_2)
        # Newton's step for μ r_N / |r_T| = 1, which is nearly linear in ν
        rate = mu * (n_rate * t * t - r_n * (r_1 * d_1 + r_2 * d_2))
        new = nu - g * t * t / rate if rate > 0.0 else -1.0
        if not (low < new and (high < 0.0 or new < high)):
            new = 0.5 * (low + high) if high >= 0.0 else 2.0 * low + 0.5 * trace
        if new == nu:
            break
        nu = new
    # onto the cone, whatever rounding is left
    r_n = max(r_n, 0.0)
    t = sqrt(r_1 * r_1 + r_2 * r_2)
    f = mu * r_n / t if t > 0.0 else 0.0
    return r_n, f * r_1, f * r_2, SLIP


class Coulomb(ContactLaw):
    """Signorini's condition with Coulomb's friction, static and kinetic."""

    name = "coulomb"
    begin = staticmethod(begin)
    map = staticmethod(impulse_map)
    slope = staticmethod(slope_of_map)
    solve = staticmethod(local_impulse)
    projection = staticmethod(cone_projection)
    slope_of_projection = staticmethod(slope_of_projection)
    cone = staticmethod(cone_of)
    start = staticmethod(start)
    accept = staticmethod(accept)
