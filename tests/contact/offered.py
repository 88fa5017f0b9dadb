"""The plugins with the solver `contact`, installed or not."""

from __future__ import annotations

import functools

import mbplugin_contact

from mbplugin.hooks.load import load_plugins


@functools.cache
def with_contact():
    installed = load_plugins()
    if "contact" in installed[0].names("solver"):
        return installed
    return load_plugins(extra=[("contact", mbplugin_contact)])
