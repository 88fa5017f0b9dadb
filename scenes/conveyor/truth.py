"""What slips has the friction μ r_N: v = a t up to the speed V of the belt, then v = V.

A parcel: a = μ g, on a slope g (μ cos α − sin α). A ball: v = μ g t and R ω = 5/2 μ g t until the belt and
its lowest point have one speed, v + R ω = V, at t = 2 V / 7 μ g; from then on it rolls. The belts put in
μ r_N V while something slips, and m g sin α V while the parcel rides up. Friction takes μ r_N times the slip.
"""

import numpy as np

G, SPEED, SLOPE, FRICTION, MASS, RADIUS, STEP = 9.81, 0.8, 0.3, 0.5, 5.0, 0.08, 1e-3
SOURCE = "Coulomb's law"


def ride(t, a, end):
    """Speed and way of what accelerates by a up to the speed `end`."""
    slips = np.minimum(t, end / a)
    return a * slips, 0.5 * a * slips**2 + end * (t - slips)


def truth(result):
    t = result.time
    up = np.array([np.cos(SLOPE), 0.0, np.sin(SLOPE)])
    level, climb = FRICTION * G, G * (FRICTION * np.cos(SLOPE) - np.sin(SLOPE))
    parcel, ball, climber = (result[name] for name in ("parcel", "ball", "climber"))
    belts = ((parcel, "on the level", [1, 0, 0], level), (climber, "up the slope", up, climb))
    for one, name, along, a in belts:
        v, x = ride(t, a, SPEED)
        speed, way = one.velocity @ along, (one.position - one.position[0]) @ along
        yield f"speed {name}, all frames", np.abs(speed - v).max(), 0.0, 1e-9, SOURCE
        # in the step in which it begins to ride, its position is off by at most a h² / 8
        yield f"way {name}, all frames", np.abs(way - x).max(), 0.0, a * STEP**2 / 7, SOURCE
        rides = np.abs(speed - SPEED)[t > SPEED / a + STEP].max()
        yield f"riding {name}", rides, 0.0, 1e-9 * SPEED, "static friction"
    v, _ = ride(t, level, 2.0 / 7.0 * SPEED)
    yield "speed of the ball, all frames", np.abs(ball.velocity[:, 0] - v).max(), 0.0, 1e-9, SOURCE
    spin = -RADIUS * ball.angular_velocity[:, 1]
    yield "spin of the ball, all frames", np.abs(spin - 2.5 * v).max(), 0.0, 1e-9, "angular momentum"
    slip = SPEED / climb
    work = MASS * SPEED**2 * (1.0 + 2.0 / 7.0)
    work += MASS * G * SPEED * (FRICTION * np.cos(SLOPE) * slip + np.sin(SLOPE) * (t[-1] - slip))
    yield "work of the belts", result.raw["energy/work"][-1], work, 1e-9, SOURCE
    lost = MASS * SPEED**2 * (0.5 + 1.0 / 7.0) + MASS * G * FRICTION * np.cos(SLOPE) * 0.5 * SPEED * slip
    # in the step in which slipping ends
    error = MASS * (level * STEP) ** 2
    yield "loss by friction", result.raw["energy/friction"][-1], lost, error, SOURCE
    yield "energy balance", np.abs(result.raw["energy/balance"]).max(), 0.0, 1e-9, "conservation of energy"
