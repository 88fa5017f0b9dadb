"""Keys of a bushing, and the numbers that its kernel gets."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import Array, Entries, Numbers, Parameters, Vector
from mbplugin_forces.laws import laws, listed, parted
from mbplugin_forces.relative_rotation import matrix_of

#: part of the largest entry up to which a matrix counts as symmetric, and its eigenvalues as not negative
ROUNDING_OF_MATRIX = 1e-9


class BushingParameters(Parameters):
    stiffness: laws("N/m", "m", "N") = None  # type: ignore[valid-type]
    """For x, y and z of a a stiffness [N/m], or a table of the restoring force over the deformation."""
    angular_stiffness: laws("N m/rad", "rad", "N m") = None  # type: ignore[valid-type]
    """The same of rotations [N·m/rad]."""
    damping: laws("N s/m", "m/s", "N") = None  # type: ignore[valid-type]
    """For x, y and z of a a damping [N·s/m], or a table of the force over the velocity that it resists."""
    angular_damping: laws("N m s/rad", "rad/s", "N m") = None  # type: ignore[valid-type]
    """The same of rotations [N·m·s/rad]."""
    stiffness_matrix: Annotated[Numbers, Entries("N/m, N/rad; N, N m/rad", 6, 6)] | None = None
    """In the place of both stiffnesses: force and torque over displacement and rotation, axes of a."""
    damping_matrix: Annotated[Numbers, Entries("N s/m, N s/rad; N s, N m s/rad", 6, 6)] | None = None
    """The same of dampings."""
    preload: Vector = (0.0, 0.0, 0.0)
    """Force on b without deformation [N], in axes of a."""
    preload_torque: Vector = (0.0, 0.0, 0.0)
    """Torque on b without deformation [N·m], in axes of a."""
    offset: Annotated[Numbers, Entries("m", 3)] | None = None
    """Position of b without deformation, in axes of a [m]; default as in the scene as written."""
    rotation: Annotated[Numbers, Entries("rad", 3)] | None = None
    """Rotation vector of b without deformation, in axes of a [rad]; default as in the scene as written."""


class BushingNumbers(Parameters):
    """Numbers of the kernel of a bushing; most have no matrix, whose 72 numbers would be half of the time."""

    k: Vector  # N/m
    k_theta: Vector  # N·m/rad
    c: Vector  # N·s/m
    c_theta: Vector  # N·m·s/rad
    preload: Vector
    preload_torque: Vector
    offset: Vector
    back: Annotated[Numbers, Entries("", 9)]  # R₀ᵀ
    matrices: Annotated[Numbers, Entries("")]  # K and C by blocks, beside these; or one zero
    curves: Annotated[Numbers, Entries("")]  # as `laws.listed` writes them; or one zero
    full: bool  # whether it has matrices
    damped: bool
    curved: bool


def completed(params: BushingParameters, markers: Any) -> BushingNumbers:
    """Numbers of the kernel; markers: (x, R) of a and b at t = 0. Raises SceneError."""
    (xa, Ra), (xb, Rb) = markers
    K, C = matrix(params, "stiffness"), matrix(params, "damping")
    given = [
        parted((0.0, 0.0, 0.0) if one is None else one)
        for one in (params.stiffness, params.angular_stiffness, params.damping, params.angular_damping)
    ]
    numbers, tables = [one for one, _ in given], [table for _, three in given for table in three]
    curved = any(table is not None for table in tables)
    if not (K.any() or C.any() or curved or np.any(numbers)):
        raise SceneError("stiffness", mend="is missing: a bushing has a `stiffness` or a `damping`")
    offset = Ra.T @ (xb - xa) if params.offset is None else np.array(params.offset)
    rest = Ra.T @ Rb if params.rotation is None else matrix_of(np.array(params.rotation))
    full = bool(K.any() or C.any())
    return BushingNumbers.model_construct(
        k=tuple(numbers[0]),
        k_theta=tuple(numbers[1]),
        c=tuple(numbers[2]),
        c_theta=tuple(numbers[3]),
        preload=params.preload,
        preload_torque=params.preload_torque,
        offset=tuple(offset.tolist()),
        back=tuple(rest.T.ravel().tolist()),
        matrices=tuple([*blocks(K), *blocks(C)]) if full else (0.0,),
        curves=tuple(listed(tables)) if curved else (0.0,),
        full=full,
        damped=bool(C.any() or np.any(numbers[2:])) or any(table is not None for table in tables[6:]),
        curved=curved,
    )


def blocks(A: Array) -> list[float]:
    """A (6, 6) as four blocks (3, 3), each row by row."""
    return [float(x) for i in (0, 3) for j in (0, 3) for x in A[i : i + 3, j : j + 3].ravel()]


def matrix(params: BushingParameters, name: str) -> Array:
    """The matrix (6, 6) of stiffnesses or dampings, 0 if it is not given. Raises SceneError."""
    key = f"{name}_matrix"
    whole = getattr(params, key)
    if whole is None:
        return np.zeros((6, 6))
    for other in (name, f"angular_{name}"):
        if getattr(params, other) is not None:
            raise SceneError(key, mend=f"is given beside `{other}`, which it contains; keep one of them")
    A = np.array(whole)
    size = float(np.abs(A).max())
    if np.abs(A - A.T).max() > ROUNDING_OF_MATRIX * size:
        r, c = np.unravel_index(np.abs(A - A.T).argmax(), A.shape)
        mend = (
            f"must be symmetric, and its entries [{r}][{c}] = {A[r, c]:g} and [{c}][{r}] = {A[c, r]:g} differ"
        )
        raise SceneError(key, mend=mend)
    least = float(np.linalg.eigvalsh(A)[0]) if size > 0.0 else 0.0
    if least < -ROUNDING_OF_MATRIX * size:
        raise SceneError(key, mend=f"has the negative eigenvalue {least:g}: it would drive the bodies apart")
    return 0.5 * (A + A.T)
