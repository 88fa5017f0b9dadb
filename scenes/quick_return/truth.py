"""Closed form of the shaper: the arm points at the crank's pin, the ram hangs on the link. The torque of the
motor follows from the energy T(θ) + V(θ) of a mechanism with one freedom, T = J(θ) ω² / 2: it is
J' ω² / 2 + V' + F x'. Derivatives by θ are those of trigonometric polynomials through 360 points.
"""

import numpy as np

RATE, CRANK, PIVOT, ARM, LINK, HEIGHT, CUT, RAM, G = 2 * np.pi, 0.1, 0.2, 0.5, 0.3, 0.47, 500.0, 20.0, 9.81
N = 360
SOURCE = "closed form, virtual work"


def by_angle(f):
    """df/dθ of a periodic function at N equidistant angles."""
    k = np.fft.fftfreq(N, 1.0 / N)
    k[N // 2] = 0.0
    return np.fft.ifft(1j * k * np.fft.fft(f)).real


def shaper():
    """Ram's pin x [m], x' , and J [kg·m²], V [J] at N angles of the crank from upright, clockwise."""
    theta = 2.0 * np.pi * np.arange(N) / N
    phi = np.arctan2(CRANK * np.sin(theta), PIVOT + CRANK * np.cos(theta))  # of the arm, from upright
    end = ARM * np.sin(phi), ARM * np.cos(phi)
    psi = np.arcsin((HEIGHT - end[1]) / LINK)  # of the link, from the horizontal
    x = end[0] + LINK * np.cos(psi)
    middle = end[0] + LINK / 2 * np.cos(psi), end[1] + LINK / 2 * np.sin(psi)
    of_link = by_angle(middle[0]) ** 2 + by_angle(middle[1]) ** 2 + LINK**2 / 12 * by_angle(psi) ** 2
    J = 0.08 + 8.0 * ARM**2 / 3 * by_angle(phi) ** 2 + 2.0 * of_link + RAM * by_angle(x) ** 2
    V = G * (8.0 * end[1] / 2 + 2.0 * middle[1])
    return x, by_angle(x), J, V


def truth(result):
    x, slope, J, V = shaper()
    resisted = CUT * np.maximum(slope, 0.0)
    torque = by_angle(J) * RATE**2 / 2 + by_angle(V) + resisted
    ram = result["ram"]
    found = ram.position[:, 0] - 0.2, ram.velocity[:, 0], result.output("torque")
    for name, values, exact, tolerance in (
        ("ram", found[0], x, 1e-9),
        ("speed of the ram", found[1], RATE * slope, 1e-8),
        ("torque of the motor", found[2], torque, 1e-5),
    ):
        yield (
            f"{name}, two turns",
            np.abs(values - np.append(np.tile(exact, 2), exact[0])).max(),
            0.0,
            tolerance,
            SOURCE,
        )
    # the dead centres are where the pin's circle touches the arm
    forward = np.count_nonzero(found[1][:N] > 1e-6)
    yield (
        "time forward over time back",
        (forward + 1) / (N - 1 - forward),
        2.0,
        1e-12,
        "(π + 2 asin r/d) / (π − 2 asin r/d)",
    )
    work = CUT * (x.max() - x.min())
    yield "work of a turn", result.energy.work[N] - result.energy.work[0], work, 1e-3, "force times stroke"
