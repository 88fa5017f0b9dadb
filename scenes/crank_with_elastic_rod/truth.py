"""A beam on two pins that move as those of the rigid mechanism: M ẅ + (K + G(t) − φ̇² M) w = −M a.

w is the deflection from the line of the pins, a the transverse acceleration of that line, φ its angle, G the
geometric stiffness of the axial force N, by Newton and Euler from the rigid motion. Hermite's cubic elements
of the columns of the mesh; eyes are rigid. Along its axis the rod is a spring with the slider and a part of
its own mass: ë = ω² (∫ N/(E A) dx − e). A bow makes it shorter by ∫ ½ w'² dx. Derived here.
"""

from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

THROW, LENGTH, RATE, YOUNG, DENSITY, SLIDER = 0.05, 0.3, 40.0, 5e8, 1200.0, 0.05
EYE, COLUMN, HEIGHT, THICKNESS, ROUNDING = 0.02, 0.01, 0.012, 0.01, 0.85
SOURCE = "beam of cubic elements on the rigid motion"
#: bending modes of the beam that are kept
MODES = 3
#: Timoshenko's factor of ω² of a beam on two pins, 1/(1 + (E/(κ G) + 1) π² h²/(12 L²)), ν = 0.3, κ = 5/6
SHEAR = 1.0 / (1.0 + (2.6 * 1.2 + 1.0) * np.pi**2 * HEIGHT**2 / (12.0 * LENGTH**2))
#: a rigid eye, as a factor of its stiffness
RIGID = 1e4
COLUMNS = np.arange(-EYE, LENGTH + EYE + 0.5 * COLUMN, COLUMN)
#: Gauss points and weights on 0..1
POINTS, WEIGHTS = (lambda x, w: (0.5 * (1.0 + x), 0.5 * w))(*np.polynomial.legendre.leggauss(4))


def height(x):
    """Height of the rod at its columns [m]."""
    from_pin = np.minimum(np.abs(x), np.abs(x - LENGTH)) / EYE
    inside = from_pin <= 1.0 + 1e-9
    return np.where(inside, 2.0 * EYE * np.sqrt(1.0 - (ROUNDING * np.minimum(from_pin, 1.0)) ** 2), HEIGHT)


def shape(s, l):
    """Hermite's functions of an element of length l at s = 0..1, their slopes and curvatures."""
    N = [1 - 3 * s**2 + 2 * s**3, l * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, l * (s**3 - s**2)]
    slope = [(6 * s**2 - 6 * s) / l, 1 - 4 * s + 3 * s**2, (6 * s - 6 * s**2) / l, 3 * s**2 - 2 * s]
    curvature = [(12 * s - 6) / l**2, (6 * s - 4) / l, (6 - 12 * s) / l**2, (6 * s - 2) / l]
    return np.array(N), np.array(slope), np.array(curvature)


def beam():
    """Of the n Gauss points: place, part of the length, area, moment of area (n,); and three (n, dofs): the
    shape functions, slopes and curvatures.
    """
    x, weight, area, inertia, tables = [], [], [], [], []
    heights = height(COLUMNS)
    for e, (left, right) in enumerate(pairwise(COLUMNS)):
        rigid = right <= EYE + 1e-9 or left >= LENGTH - EYE - 1e-9
        for s, w in zip(POINTS, WEIGHTS):
            h = heights[e] + s * (heights[e + 1] - heights[e])
            row = np.zeros((3, 2 * len(COLUMNS)))
            row[:, 2 * e : 2 * e + 4] = shape(s, right - left)
            x.append(left + s * (right - left))
            weight.append(w * (right - left))
            area.append(h * THICKNESS)
            inertia.append(THICKNESS * h**3 / 12.0 * (RIGID if rigid else 1.0))
            tables.append(row)
    x, weight, area, inertia = map(np.array, (x, weight, area, inertia))
    return x, weight, area, inertia, np.moveaxis(np.array(tables), 1, 0)


def rigid(t, x, density_per_length):
    """Of the line of the pins at time t: φ̇, transverse acceleration at x (n,), axial force at x (n,) [N]."""
    theta, r = RATE * t, THROW / LENGTH
    phi = -np.arcsin(r * np.sin(theta))
    rate = -r * RATE * np.cos(theta) / np.cos(phi)
    angular = (r * RATE**2 * np.sin(theta) + rate**2 * np.sin(phi)) / np.cos(phi)
    u, n = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    pin = -THROW * RATE**2 * np.array([np.cos(theta), np.sin(theta)])
    a = pin + x[:, None] * (angular * n - rate**2 * u)
    slider = pin + LENGTH * (angular * n - rate**2 * u)
    per_point = density_per_length[:, None] * a
    moment = (x * (per_point @ n)).sum()  # about the pin of the crank
    along = -SLIDER * slider[0]
    # force of the slider on the rod: its y by the moment about the pin of the crank
    across = (moment / LENGTH - along * n[0]) / n[1]
    outside = np.cumsum((per_point @ u)[::-1])[::-1] - 0.5 * per_point @ u
    inside = x < LENGTH
    return rate, a @ n, np.where(inside, np.dot([along, across], u), 0.0) - outside


