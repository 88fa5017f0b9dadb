"""The basic constraints; a joint is a list of them.

| basic | rows | constrains |
|---|---|---|
| Dot1(i, j) | 1 | axis i of a is perpendicular to axis j of b |
| DotProduct(to) | 1 | the dot product of the z axes is `to` |
| Dot2(i) | 1 | axis i of a is perpendicular to the vector from a to b |
| Spherical() | 3 | the markers coincide |
| Distance(to) | 1 | the distance of the markers is `to` |
| Parallel() | 2 | the z axes are parallel: Dot1(x, z) and Dot1(y, z) |
| Orientation() | 3 | the frames are parallel |
| NoTwist() | 1 | the rotation from a to b has an axis perpendicular to z: bending without twist |
"""

from __future__ import annotations

from mbplugin.interface import Basic
from mbplugin_joints import measures


def Dot1(i: str, j: str) -> tuple[Basic, ...]:
    third = ({"x", "y", "z"} - {i, j}).pop() if i != j else i
    return (Basic(measures.Dot(i, j), (f"rotation about {third}",), name=f"Dot1({i}, {j})"),)


def DotProduct(to: str) -> tuple[Basic, ...]:
    return (Basic(measures.Dot("z", "z"), ("angle of the axes",), to=to, name="DotProduct"),)


def Dot2(i: str) -> tuple[Basic, ...]:
    return (Basic(measures.Component(i), (f"translation along {i}",), name=f"Dot2({i})"),)


def Spherical() -> tuple[Basic, ...]:
    labels = ("translation along world x", "translation along world y", "translation along world z")
    return (Basic(measures.Separation, labels, name="Spherical"),)


def Distance(to: str) -> tuple[Basic, ...]:
    return (Basic(measures.Distance, ("distance",), to=to, name="Distance"),)


def Parallel() -> tuple[Basic, ...]:
    return (*Dot1("x", "z"), *Dot1("y", "z"))


def Orientation() -> tuple[Basic, ...]:
    return (
        Basic(
            measures.Turn, ("rotation about x", "rotation about y", "rotation about z"), name="Orientation"
        ),
    )


def NoTwist() -> tuple[Basic, ...]:
    return (Basic(measures.Twist, ("rotation about z",), name="NoTwist"),)
