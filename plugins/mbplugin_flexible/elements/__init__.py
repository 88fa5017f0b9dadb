"""Finite elements: `hex8`, `hex27`, `tet4` and `tet10`. Nodes are numbered as in VTK and meshio.

Before the run: `prepare_elements`, `lumped_mass`, `highest_frequency`. `KINDS[name]` has the sizes of a kind,
and `to_nodes` for stresses; `FUNCTIONS[name]` its compiled functions (`functions.py`).

    kind     equations                                          laws, the default first
    hex8     corotational, incompatible modes (`hex8.py`)       linear
    hex27    total Lagrangian (`total_lagrangian.py`)           saint_venant_kirchhoff, neo_hookean, linear
    tet4     total Lagrangian                                   the same; too stiff in bending and shear
    tet10    total Lagrangian                                   the same
"""

from mbplugin_flexible.elements import hex8, total_lagrangian
from mbplugin_flexible.elements.frequency import highest_frequency
from mbplugin_flexible.elements.functions import ElementFunctions, Elements
from mbplugin_flexible.elements.kinds import KINDS, ElementKind
from mbplugin_flexible.elements.mass import element_masses, lumped_mass
from mbplugin_flexible.elements.material import Material
from mbplugin_flexible.elements.prepare import prepare_elements
from mbplugin_flexible.elements.stiffness import rest_stiffness

#: kind of elements -> its compiled functions
FUNCTIONS = {
    name: hex8.FUNCTIONS if name == "hex8" else total_lagrangian.functions_of(kind)
    for name, kind in KINDS.items()
}

__all__ = [
    "FUNCTIONS",
    "KINDS",
    "ElementFunctions",
    "ElementKind",
    "Elements",
    "Material",
    "element_masses",
    "highest_frequency",
    "lumped_mass",
    "prepare_elements",
    "rest_stiffness",
]
