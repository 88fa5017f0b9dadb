"""The structure of a problem: what problems agree in that run with the same machine code and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mbplugin.compile.builder import Builder
from mbplugin.compile.switches import ON_DIFFERENCE, ON_SIGN
from mbplugin.model.expression import Expression
from mbplugin.tables import tape

#: operations at which an expression switches
SWITCHING = {*ON_SIGN, *ON_DIFFERENCE, tape.SELECT, tape.HAVERSINE_STEP}


class StructureError(Exception):
    """Two structures differ; str() says in what."""


@dataclass
class Structure:
    """Of one draft: tuples that are compared part by part.

    layout: of a problem with this structure that was changed before (`compile/refill.py`)
    """

    parts: dict[str, tuple[Any, ...]]
    layout: Any = None

    def compare(self, other: Structure) -> None:
        """Raises StructureError for the first part that differs."""
        for what, own in self.parts.items():
            before = other.parts[what]
            if own == before:
                continue
            if len(own) != len(before):
                raise StructureError(f"{what}: {len(before)} before, {len(own)} now")
            one = next(i for i, (a, b) in enumerate(zip(before, own)) if a != b)
            raise StructureError(f"{what}: {in_words(before[one])} before, {in_words(own[one])} now")


def in_words(entry: Any) -> str:
    """An entry, without what only tells machine code apart."""
    parts = entry if isinstance(entry, tuple) else (entry,)
    return " ".join(str(part) for part in parts if isinstance(part, str | int) and part != "")


def structure_of(build: Builder) -> Structure:
    """The structure of a draft."""
    draft, names = build.draft, build.names
    return Structure(
        {
            "bodies": tuple((b.name, b.kind.name, b.nq, b.nv, mass_form(b.plan.mass)) for b in build.bodies),
            "joints": tuple((joint.name, joint.type, joint.a, joint.b) for joint in names.joints),
            "constraint rows": tuple((r.owner, r.label, r.unit, r.level, r.mode) for r in draft.rows),
            "coordinates": tuple((c.name, c.unit) for c in names.coordinates),
            "force elements": tuple(names.forces),
            "elements": tuple((e.name, e.owner, (e.purpose, e.key)) for e in draft.elements),
            "states": tuple(zip(draft.state_names, draft.state_units)),
            "inputs": tuple((one.name, one.unit) for one in draft.inputs),
            "outputs": tuple(draft.outputs),
            "variables": tuple(build.names.variables),
            "implicit variables": tuple(map(str, draft.unknowns)),
            "functions of plugins": tuple(kernel.owner for kernel in draft.called),
            "shapes": tuple(
                (shape.type, owner.collide, shape.collide) for owner, _, shape in build.system.shapes()
            ),
            "contacts": (build.system.scene.contacts,),
            "laws of contact": tuple(getattr(law, "name", "") for law in build.system.contact_laws()),
            "conditions under which elements act": tuple(
                (one.name, one.what, draft_one.active >= 0, draft_one.release >= 0, draft_one.watched)
                for one, draft_one in zip(names.activities, draft.activities)
            ),
            "conditions that end a run": (draft.stop is not None,),
            "expressions that switch": (any(map(switches, draft.functions)),),
        }
    )


def mass_form(mass: Any) -> int:
    """Dimensions of a mass matrix; 0: not known yet."""
    return len(getattr(mass, "shape", ())) if mass is not None else 0


def switches(function: tuple[int, Expression, int]) -> bool:
    """Whether a bound expression of time may have a kink or a jump."""
    codes = set(function[1].tape.ops[:, 0].tolist())
    return tape.TIME in codes and not codes.isdisjoint(SWITCHING)
