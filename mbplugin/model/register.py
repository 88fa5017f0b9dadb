"""Names in use in a system, and checks of references to bodies and markers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbplugin.errors import SceneError, suggestion
from mbplugin.model.body import Body
from mbplugin.model.marker import Marker
from mbplugin.model.names import GROUND


class Register:
    """All names in use in a system."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}  # by kind: "joint", "force", ...; "expression" for symbols
        self.bodies: dict[str, Body] = {}  # by name

    def add(self, kind: str, name: str, key: str) -> None:
        """Take a name for the element at `key`. Raises SceneError if it is in use."""
        used = self.names.setdefault(kind, set())
        if name in used:
            raise SceneError(f"{key}.name", name, f"another {kind} has this name; names must be unique")
        used.add(name)

    def free_name(self, kind: str, name: str) -> str:
        """`name` if it is free, else with the next free number: spring, spring_2, spring_3."""
        used = self.names.get(kind, set())
        stem, _, digits = name.rpartition("_")
        if not digits.isdigit():
            if name not in used:
                return name
            stem, digits = name, "2"
        number = int(digits)
        while f"{stem}_{number}" in used:
            number += 1
        return f"{stem}_{number}"

    def body(self, name: str) -> Body:
        """The body with this name. Raises SceneError."""
        if name not in self.bodies:
            raise SceneError("body", name, f"there is no such body{suggestion(name, self.bodies)}")
        return self.bodies[name]

    def check_references(
        self,
        key: str,
        references: Mapping[str, str | None],  # those with their own key, by that key
        markers: tuple[str, ...] | None,  # the references in the list `markers`
        ground_markers: tuple[Marker, ...],
    ) -> None:
        """Check all references of the element at `key`. Raises SceneError."""
        if markers is not None and (beside := [name for name, one in references.items() if one is not None]):
            mend = "`markers` lists all markers; leave this out, or leave out `markers`"
            raise SceneError(f"{key}.{beside[0]}", references[beside[0]], mend)
        for name, reference in references.items():
            if reference is not None:
                self.check_reference(reference, f"{key}.{name}", ground_markers)
        for k, reference in enumerate(markers or ()):
            self.check_reference(reference, f"{key}.markers[{k}]", ground_markers)

    def check_reference(self, reference: str, key: str, ground_markers: tuple[Marker, ...]) -> None:
        """Check that the body and its marker exist. Raises SceneError at `key`."""
        body, _, marker = reference.partition(".")
        on_ground = body == GROUND
        if not on_ground and body not in self.bodies:
            others = suggestion(body, [GROUND, *self.bodies])
            raise SceneError(key, reference, f'there is no body "{body}"{others}')
        markers = [m.name for m in (ground_markers if on_ground else self.bodies[body].markers)]
        if not marker or marker in markers:
            return
        owner = '"ground"' if on_ground else f'body "{body}"'
        hint = suggestion(marker, markers)
        if on_ground and not markers:
            hint = "; define it in `[scene] marker`, or give the point with `at`"
        raise SceneError(key, reference, f'{owner} has no marker "{marker}"{hint}')


def ends_of(element: Any) -> list[tuple[str, str]]:
    """(key, reference) of the markers of a joint or force."""
    if element.markers:
        return [(f"markers[{k}]", reference) for k, reference in enumerate(element.markers)]
    return [(key, one) for key in ("a", "b", "body") if (one := getattr(element, key, None)) is not None]
