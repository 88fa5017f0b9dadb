"""Which of its optional coordinates a joint has: those that the scene names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mbplugin.compile.builder import Builder
from mbplugin.interface import ConstraintKind, Measure
from mbplugin.model import Joint, System
from mbplugin.model.joint import KEYS_OF_COORDINATES
from mbplugin.model.system import given_keys

#: a word such as "hip.swing"
DOTTED = re.compile(r"([A-Za-z_]\w*)\.([A-Za-z_]\w*)")


def named_coordinates(build: Builder, joint: Joint, kind: type[ConstraintKind]) -> dict[str, Measure | str]:
    """Name -> measure of those that keys of the joint, motions, forces or expressions name."""
    optional = kind.optional_coordinates
    if not optional:
        return {}
    given = [value for word in KEYS_OF_COORDINATES if (value := getattr(joint, word)) is not None]
    named = {name for value in given if isinstance(value, Mapping) for name in value}
    if named - {*optional, *kind.coordinates} or not all(isinstance(value, Mapping) for value in given):
        # messages on a key list them all
        named |= {*optional}
    named |= {motion.coordinate for _, motion in build.joint_motions.get(joint.name, [])}
    named |= {str(force.coordinate) for force in build.system.forces if force.joint == joint.name}
    if not build.dotted:
        build.dotted |= {("", ""), *dotted_words(build.system)}
    named |= {coordinate for name, coordinate in build.dotted if name == joint.name}
    return {name: measure for name, measure in optional.items() if name in named}


def dotted_words(system: System) -> Iterator[tuple[str, str]]:
    """The two parts of all words such as "hip.swing" in texts of a scene, but for bodies and shapes."""
    tables = (system.joints, system.motions, system.forces, system.variables, system.states, system.sensors)
    for elements in (*tables, system.transfer_functions, system.state_spaces, system.drawings):
        for element in elements:
            yield from words_of(given_keys(element))
    yield from words_of(system.solver.stop)


def words_of(value: Any) -> Iterator[tuple[str, str]]:
    """Those of a text, table or list."""
    if isinstance(value, str):
        yield from DOTTED.findall(value)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from words_of(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from words_of(one)
