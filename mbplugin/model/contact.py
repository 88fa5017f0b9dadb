"""Materials, and what holds between two bodies that touch: `[[material]]` and `[[contact]]`."""

from __future__ import annotations

from math import sqrt
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, model_validator

from mbplugin.errors import SceneError
from mbplugin.model.names import Name
from mbplugin.model.of_plugin import OfPlugin
from mbplugin.model.quantities import NonNegative, Number, Positive, rule
from mbplugin.model.shape import SurfaceFaces
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


Restitution = Annotated[
    NonNegative, AfterValidator(rule((lambda e: e <= 1.0, "must be from 0 (no rebound) to 1 (no loss)")))
]
#: law of contact where none is named
DEFAULT_LAW = "coulomb"
#: numbers that a law may have of its own for two surfaces
LAW_NUMBERS = 4


class Surface(Table):
    """Friction, also of rolling and spinning, and restitution."""

    friction: NonNegative = Field(default=0.0, description="coefficient of kinetic friction")
    friction_static: NonNegative | None = Field(
        default=None, description="coefficient of static friction; default that of kinetic friction"
    )
    restitution: Restitution = Field(
        default=0.0, description="ratio of the speeds after and before an impact, 0 to 1"
    )
    rolling_friction: NonNegative = Field(
        default=0.0,
        description="lever of rolling friction, the largest ratio of the moment across the normal to the "
        "normal force [m]",
    )
    spinning_friction: NonNegative = Field(
        default=0.0,
        description="lever of spinning friction, the largest ratio of the moment about the normal to the "
        "normal force [m]",
    )

    @model_validator(mode="after")
    def check_friction(self) -> Self:
        if self.friction_static is not None and self.friction_static < self.friction:
            mend = f"must be at least the kinetic `friction`, {self.friction:g}"
            raise SceneError("friction_static", self.friction_static, mend)
        return self

    @property
    def static(self) -> float:
        """Coefficient of static friction."""
        return self.friction if self.friction_static is None else self.friction_static


class Material(Elastic, Surface):
    """A `[[material]]`: how surfaces of it touch each other, its density, and how it deforms."""

    name: Name = Field(description="name, unique among the materials")
    density: Positive | None = Field(
        default=None, description="of bodies of this material that give neither mass nor density [kg/m³]"
    )


class Contact(OfPlugin, Surface):
    """A `[[contact]]`: what holds between two bodies or two materials instead of what their materials say.

    Its law (`type`) checks the keys in `raw`, and makes numbers of them, its `params`.
    """

    type: str = Field(default=DEFAULT_LAW, description="law of contact; `mbplugin plugins` lists them")

    a: str = Field(description='a body, "ground" or a material')
    b: str = Field(description="the other one; may be the same material")
    collide: bool = Field(default=True, description="false: the two pass through each other")


class OfPair(NamedTuple):
    """What holds between two surfaces."""

    friction: float  # kinetic
    static: float
    restitution: float
    rolling: float  # levers [m]
    spinning: float


def of_rule(rule: Surface) -> OfPair:
    """What a `[[contact]]` says of its two surfaces."""
    levers = rule.rolling_friction, rule.spinning_friction
    return OfPair(rule.friction, rule.static, rule.restitution, *levers)


def combined(one: Surface, other: Surface) -> OfPair:
    """Of two materials: the geometric means of all kinds of friction, and the smaller restitution."""
    a, b = of_rule(one), of_rule(other)
    means = OfPair(*(sqrt(x * y) for x, y in zip(a, b)))
    return means._replace(restitution=min(a.restitution, b.restitution))


def collides(owner: Any, shape: Any) -> bool:
    """Whether a shape of a body, or of the scene, collides. Faces do once a plugin lets them."""
    if isinstance(shape, SurfaceFaces) and shape.kind is None:
        return False
    return bool(owner.collide if shape.collide is None else shape.collide)


def touches(owner: Any, shape: Any) -> bool:
    """Whether a shape itself touches others: a mesh whose parts collide does not, they do."""
    return collides(owner, shape) and getattr(shape, "collision", "") != "parts"


#: types of bodies that touch by shapes only; `compile/body_content.py` checks those of other types
RIGID = ("spatial", "planar", "point")


def check_collisions(owner: Any, key: str) -> None:
    """Raises SceneError where a body, or the scene, has no shape that could collide as it is asked to."""
    if owner.collide and not owner.shapes and getattr(owner, "type", RIGID[0]) in RIGID:
        raise SceneError(f"{key}.collide", True, "there is no `shape` that could collide; give one")
