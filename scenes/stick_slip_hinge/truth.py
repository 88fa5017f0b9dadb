"""The spring is twisted by x = Ω t − θ. While the wheel sticks, x grows with Ω up to τ_s/k; then

    J ẍ + k x = τ_k,   x = τ_k/k + A cos ωs + (Ω/ω) sin ωs,   A = (τ_s − τ_k)/k,  ω² = k/J

until θ̇ = Ω − ẋ is 0 again: tan(ωs/2) = −A ω/Ω, where x = τ_k/k − A.
"""

import numpy as np

J, K, SPEED, KINETIC, STATIC = 0.5, 20.0, 0.2, 5.0, 9.0
W, A = np.sqrt(K / J), (STATIC - KINETIC) / K
STICKS, SLIPS = 2 * A / SPEED, 2 * (np.pi - np.arctan(A * W / SPEED)) / W
FIRST = STATIC / (K * SPEED)
SOURCE = "closed form"


def twist(t):
    """x, ẋ, and whether the wheel slips."""
    if t < FIRST:
        return SPEED * t, SPEED, False
    since = (t - FIRST) % (SLIPS + STICKS)
    if since < SLIPS:
        x = KINETIC / K + A * np.cos(W * since) + SPEED / W * np.sin(W * since)
        return x, -A * W * np.sin(W * since) + SPEED * np.cos(W * since), True
    return KINETIC / K - A + SPEED * (since - SLIPS), SPEED, False


def truth(result):
    x, rate, slips = np.array([twist(t) for t in result.time]).T
    s = result.coordinate("bearing.angle")
    yield "angle, all frames", np.abs(s.value - (SPEED * result.time - x)).max(), 0.0, 2e-8, SOURCE
    yield "rate, all frames", np.abs(s.speed - (SPEED - rate)).max(), 0.0, 2e-7, SOURCE
    yield "rate while it sticks", np.abs(s.speed[slips == 0]).max(), 0.0, 1e-12, "it does not creep"
    turning = (s.speed > 1e-12).astype(int)
    starts = result.time[1:][np.diff(turning) == 1]
    frame = result.time[1] - result.time[0]
    yield (
        "period",
        np.diff(starts).mean(),
        SLIPS + STICKS,
        frame / (len(starts) - 1),
        "between two frames each",
    )
    turn = 2 * A + SPEED * SLIPS
    yield "angle of a slip", np.ptp(s.value[result.time < FIRST + SLIPS + STICKS]), turn, 1e-8, SOURCE
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][:, :, 5].T))
    held = np.where(slips == 1, -KINETIC, -K * x)
    off = np.abs(loads["bearing friction on wheel"] - held)
    # a frame at which it gives way
    off[np.abs(result.time - FIRST) < 1e-6] = 0.0
    yield "torque of the friction", off.max(), 0.0, 1e-6, SOURCE
    taken = result.energy.dissipated[-1]
    yield "energy that friction takes", taken, KINETIC * s.value[-1], 1e-7, "kinetic friction times angle"
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-7, "work of the motion"
