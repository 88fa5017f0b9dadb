"""A spring on a joint coordinate that hardens:  f = −k s³,  V = ¼ k s⁴."""

from mbplugin.interface import COORDINATE, ForceKind, Parameters, Positive


class HardeningParameters(Parameters):
    stiffness: Positive
    """Stiffness [N·m/rad³] or [N/m³]."""


class Hardening(ForceKind):
    name = "foreign_hardening"
    parameters = HardeningParameters
    measures = (COORDINATE,)
    examples = ({"stiffness": 3.0, "joint": {"type": "translational"}},)

    @staticmethod
    def kernel(p, s, J, wrench, energy):
        f = -p.stiffness * s[0] ** 3
        for m in range(2):
            for k in range(6):
                wrench[m, k] = f * J[6 * m + k]
        energy[0] = 0.25 * p.stiffness * s[0] ** 4
