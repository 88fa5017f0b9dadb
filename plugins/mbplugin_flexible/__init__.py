"""Bodies that are meshes of finite elements."""

from mbplugin.interface import hookimpl
from mbplugin_flexible.finite_element import FiniteElement


@hookimpl
def mbplugin_body_kinds(register):
    register(FiniteElement)
