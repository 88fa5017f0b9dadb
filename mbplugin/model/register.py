"""The names that a system has given away, and whether references lead somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.model.body import Body
from mbplugin.model.marker import Marker
from mbplugin.model.names import GROUND


class Register:
    """Names by kind ("joint", "force", ...; "expression" for all that expressions read), and the bodies
    behind theirs.
    """

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}
        self.bodies: dict[str, Body] = {}

    def add(self, kind: str, name: str) -> None:
        self.names.setdefault(kind, set()).add(name)

    def check_new(self, kind: str, name: str, key: str) -> None:
        """Raises SceneError at `key` where the name is taken."""
        if name in self.names.get(kind, ()):
            raise SceneError(f"{key}.name", name, f"another {kind} has this name; names are unique")

    def free_name(self, kind: str, name: str) -> str:
        """`name`, with the next number at its end while it is taken."""
        taken = self.names.get(kind, set())
        stem, _, digits = name.rpartition("_")
        if not digits.isdigit():
            if name not in taken:
                return name
            stem, digits = name, "2"
        k = int(digits)
        while f"{stem}_{k}" in taken:
            k += 1
        return f"{stem}_{k}"

    def body(self, name: str) -> Body:
        """The body of that name. Raises SceneError."""
        if name not in self.bodies:
            raise SceneError("body", name, f"there is no such body{nearest(name, self.bodies)}")
        return self.bodies[name]

    def check_references(
        self,
        key: str,
        single: Mapping[str, str | None],
        several: tuple[str, ...] | None,
        on_ground: tuple[Marker, ...],
    ) -> None:
        """References under keys of their own and those of the list `markers`. Raises SceneError."""
        for name, reference in single.items():
            if reference is not None:
                self.check_reference(reference, f"{key}.{name}", on_ground)
        for k, reference in enumerate(several or ()):
            self.check_reference(reference, f"{key}.markers[{k}]", on_ground)

    def check_reference(self, reference: str, key: str, on_ground: tuple[Marker, ...]) -> None:
        """The body, and its marker, exist; on_ground: the markers of the ground. Raises SceneError at `key`."""
        body, _, marker = reference.partition(".")
        if body != GROUND and body not in self.bodies:
            raise SceneError(
                key, reference, f'there is no body "{body}"{nearest(body, [GROUND, *self.bodies])}'
            )
        markers = [m.name for m in (on_ground if body == GROUND else self.bodies[body].markers)]
        if marker and marker not in markers:
            who = '"ground"' if body == GROUND else f'body "{body}"'
            where = (
                "; give it in `[scene] marker`, or the point by `at`"
                if body == GROUND and not markers
                else nearest(marker, markers)
            )
            raise SceneError(key, reference, f'{who} has no marker "{marker}"{where}')


def nearest(word: str, known: Iterable[str]) -> str:
    """The name that was perhaps meant, else all that there are."""
    return did_you_mean(word, known) or f"; there are {listed(known)}"
