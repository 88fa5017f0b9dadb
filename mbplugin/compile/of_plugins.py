"""The sensors, drawings and contacts of a scene get their kinds, and their keys are checked by these."""

from __future__ import annotations

import numpy as np

from mbplugin.compile.parameters import validated_keys
from mbplugin.errors import PluginError, errors_at
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.model.contact import LAW_NUMBERS


def complete_tables(system: System, registry: Registry) -> None:
    """Give sensors and drawings the kinds of their types. Once is enough. Raises SceneError, PluginError."""
    for category, tables in (("sensor", system.sensors), ("drawing", system.drawings)):
        for k, table in enumerate(tables):
            if table.kind is not None:
                continue
            key = f"{category}[{k}]"
            kind = registry.find(category, table.type, f"{key}.type")
            params = validated_keys(kind, table.raw, key, type(table).keys(), system)
            with errors_at(key):
                kind.check(params, system)
            table.complete(kind, params)


def complete_contacts(system: System, registry: Registry) -> None:
    """Give contacts the laws of their types. Once is enough. Raises SceneError, PluginError."""
    if not registry.names("contact law"):
        return  # there is no solver with contacts either
    for k, contact in enumerate(system.contacts):
        if contact.kind is not None:
            continue
        key = f"contact[{k}]"
        law = registry.contact_law(contact.type, f"{key}.type")
        keys = validated_keys(law, contact.raw, key, type(contact).keys(), system)
        numbers = tuple(map(float, law.numbers(keys)))
        if len(numbers) > LAW_NUMBERS or not np.isfinite(numbers).all():
            mend = f"`numbers` of {key} are {numbers}; at most {LAW_NUMBERS} finite ones"
            raise PluginError(f'contact law "{law.name}": {mend}')
        contact.complete(law, (*numbers, *(0.0,) * (LAW_NUMBERS - len(numbers))))
