"""With the angle α of the crank from the line between the shafts, and C = distance/throw, the wheel turns by
tan β = sin α/(C − cos α), with dβ/dα = (C cos α − 1)/D and d²β/dα² = −C (C² − 1) sin α/D²,
D = 1 + C² − 2 C cos α, while |α| < 45° (J. H. Bickford, Mechanisms for Intermittent Motion, Industrial Press,
1972); then it rests. At constant speed the power of the crank is that of the wheel.
"""

import numpy as np

SPEED, INERTIA, C = 6.0, 2e-4, np.sqrt(2.0)
SOURCE = "closed form"


def truth(result):
    crank, wheel = result.coordinate("axle.angle"), result.coordinate("hub.angle")
    turns = np.round(crank.value / (2 * np.pi))
    angle = crank.value - 2 * np.pi * turns
    drives = np.abs(angle) < np.pi / 4
    D = 1 + C * C - 2 * C * np.cos(angle)
    beta = np.where(drives, np.arctan2(np.sin(angle), C - np.cos(angle)), np.sign(angle) * np.pi / 4)
    slope = np.where(drives, (C * np.cos(angle) - 1) / D, 0.0)
    bend = np.where(drives, -C * (C * C - 1) * np.sin(angle) / D**2, 0.0)
    # frames at a change may be on either side of it
    inside = np.abs(np.abs(angle) - np.pi / 4) > 1e-6
    apart = lambda found, exact: float(np.abs(found - exact)[inside].max())
    yield "angle of the wheel", apart(wheel.value, -beta - np.pi / 2 * turns), 0.0, 1e-10, SOURCE
    yield "its rate", apart(wheel.speed, -SPEED * slope), 0.0, 1e-9, SOURCE
    acceleration = result["wheel"].angular_acceleration[:, 2]
    yield "its acceleration", apart(acceleration, -(SPEED**2) * bend), 0.0, 1e-7, SOURCE
    torque = INERTIA * SPEED**2 * bend * slope
    yield "torque of the crank", apart(crank.drive, torque), 0.0, 1e-10, "power of the wheel"
    entries = [event.time for event in result.events.of("lock") if event.after == "off"]
    exact = [(2 * np.pi * k - np.pi / 4) / SPEED for k in range(1, len(entries) + 1)]
    yield "slots that take the pin", float(len(entries)), 4.0, 0.5, "one in each turn"
    yield "times at which they do", float(np.abs(np.subtract(entries, exact)).max()), 0.0, 1e-9, SOURCE
