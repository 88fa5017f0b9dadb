"""Methods in joint coordinates: bodies that joints carry are links of a tree."""

from __future__ import annotations

from mbplugin.interface import MethodKind, hookimpl


class ArticulatedBody(MethodKind):
    """M⁻¹ by the articulated-body recursion (Featherstone 1983): O(N), M is never formed."""

    name = "articulated_body"
    coordinates = "joint"
    engine = True


@hookimpl
def mbplugin_methods(register):
    register(ArticulatedBody)
