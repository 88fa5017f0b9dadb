"""Bodies that are meshes of finite elements, and loads on their faces."""

from mbplugin.interface import hookimpl
from mbplugin_flexible.finite_element import FiniteElement
from mbplugin_flexible.loads.pressure import Pressure
from mbplugin_flexible.loads.traction import Traction


@hookimpl
def mbplugin_body_kinds(register):
    register(FiniteElement)


@hookimpl
def mbplugin_force_elements(register):
    register(Pressure)
    register(Traction)
