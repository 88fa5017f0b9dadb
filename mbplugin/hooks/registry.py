"""What all loaded plugins offer, by category and name. Two offers of one name are an error when the name is
used.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Any

from mbplugin.errors import PluginError, SceneError
from mbplugin.hooks.specs import OFFERS
from mbplugin.interface import (
    BodyKind,
    ConstraintKind,
    EnforcementKind,
    ExpressionFunction,
    ForceKind,
    Measure,
    MethodKind,
    SolverKind,
)


@dataclass
class Offer:
    """One thing that one plugin offers."""

    name: str
    thing: Any
    plugin: str
    distribution: str


@dataclass
class Registry:
    """category (the words of `OFFERS`) -> name -> offers, more than one where plugins clash."""

    offers: dict[str, dict[str, list[Offer]]] = field(
        default_factory=lambda: {word: {} for word in OFFERS.values()}
    )
    problems: dict[str, str] = field(default_factory=dict)  # plugin -> why it is not there
    homes: dict[str, str] = field(
        default_factory=dict
    )  # top-level module of a third party's plugin -> its name and distribution

    def add(self, category: str, name: str, thing: Any, plugin: str, distribution: str) -> None:
        self.offers[category].setdefault(name, []).append(Offer(name, thing, plugin, distribution))

    def names(self, category: str) -> list[str]:
        return sorted(self.offers[category])

    def of_plugin(self, plugin: str, distribution: str | None = None) -> dict[str, list[str]]:
        """category -> names that one plugin offers; `distribution` tells namesakes apart."""
        found = {
            category: sorted(
                name
                for name, offers in names.items()
                if any(o.plugin == plugin and distribution in (None, o.distribution) for o in offers)
            )
            for category, names in self.offers.items()
        }
        return {category: names for category, names in found.items() if names}

    def clashes(self) -> list[str]:
        """One line for each name that is offered twice."""
        return [
            clash(category, name, offers)
            for category, names in self.offers.items()
            for name, offers in names.items()
            if len(offers) > 1
        ]

    def find(self, category: str, name: str, key: str = "") -> Any:
        """The thing of that name; a clash is a PluginError, an unknown name a SceneError at `key` with the
        nearest known name.
        """
        offers = self.offers[category].get(name, [])
        if len(offers) > 1:
            raise PluginError(clash(category, name, offers))
        if offers:
            thing = offers[0].thing
            return thing() if category == "tableau" and callable(thing) else thing
        near = difflib.get_close_matches(name, self.offers[category], 1)
        hint = f'did you mean "{near[0]}"?' if near else f"known: {', '.join(self.names(category))}"
        broken = "".join(f"; plugin {plugin} is not loaded: {why}" for plugin, why in self.problems.items())
        raise SceneError(key=key, value=name, mend=f"no plugin offers this {category}; {hint}{broken}")

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

    def function(self, name: str, key: str = "") -> type[ExpressionFunction]:
        return self.find("function", name, key)

    def solver(self, name: str, key: str = "") -> type[SolverKind]:
        return self.find("solver", name, key)

    def method(self, name: str, key: str = "") -> type[MethodKind]:
        return self.find("method", name, key)


def clash(category: str, name: str, offers: list[Offer]) -> str:
    """Two offers of one name, and what to do."""
    who = " and ".join(f"{o.plugin} (distribution {o.distribution})" for o in offers)
    # two plugins of one name are told apart by their distributions
    options = dict.fromkeys(
        o.plugin if len({x.plugin for x in offers}) > 1 else o.distribution for o in offers
    )
    mend = (
        f"disable one with {' or '.join(f'--no-plugin {option}' for option in options)}"
        if len(options) > 1
        else "it must be registered once"
    )
    return f'two plugins offer the {category} "{name}": {who}; {mend}'
