"""Runs of one scene in maximal and in joint coordinates, compared."""

from __future__ import annotations

from typing import Any

import numpy as np

import mbplugin as mb

#: arrays of a result, and the factor of a tolerance of positions with which they are compared
COMPARED = {
    "bodies/center_of_mass": 1.0,
    "bodies/orientation": 1.0,
    "bodies/center_of_mass_velocity": 10.0,
    "bodies/angular_velocity": 10.0,
    "bodies/acceleration": 100.0,
    "bodies/angular_acceleration": 100.0,
    "bodies/kinetic_energy": 10.0,
    "coordinates/value": 1.0,
    "coordinates/speed": 10.0,
    "coordinates/drive": 100.0,
    "energy/kinetic": 10.0,
    "energy/potential": 10.0,
    "forces/wrench": 10.0,
    "states/value": 10.0,
}
#: of joints, where they are determined
REACTIONS = ("joints/force", "joints/torque")
#: part of the largest impulse up to which strikes are those at the end of a series of impacts: their number
#: depends on rounding, and so does the time at which the series has ended, to LATE [s]. Flights lower than
#: the gap of 1e-10 m at which a limit counts as reached last 2 √(2e-10 m / a), about 1e-5 s at 10 m/s²
LITTLE, LATE = 1e-3, 1e-5
#: what a limit or a rope does that holds
HOLDS = ("at limit", "taut")


def in_both(text: str, **solver: Any) -> tuple[mb.Result, mb.Result]:
    """The results in maximal and in joint coordinates; `solver`: further keys of those in joint ones."""
    found = []
    for coordinates, more in (("maximal", {}), ("joint", solver)):
        system = mb.System.from_text(text)
        system.solver.raw.update({"coordinates": coordinates, **more})
        found.append(system.run(files=False))
    return found[0], found[1]


def differences(maximal: mb.Result, joint: mb.Result) -> dict[str, float]:
    """Of each array, relative to its largest value, over the factor of its tolerance."""
    found = {}
    for key, factor in COMPARED.items():
        if key in maximal.raw:
            a, b = (np.asarray(result.raw[key][:], float) for result in (maximal, joint))
            if key == "bodies/orientation":
                # q and −q are one orientation
                a, b = (q[..., :, None] * q[..., None, :] for q in (a, b))
            found[key] = relative(a, b) / factor
    determined = np.asarray(maximal.raw["joints/determined"][:])
    for k, key in enumerate(REACTIONS):
        a, b = (np.asarray(result.raw[key][:]) for result in (maximal, joint))
        sound = np.broadcast_to(determined[..., 3 * k : 3 * k + 3].min(axis=-1) == 2, a.shape[:-1])
        found[key] = relative(a[sound], b[sound]) / 100.0
    found["loads/wrench"] = difference_of_loads(maximal, joint, (determined == 2).all(axis=(0, 2))) / 100.0
    return found


def difference_of_loads(maximal: mb.Result, joint: mb.Result, sound: Any) -> float:
    """Of the loads on bodies, without joints that share reactions; sound: (joints,) those that do not."""
    names = [result.raw.attribute("loads/name") for result in (maximal, joint)]
    assert names[0] == names[1]
    shared = {name for name, one in zip(maximal.raw.attribute("joints/name"), sound) if not one}
    kept = [k for k, element in enumerate(maximal.raw.attribute("loads/element")) if element not in shared]
    a, b = (np.asarray(result.raw["loads/wrench"][:])[:, kept] for result in (maximal, joint))
    return relative(a, b)


def relative(a: Any, b: Any) -> float:
    assert a.shape == b.shape
    if not a.size:
        return 0.0
    assert np.array_equal(np.isnan(a), np.isnan(b))
    scale = max(float(np.nanmax(np.abs(a), initial=0.0)), 1e-2)
    return float(np.nanmax(np.abs(a - b), initial=0.0)) / scale


def same_events(maximal: mb.Result, joint: mb.Result, tolerance: float) -> None:
    """Elements, statuses and degrees of freedom are the same, and times to their bound, where `tolerance` [s]
    is that of strikes that are not little; but little strikes that change no status.
    """
    largest = float(np.abs(maximal.events.impulse).max(initial=0.0))
    little = lambda event: 0.0 < abs(event.impulse) <= LITTLE * largest
    a, b = (
        [event for event in result.events if event.before != event.after or not little(event)]
        for result in (maximal, joint)
    )
    told = lambda found: [(event.element, event.before, event.after, event.dof) for event in found]
    assert told(a) == told(b)
    for one, other in zip(a, b):
        bound = max(tolerance * slowness(event, largest) for event in (one, other))
        assert abs(one.time - other.time) < min(bound, max(tolerance, LATE)), (one, other)


def slowness(event: Any, largest: float) -> float:
    """How many times later or earlier than a strike of the impulse LITTLE · `largest` an event may be.

    A gap s that is wrong by ε closes ε / |ṡ| too early or too late, and the impulse of a strike is in
    proportion to ṡ. A row that begins to hold without an impulse does so at the end of a series: ṡ is 0.
    """
    closes = event.impulse != 0.0 or (event.after in HOLDS and event.before not in HOLDS)
    if not closes or largest == 0.0:
        return 1.0
    return max(1.0, LITTLE * largest / max(abs(event.impulse), 1e-300))
