"""m ẍ + k x = −f sign ẋ: half swings of π √(m/k) about ±f/k, until |k x| ≤ f at a turning point."""

import numpy as np

K, F, START, SPEED = 1.0, 1.0, 12.0, 6.0
SOURCE = "half swings about ±f/k"


def swings():
    """Times and places of the turning points, the last of which is where the mass stays."""
    radius = np.hypot(START + F / K, SPEED)
    times, places = [np.arctan2(SPEED, START + F / K)], [radius - F / K]
    while abs(places[-1]) > F / K:
        x = places[-1]
        places.append(-x + np.sign(x) * 2.0 * F / K)
        times.append(times[-1] + np.pi)
    return np.array(times), np.array(places)


def exact(t):
    times, places = swings()
    k = np.searchsorted(times, t)
    if k == 0:
        return (START + F / K) * np.cos(t) + SPEED * np.sin(t) - F / K
    if k == len(times):
        return places[-1]
    middle = 0.5 * (places[k - 1] + places[k])
    return middle + (places[k - 1] - middle) * np.cos(t - times[k - 1])


def truth(result):
    x = result["mass"].position[:, 0]
    found = np.array([exact(t) for t in result.time])
    # it turns at the end of a step: each turn may take up to a step longer
    yield "place, all frames", np.abs(x - found).max(), 0.0, 2e-2, SOURCE
    yield "place of rest", x[-1], 0.6821789367236466, 1.35e-4, "closed form; Siconos is off by 1.35e-4"
    rests = result.time > swings()[0][-1] + 0.1
    yield "speed at rest", np.abs(result["mass"].velocity[rests]).max(), 0.0, 1e-12, "static friction"
