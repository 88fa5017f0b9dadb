"""Keys of a beam, and its stiffnesses."""

from __future__ import annotations

from math import pi, tanh
from typing import Annotated, Any

import numpy as np

from mbplugin.errors import NOT_GIVEN, SceneError, suggestion
from mbplugin.interface import Array, Entries, NonNegative, Number, Numbers, Parameters, Positive
from mbplugin_forces.ends import refuse_coincident

#: sine of the angle of y of a and the beam below which it gives no direction across the beam
SMALLEST_SINE = 1e-3
#: terms of the series of a rectangle's torsion constant, which falls like n⁻⁵
TERMS = 400
#: keys of each section
SECTIONS = (("radius",), ("radius", "inner"), ("width", "height"))
#: keys that a section takes the place of
OF_SECTION = (
    "area",
    "second_moment_y",
    "second_moment_z",
    "torsion_constant",
    "shear_factor_y",
    "shear_factor_z",
)


class BeamParameters(Parameters):
    young: Positive
    """Young's modulus [Pa]."""
    poisson: Number = 0.3
    """Poisson's ratio; the shear modulus is E/(2 (1 + ν))."""
    section: dict[str, Positive] | None = None
    """{ radius } of a rod, { radius, inner } of a tube or { width, height } along y and z [m]."""
    area: Positive | None = None
    """Area of the section [m²], if no `section` is given; also the following."""
    second_moment_y: Positive | None = None
    """∫ z² dA, for bending about y [m⁴]."""
    second_moment_z: Positive | None = None
    """∫ y² dA, for bending about z [m⁴]."""
    torsion_constant: Positive | None = None
    """Saint-Venant's constant J [m⁴]: the torque is G J times the twist per length."""
    shear_factor_y: NonNegative | None = None
    """κ of shear along y: κ A is the area that bears it; 0: no shear, as of Bernoulli's beam."""
    shear_factor_z: NonNegative | None = None
    """The same along z."""
    length: Positive | None = None
    """Free length [m]; default: the distance of the markers in the scene as written."""
    stiffness_damping: NonNegative = 0.0
    """Damping, as a time [s]: times the stiffnesses."""


class BeamNumbers(Parameters):
    """Numbers of the kernel of a beam: its stiffnesses, and the sections in axes of the markers."""

    length: float
    stiffness_damping: float
    axial: float  # N/m
    torsion: float  # N·m/rad, as all that follow
    same_y: float
    other_y: float
    same_z: float
    other_z: float
    section_a: Annotated[Numbers, Entries("", 9)]
    section_b: Annotated[Numbers, Entries("", 9)]


def completed(params: BeamParameters, markers: Any) -> BeamNumbers:
    """Numbers of the kernel; markers: (x, R) of a and b at t = 0. Raises SceneError."""
    refuse_coincident(markers, "length", params.length)
    if not -1.0 < params.poisson <= 0.5:
        raise SceneError("poisson", params.poisson, "must be greater than -1 and at most 0.5")
    (xa, Ra), (xb, Rb) = markers
    d = xb - xa
    distance = float(np.linalg.norm(d))
    L, E, G = params.length or distance, params.young, params.young / (2.0 * (1.0 + params.poisson))
    area, Iy, Iz, J, ky, kz = properties(params)

    def bending(inertia: float, factor: float) -> tuple[float, float]:
        shear = 12.0 * E * inertia / (factor * G * area * L * L) if factor else 0.0
        unit = E * inertia / ((1.0 + shear) * L)
        return (4.0 + shear) * unit, (2.0 - shear) * unit

    x = d / distance
    z = np.cross(x, Ra[:, 1])
    if np.linalg.norm(z) < SMALLEST_SINE:
        mend = "its y axis is y of marker a, which is along the beam here; turn that marker"
        raise SceneError("a", mend=mend)
    z /= np.linalg.norm(z)
    axes = np.column_stack([x, np.cross(z, x), z])
    (same_y, other_y), (same_z, other_z) = bending(Iy, kz), bending(Iz, ky)
    return BeamNumbers.model_construct(
        length=L,
        stiffness_damping=params.stiffness_damping,
        axial=E * area / L,
        torsion=G * J / L,
        same_y=same_y,
        other_y=other_y,
        same_z=same_z,
        other_z=other_z,
        section_a=numbers_of(Ra.T @ axes),
        section_b=numbers_of(Rb.T @ axes),
    )


def numbers_of(R: Array) -> tuple[float, ...]:
    return tuple(R.ravel().tolist())


def properties(params: BeamParameters) -> tuple[float, ...]:
    """A, Iy, Iz, J, κy, κz. Raises SceneError."""
    given = {key: getattr(params, key) for key in OF_SECTION}
    section = params.section
    if section is None:
        missing = next((key for key in OF_SECTION[:4] if given[key] is None), None)
        if missing:
            mend = "is missing: give a `section`, or area, second moments and torsion constant"
            raise SceneError(missing, NOT_GIVEN, mend)
        return tuple(0.0 if value is None else value for value in given.values())
    twice = next((key for key in OF_SECTION if given[key] is not None), None)
    if twice:
        raise SceneError(twice, given[twice], "follows from `section`; keep one of them")
    if tuple(sorted(section)) not in {tuple(sorted(keys)) for keys in SECTIONS}:
        names = [key for keys in SECTIONS for key in keys]
        unknown = next((key for key in section if key not in names), "")
        mend = "must be { radius }, { radius, inner } or { width, height }"
        raise SceneError("section", dict(section), mend + (suggestion(unknown, names) if unknown else ""))
    if "radius" in section:
        return tube(section["radius"], section.get("inner", 0.0), params.poisson)
    return rectangle(section["width"], section["height"], params.poisson)


def tube(radius: float, inner: float, poisson: float) -> tuple[float, ...]:
    """A, Iy, Iz, J, κy, κz of a circle or a tube. κ: G. R. Cowper, J. Appl. Mech. 33 (1966), 335."""
    if inner >= radius:
        raise SceneError("section.inner", inner, f"must be less than the radius, {radius:g} m")
    second = pi / 4.0 * (radius**4 - inner**4)
    m = (1.0 + (inner / radius) ** 2) ** 2
    factor = 6.0 * (1.0 + poisson) * m
    factor /= (7.0 + 6.0 * poisson) * m + (20.0 + 12.0 * poisson) * (inner / radius) ** 2
    return pi * (radius**2 - inner**2), second, second, 2.0 * second, factor, factor


def rectangle(width: float, height: float, poisson: float) -> tuple[float, ...]:
    """The same of a rectangle. J: S. P. Timoshenko and J. N. Goodier, Theory of Elasticity (1951), § 94."""
    long, short = max(width, height), min(width, height)
    series = sum(tanh(n * pi * long / (2.0 * short)) / n**5 for n in range(1, TERMS, 2))
    J = long * short**3 / 3.0 * (1.0 - 192.0 * short / (pi**5 * long) * series)
    factor = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson)
    second = width * height**3 / 12.0, height * width**3 / 12.0
    return width * height, *second, J, factor, factor
