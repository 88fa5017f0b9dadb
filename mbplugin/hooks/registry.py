"""Registry of all offers of the loaded plugins. A name that is offered twice is an error when it is used."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mbplugin.errors import PluginError, SceneError, listed
from mbplugin.hooks.specs import BASES
from mbplugin.interface import (
    BodyKind,
    ConstraintKind,
    ContactLaw,
    EnforcementKind,
    ExpressionFunction,
    ForceKind,
    Measure,
    ShapeKind,
    SolverKind,
)
from mbplugin.model.elsewhere import instead
from mbplugin.model.table import validated

CONTACT = (
    "bodies that touch are no element: give them shapes, `collide = true` and a `[[material]]`; "
    "`[[contact]]` is for pairs with values of their own"
)
#: (category, name) that people look for elsewhere -> what to write
INSTEAD = {
    (category, name): CONTACT
    for category in ("force element", "constraint type")
    for name in ("contact", "friction", "collision")
}
#: categories of the elements of a scene
ELEMENTS = ("body kind", "constraint type", "force element")
#: (category, name in other packages) -> name here
ELSEWHERE = {
    ("constraint type", "prismatic"): "translational",
    ("constraint type", "slider"): "translational",
    ("constraint type", "hinge"): "revolute",
    ("constraint type", "spherical"): "ball",
    ("constraint type", "weld"): "fixed",
    ("constraint type", "hooke"): "universal",
    ("force element", "spring"): "spring_damper",
    ("force element", "damper"): "spring_damper",
    ("force element", "torsion_spring"): "torsion_spring_damper",
    ("body kind", "rigid"): "spatial",
}


@dataclass
class Offer:
    """One item offered by a plugin."""

    name: str
    thing: Any  # the measure, or the class of the kind
    plugin: str  # name of the plugin
    distribution: str  # name of its distribution


@dataclass
class Registry:
    """All offers of the loaded plugins."""

    #: category (see `HOOKS`) -> name -> offers, more than one in a clash
    offers: dict[str, dict[str, list[Offer]]] = field(
        default_factory=lambda: {category: {} for category in BASES}
    )
    #: plugin -> why it was not loaded
    problems: dict[str, str] = field(default_factory=dict)
    #: top-level module of a third-party plugin -> "name (distribution ...)"
    homes: dict[str, str] = field(default_factory=dict)

    def add(self, category: str, name: str, thing: Any, plugin: str, distribution: str) -> None:
        self.offers[category].setdefault(name, []).append(Offer(name, thing, plugin, distribution))

    def names(self, category: str) -> list[str]:
        return sorted(self.offers[category])

    def of_plugin(self, plugin: str, distribution: str | None = None) -> dict[str, list[str]]:
        """category -> names offered by a plugin; `distribution` distinguishes plugins with the same name."""
        names_of: dict[str, list[str]] = {}
        for category, by_name in self.offers.items():
            names = [
                name
                for name, offers in by_name.items()
                if any(o.plugin == plugin and distribution in (None, o.distribution) for o in offers)
                # parts of bodies that deform are no shapes that a scene can name
                and all(getattr(o.thing, "written", True) for o in offers)
            ]
            if names:
                names_of[category] = sorted(names)
        return names_of

    def clashes(self) -> list[str]:
        """A message for each name that is offered more than once."""
        return [
            clash_message(category, name, offers)
            for category, names in self.offers.items()
            for name, offers in names.items()
            if len(offers) > 1
        ]

    def find(self, category: str, name: str, key: str = "") -> Any:
        """The item with this name. Raises PluginError for a clash, SceneError (at `key`) if it is unknown."""
        offers = self.offers[category].get(name, [])
        if len(offers) > 1:
            raise PluginError(clash_message(category, name, offers))
        if offers:
            thing = offers[0].thing
            return thing() if category == "tableau" and callable(thing) else thing
        similar = difflib.get_close_matches(name, self.offers[category], 1)
        same = ELSEWHERE.get((category, name))
        if same in self.offers[category]:
            similar = [same]
        hint = f'did you mean "{similar[0]}"?' if similar else f"known: {', '.join(self.names(category))}"
        hint = INSTEAD.get((category, name), hint)
        if category in ELEMENTS and (other := instead(name)):
            hint = other
        mend = f"no plugin offers this {category}; {hint}{self.not_loaded}"
        raise SceneError(key=key, value=name, mend=mend)

    @property
    def not_loaded(self) -> str:
        """The plugins that were not loaded, to end a message about an unknown name; often empty. A warning
        has said why.
        """
        return "".join(
            f"; plugin {plugin} is not loaded (`mbplugin plugins` says why)" for plugin in self.problems
        )

    def body_kind(self, name: str, key: str = "") -> type[BodyKind]:
        return self.find("body kind", name, key)

    def measure(self, name: str, key: str = "") -> Measure:
        return self.find("measure", name, key)

    def constraint(self, name: str, key: str = "") -> type[ConstraintKind]:
        return self.find("constraint type", name, key)

    def enforcement(self, name: str, key: str = "") -> type[EnforcementKind]:
        return self.find("enforcement", name, key)

    def force(self, name: str, key: str = "") -> type[ForceKind]:
        return self.find("force element", name, key)

    def shape(self, name: str, key: str = "") -> type[ShapeKind]:
        return self.find("shape", name, key)

    def contact_law(self, name: str, key: str = "") -> type[ContactLaw]:
        return self.find("contact law", name, key)

    def function(self, name: str, key: str = "") -> type[ExpressionFunction]:
        return self.find("function", name, key)

    def solver(self, name: str, key: str = "") -> type[SolverKind]:
        return self.find("solver", name, key)

    def exporter(self, suffix: str, key: str = "") -> Any:
        """The exporter of files with this suffix. Raises PluginError for a clash, SceneError."""
        suffixes = {name: offers[0].thing.suffix for name, offers in self.offers["exporter"].items()}
        names = [name for name, its in suffixes.items() if its == suffix]
        if len(names) > 1:
            clash = listed(f'"{name}" of {self.offers["exporter"][name][0].plugin}' for name in names)
            raise PluginError(f"several exporters write {suffix}: {clash}; leave one of the plugins out")
        if not names:
            mend = f"no plugin writes such files; known: {', '.join(sorted(suffixes.values()))}"
            raise SceneError(key, suffix, f"{mend}{self.not_loaded}")
        return self.find("exporter", names[0], key)


def clash_message(category: str, name: str, offers: list[Offer]) -> str:
    """The message for a name that is offered more than once."""
    plugins = " and ".join(f"{offer.plugin} (distribution {offer.distribution})" for offer in offers)
    names = dict.fromkeys(offer.plugin for offer in offers)
    if len(names) == 1:  # plugins with the same name are distinguished by their distributions
        names = dict.fromkeys(offer.distribution for offer in offers)
    mend = "register it only once"
    if len(names) > 1:
        mend = f"disable one with {' or '.join(f'--no-plugin {name}' for name in names)}"
    return f'two plugins offer the {category} "{name}": {plugins}; {mend}'


def validated_keys(kind: Any, keys: Mapping[str, Any], who: str, where: str = "") -> Any:
    """The parameters of a kind from the keys that a user gives; None of a kind without. Raises SceneError.

    who: the kind, for messages; where: what its keys stand below
    """
    if kind.parameters is not None:
        return validated(kind.parameters, keys, where)
    for key, value in keys.items():
        raise SceneError(f"{where}.{key}" if where else key, value, f"{who} has no keys")
    return None
