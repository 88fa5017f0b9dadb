"""The suspension as one equation in the angle α of the lower arm. The other coordinates follow from seven
equations of distance at each α, as Chebyshev polynomials; from them the generalized mass m(α) and force Q:
m α'' + m' α'² / 2 = Q, which SciPy integrates.
"""

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve
from scipy.spatial.transform import Rotation

G = np.array([0.0, 0.0, -9.81])
WEIGHT, BUMP, STIFFNESS, DAMPING, FREE, STOP, LIMIT = 3200.0, 9000.0, 60e3, 3500.0, 0.51, 4e5, 0.15
HINGES = np.array([[0.0, 0.36, 0.25], [0.0, 0.42, 0.50]])
BALLS = np.array([[0.0, 0.76, 0.22], [-0.01, 0.73, 0.53]])
RACK, STEERING = np.array([0.12, 0.39, 0.28]), np.array([0.12, 0.74, 0.25])
TOWER, DAMPER, CONTACT = np.array([0.0, 0.47, 0.66]), np.array([0.0, 0.60, 0.26]), np.array([0.0, 0.82, 0.0])
CENTRES = np.array([[0.0, 0.52, 0.24], [0.0, 0.56, 0.51], [0.0, 0.80, 0.30]])
MASSES = (4.0, 2.5, 25.0)
INERTIA = np.diag([0.8, 1.3, 0.8])
RANGE, DEGREE = (-0.3, 0.3), 40
SOURCE = "one equation in the arm's angle"


def turned(hinge, angle, point):
    """A point of an arm that has turned about its hinge."""
    return HINGES[hinge] + Rotation.from_rotvec([angle, 0, 0]).apply(point - HINGES[hinge])


def upright(alpha):
    """Angle of the upper arm, place and rotation vector of the upright, at which the distances hold."""

    def open_by(y):
        beta, x, R = y[0], y[1:4], Rotation.from_rotvec(y[4:7])
        at = lambda point: x + R.apply(point - CENTRES[2])
        rod = at(STEERING) - RACK
        return [
            *(at(BALLS[0]) - turned(0, alpha, BALLS[0])),
            *(at(BALLS[1]) - turned(1, beta, BALLS[1])),
            rod @ rod - (STEERING - RACK) @ (STEERING - RACK),
        ]

    return fsolve(open_by, [alpha, *CENTRES[2], alpha / 3, 0, 0], xtol=1e-12)


def polynomial(f):
    """f of α as a polynomial through Chebyshev points."""
    return Chebyshev.interpolate(np.vectorize(f), DEGREE, RANGE)


class Suspension:
    """Polynomials in α, and the forces along it."""

    def __init__(self):
        table = {}
        pose = lambda alpha: table.setdefault(alpha, upright(alpha))
        matrix = lambda alpha: Rotation.from_rotvec(pose(alpha)[4:7]).as_matrix()
        self.beta = polynomial(lambda a: pose(a)[0])
        self.x = [polynomial(lambda a, c=c: pose(a)[1 + c]) for c in range(3)]
        self.R = [[polynomial(lambda a, r=r, c=c: matrix(a)[r, c]) for c in range(3)] for r in range(3)]
        arm = lambda hinge, angle, c: turned(hinge, angle, CENTRES[hinge])[c]
        lower = [polynomial(lambda a, c=c: arm(0, a, c)) for c in range(3)]
        upper = [polynomial(lambda a, c=c: arm(1, pose(a)[0], c)) for c in range(3)]
        contact = lambda a: (pose(a)[1:4] + matrix(a) @ (CONTACT - CENTRES[2]))[2]
        self.contact = polynomial(contact).deriv()
        length = polynomial(lambda a: np.linalg.norm(turned(0, a, DAMPER) - TOWER))
        self.length, self.shortening = length, length.deriv()
        self.mass = polynomial(lambda a: self.mass_at(a, (lower, upper, self.x)))
        self.mass_slope = self.mass.deriv()
        height = sum(m * x[2] for m, x in zip(MASSES, (lower, upper, self.x)))
        self.lift = height.deriv()

    def mass_at(self, alpha, centres):
        """m(α) = Σ m |x'|² + ω' I ω', ω' the turn of a body for a unit of α."""
        of_places = sum(m * sum(c.deriv()(alpha) ** 2 for c in x) for m, x in zip(MASSES, centres))
        R = np.array([[e(alpha) for e in row] for row in self.R])
        slope = np.array([[e.deriv()(alpha) for e in row] for row in self.R])
        skew = R.T @ slope
        omega = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
        return of_places + 0.08 + 0.025 * self.beta.deriv()(alpha) ** 2 + omega @ INERTIA @ omega

    def force(self, t, alpha, rate):
        """Q(t, α, α')."""
        slope = self.shortening(alpha)
        spring = STIFFNESS * (self.length(alpha) - FREE) + DAMPING * slope * rate
        stops = STOP * (max(alpha - LIMIT, 0.0) + min(alpha + LIMIT, 0.0))
        bump = BUMP * np.sin(np.pi * (t - 0.2) / 0.12) ** 2 if 0.2 < t < 0.32 else 0.0
        return (WEIGHT + bump) * self.contact(alpha) + G[2] * self.lift(alpha) - spring * slope - stops

    def motion(self, times):
        """α at these times, from rest."""

        def rates(t, y):
            pull = self.force(t, *y) - self.mass_slope(y[0]) * y[1] ** 2 / 2
            return [y[1], pull / self.mass(y[0])]

        return solve_ivp(
            rates, (0.0, times[-1]), [0.0, 0.0], "DOP853", times, rtol=1e-10, atol=1e-12, max_step=1e-3
        ).y[0]


def truth(result):
    one = Suspension()
    alpha = result.coordinate("lower_hinge.angle").value
    yield "angle of the lower arm", np.abs(alpha - one.motion(result.time)).max(), 0.0, 1e-7, SOURCE
    R = lambda r, c: one.R[r][c](alpha)
    camber, toe = -np.degrees(np.arcsin(R(2, 1))), np.degrees(np.arctan2(R(0, 1), R(1, 1)))
    wheel = np.array([x(alpha) for x in one.x]).T
    for name, found, exact in (
        ("camber", result.output("camber"), camber),
        ("toe", result.output("toe"), toe),
        ("wheel", result["upright"].position, wheel),
    ):
        yield f"{name} over the motion", np.abs(found - exact).max(), 0.0, 1e-9, "seven equations of distance"
    rest = brentq(lambda a: one.force(1.0, a, 0.0), *RANGE, xtol=1e-14)
    yield "equilibrium at the end", alpha[-1], rest, 1e-6, "virtual work"
    yield "stop is struck, angle", float(alpha.max() > LIMIT), 1.0, 0.5, "the limit"
