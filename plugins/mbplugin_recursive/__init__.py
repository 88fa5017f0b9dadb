"""Methods in joint coordinates: bodies that joints carry are links of a tree."""

from __future__ import annotations

from mbplugin.interface import MethodKind, hookimpl


class ArticulatedBody(MethodKind):
    """M⁻¹ by the articulated-body recursion (Featherstone 1983): O(N), M is never formed."""

    name = "articulated_body"
    coordinates = "joint"
    engine = True


class MassMatrix(MethodKind):
    """M of each tree, formed and factored: the composite-rigid-body algorithm (Walker and Orin 1982)."""

    name = "mass_matrix"
    coordinates = "joint"
    engine = True
    forms_mass_matrix = True


@hookimpl
def mbplugin_methods(register):
    register(ArticulatedBody)
    register(MassMatrix)
