"""Contact, friction and impact: shapes that collide, the exact law, and the solver `contact`."""

from __future__ import annotations

from typing import Any

from mbplugin.interface import hookimpl


@hookimpl
def mbplugin_shapes(register: Any) -> None:
    from mbplugin_contact.shapes import SHAPES
    from mbplugin_contact.triangles.faces import FacesKind, NodeKind

    for kind in (*SHAPES, FacesKind, NodeKind):
        register(kind)


@hookimpl
def mbplugin_contact_laws(register: Any) -> None:
    from mbplugin_contact.cohesion import Cohesion
    from mbplugin_contact.coulomb import Coulomb

    register(Coulomb)
    register(Cohesion)


@hookimpl
def mbplugin_solvers(register: Any) -> None:
    from mbplugin_contact.solver import ContactSolver

    register(ContactSolver)
