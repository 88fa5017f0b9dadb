"""Elastic keys of materials, for bodies that deform."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from mbplugin.model.quantities import NonNegative, Number, Positive, rule
from mbplugin.model.table import Table

#: of a material that resists each strain
Poisson = Annotated[
    Number, AfterValidator(rule((lambda nu: -1.0 < nu < 0.5, "must be greater than -1 and less than 0.5")))
]
#: elastic laws of isotropic materials
Elasticity = Literal["linear", "saint_venant_kirchhoff", "neo_hookean"]


class Elastic(Table):
    """Elasticity and damping of a material. A body that deforms needs some of the keys, as its kind says."""

    young: Positive | None = Field(default=None, description="Young's modulus, of bodies that deform [Pa]")
    poisson: Poisson | None = Field(
        default=None, description="Poisson's ratio, of bodies that deform; more than -1 and less than 0.5"
    )
    elasticity: Elasticity = Field(
        default="linear", description="elastic law; all are Hooke's law at small strains and any rotation"
    )
    mass_damping: NonNegative = Field(
        default=0.0, description="Rayleigh damping: force per momentum, also of rigid motion [1/s]"
    )
    stiffness_damping: NonNegative = Field(
        default=0.0, description="Rayleigh damping: viscous stress, as this time times stiffness [s]"
    )

    @property
    def elastic_keys(self) -> tuple[str, ...]:
        """The elastic keys that are given."""
        return tuple(key for key in Elastic.model_fields if key in self.model_fields_set)
