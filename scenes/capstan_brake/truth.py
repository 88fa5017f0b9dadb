"""The weight hangs still, and the drum slips towards it: the hook has m g exp(μ θ), by Euler and Eytelwein,
and the drum the torque r m g (exp(μ θ) − 1), until it stands still. θ is the angle between the two tangents.
"""

import numpy as np

RADIUS, INERTIA, SPEED, LOAD, FRICTION, G = 0.2, 0.4, 14.0, 3.0, 0.3, 9.81
HOOK = np.array([-0.5, -0.4])
SOURCE = "exp(μ θ)"

#: the band rises from the hook to the left of the drum: at this angle to the horizontal
ELEVATION = np.arctan2(-HOOK[1], -HOOK[0]) + np.arcsin(RADIUS / np.hypot(*HOOK))
#: it turns from that direction to straight down
WRAP = ELEVATION + np.pi / 2
GROWTH = np.exp(FRICTION * WRAP)
TORQUE = RADIUS * LOAD * G * (GROWTH - 1)
STOPS = INERTIA * SPEED / TORQUE


def truth(result):
    t = result.time
    s = result.coordinate("axle.angle")
    braked = np.minimum(t, STOPS)
    angle = SPEED * braked - TORQUE / INERTIA * braked**2 / 2
    yield "angle of the drum, all frames", np.abs(s.value - angle).max(), 0.0, 1e-8, SOURCE
    away = np.abs(t - STOPS) > 1e-6
    rate = SPEED - TORQUE / INERTIA * braked
    yield "rate of the drum, all frames", np.abs(s.speed - rate)[away].max(), 0.0, 1e-8, SOURCE
    yield "angle of wrap", np.abs(result.output("band.wrap") - WRAP).max(), 0.0, 1e-9, "two tangents"
    mean, difference = result.raw["bounds/force"].T
    slips = t < STOPS - 1e-6
    ratio = ((mean + difference / 2) / (mean - difference / 2))[slips]
    yield "ratio of the tensions", np.abs(ratio / GROWTH - 1).max(), 0.0, 1e-9, SOURCE
    held = t > STOPS + 1e-6
    yield "friction of the drum that stands", np.abs(difference[held]).max(), 0.0, 1e-9, "nothing turns it"
    height = result["weight"].position[:, 2]
    yield "the weight", np.abs(height - height[0]).max(), 0.0, 1e-10, "it hangs still"
    event = next(e for e in result.events if e.after == "sticks")
    yield "time at which it stops", event.time, STOPS, 1e-9, "J ω / torque"
    lost = result.energy.dissipated[-1]
    yield "energy that the band takes", lost, INERTIA * SPEED**2 / 2, 1e-8, "all of the drum"
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-8, "no other loss"
