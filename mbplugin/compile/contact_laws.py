"""The laws of contact that `[[contact]]`s name, with their keys checked."""

from __future__ import annotations

import numpy as np

from mbplugin.errors import PluginError, SceneError, did_you_mean
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.model.contact import LAW_NUMBERS
from mbplugin.model.table import validated


def complete_contacts(system: System, registry: Registry) -> None:
    """Give contacts the laws of their types. Once is enough. Raises SceneError, PluginError."""
    if not registry.names("contact law"):
        return  # there is no solver with contacts either
    for k, contact in enumerate(system.contacts):
        if contact.kind is not None:
            continue
        key, known = f"contact[{k}]", type(contact).keys()
        law = registry.contact_law(contact.type, f"{key}.type")
        for name in contact.raw if law.parameters is None else ():
            hint = did_you_mean(name, known)
            raise SceneError(f"{key}.{name}", contact.raw[name], f'unknown key of law "{law.name}"{hint}')
        keys = None
        if law.parameters is not None:
            keys = validated(law.parameters, contact.raw, key, system.symbols, known, system.folder)
        numbers = tuple(law.numbers(keys))
        if len(numbers) > LAW_NUMBERS or not np.isfinite(numbers).all():
            mend = f"`numbers` of {key} are {numbers}; at most {LAW_NUMBERS} finite ones"
            raise PluginError(f'contact law "{law.name}": {mend}')
        contact.complete(law, numbers)