def deflection(times):
    """Deflection of the middle, and how much longer the rod is between its pins, at these times [m]."""
    x, weight, area, inertia, (N, slope, curvature) = beam()
    mass = DENSITY * area * weight
    M, K = (N.T * mass) @ N, (curvature.T * (YOUNG * inertia * weight)) @ curvature
    pins = [2 * int(np.argmin(np.abs(COLUMNS - place))) for place in (0.0, LENGTH)]
    free = np.delete(np.arange(len(M)), pins)
    _, modes = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], subset_by_index=[0, MODES - 1])
    shapes = np.zeros((len(M), MODES))
    shapes[free] = modes
    own, slopes = N @ shapes, slope @ shapes
    stiffness = SHEAR * shapes.T @ K @ shapes

    between = (x > EYE) & (x < LENGTH - EYE)
    flexibility = between * weight / (YOUNG * area)
    longer = np.cumsum(flexibility) / flexibility.sum()  # of the axial mode: one at the slider
    axial = 1.0 / (flexibility.sum() * ((mass * longer**2).sum() + SLIDER))  # ω²

    def derivative(t, y):
        w, e, w_dot, e_dot = y[:MODES], y[MODES], y[MODES + 1 : -1], y[-1]
        rate, a, force = rigid(t, x, mass)
        G = (slopes.T * (force * weight)) @ slopes
        w_dot_dot = -own.T @ (mass * a) - (stiffness + G) @ w + rate**2 * w
        return np.concatenate([w_dot, [e_dot], w_dot_dot, [axial * (flexibility @ force - e)]])

    start = np.zeros(2 * MODES + 2)
    y = solve_ivp(derivative, (0.0, times[-1]), start, t_eval=times, rtol=1e-8, atol=1e-12).y
    middle = shapes[2 * int(np.argmin(np.abs(COLUMNS - 0.5 * LENGTH)))]
    bow = 0.5 * (weight[:, None] * (slopes @ y[:MODES]) ** 2)[(x > 0.0) & (x < LENGTH)].sum(axis=0)
    return middle @ y[:MODES], y[MODES] - bow


def place(result, point):
    """(n, 2) place of a point of the rod, all frames [m]."""
    return np.stack([result.output(f"{point}_{axis}") for axis in "xy"], axis=1)


def truth(result):
    t = result.time
    crank, slider, middle = (place(result, name) for name in ("crank_end", "slider_end", "middle"))
    line = (slider - crank) / np.linalg.norm(slider - crank, axis=1)[:, None]
    across = np.stack([-line[:, 1], line[:, 0]], axis=1)
    bow = np.einsum("ni,ni->n", across, middle - 0.5 * (crank + slider))
    exact, longer = deflection(t)
    size = np.abs(exact).max()
    largest = np.abs(bow).max()
    yield "largest bow of the rod [m]", largest, size, 0.02 * size, SOURCE
    # the frequency of the beam is off by some tenths of a per cent: phases differ by the end of the turn
    yield "bow of the rod, all frames, part of it", np.abs(bow - exact).max() / size, 0.0, 0.08, SOURCE
    theta = RATE * t
    phi = np.arcsin(THROW / LENGTH * np.sin(theta))
    rigid_slider = THROW * np.cos(theta) + LENGTH * np.cos(phi)
    lag = slider[:, 0] - rigid_slider
    # the axial frequency is that of the beam to some tenths of a per cent: later the phases differ
    first = t < 0.4 * np.pi / RATE
    error = np.abs(lag - longer / np.cos(phi))[first].max()
    yield "slider, first fifth of the turn [m]", error, 0.0, 1e-5, "rigid rod with an axial spring"
    yield "slider, all frames [m]", np.abs(lag).max(), 0.0, 1e-4, "closed form of the rigid rod"
    pin = THROW * np.stack([np.cos(theta), np.sin(theta)], axis=1)
    yield "pin of the crank [m]", np.abs(crank - pin).max(), 0.0, 1e-9, "the motion"
    kinetic = result.energy.kinetic.max()
    yield "energy balance, part", np.abs(result.energy.balance).max() / kinetic, 0.0, 1e-3, "ledger"
