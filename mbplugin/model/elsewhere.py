"""Words of other programs for a table, a type or a key, and how a scene says it."""

from __future__ import annotations

from collections.abc import Collection

BEAM = (
    'a beam is a [[force]] of type = "beam" between two bodies or, with a mass of its own, a body of type = '
    '"finite_element" with mesh = { shape = "beam", ... } and a [[material]]'
)
CABLE = (
    'a cable that only pulls and does not stretch is a joint of type = "rope", round a drum "capstan"; one '
    "with a mass of its own is a chain of bodies"
)
BUSHING = (
    'a bushing is a [[force]] of type = "bushing" between `a` and `b` with stiffness = [1e6, 1e6, 1e4], '
    "damping, angular_stiffness and angular_damping along the axes of a"
)
CAM = (
    "a cam is a [[spline]] of the angle, read by a [[motion]] of the follower or, where it may lift off, by "
    'the `gap` of a joint of type = "unilateral"'
)
TIRE = (
    'there is no model of a tire: a wheel that rolls without slip is a joint of type = "wheel" or '
    '"rolling_disc", and the forces of a law of your own are a [[force]] with expressions'
)
UNITS = (
    "all numbers are in SI units (m, kg, s, N) and angles in radians, in keys that end in `_deg` in degrees; "
    "convert the others"
)
#: name, in lower case and in the singular -> what to write
INSTEAD = {
    "bushing": BUSHING,
    "mount": BUSHING,
    "beam": BEAM,
    "cable": CABLE,
    "tendon": CABLE,
    "cam": CAM,
    "belt": 'a belt that does not slip is a joint of type = "gear" on the hinges of its pulleys, with '
    'internal = true unless it is crossed; one with friction on a drum is a "capstan"',
    "tire": TIRE,
    "tyre": TIRE,
    "unit": UNITS,
}


def instead(name: str, known: Collection[str] = ()) -> str:
    """What to write for a name of another program; "" if it is none that is listed here, or a misspelt one of
    those that are known.
    """
    word = name.lower()
    if word.removesuffix("s") in known:
        return ""
    return INSTEAD.get(word) or INSTEAD.get(word.removesuffix("s"), "")
