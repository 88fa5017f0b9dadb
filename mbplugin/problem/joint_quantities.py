"""Quantities of a system for control laws: its mass matrix and the forces of its own motion, over the
coordinates of its joints.

    M(s) ṡ' + bias(s, ṡ) = τ + Gᵀ λ          ṡ: velocities, with the names of `joint_names`
"""

from __future__ import annotations

from typing import Any

from mbplugin.tables.spec import Array


class JointQuantities:
    """Methods of problems and simulations, at their present state; whatever coordinates their solver has."""

    def _joint_space(self) -> Any:
        """The `JointSpace` (`run/joint_space.py`) at the present state."""
        raise NotImplementedError

    def joint_names(self) -> list[str]:
        """(n,) names of the velocities: "elbow.angle"; of a ball "hip.wx", "hip.wy", "hip.wz", about the axes
        of the marker on the body that it carries; of a body that no joint carries "base.x" to "base.z", of
        the mass centre along world axes, and "base.wx" to "base.wz", about the axes of the body frame; of a
        planar one "base.x", "base.y" and "base.angle".
        """
        return list(self._joint_space().names)

    def joint_positions(self) -> Array:
        """(nq,) joint coordinates [rad] or [m]; of a ball a quaternion (w, x, y, z), of a body that no joint
        carries the mass centre and a quaternion.
        """
        return self._joint_space().positions()  # type: ignore[no-any-return]

    def joint_velocities(self) -> Array:
        """(n,) ṡ, in the order of `joint_names` [rad/s] or [m/s]."""
        return self._joint_space().velocities()  # type: ignore[no-any-return]

    def mass_matrix(self) -> Array:
        """(n, n) M of the bodies over ṡ, armatures included [kg·m², kg·m, kg].

        Joints that close loops, and motions, have no part in it. Raises PhysicsError.
        """
        return self._joint_space().mass_matrix()  # type: ignore[no-any-return]

    def bias_forces(self) -> Array:
        """(n,) Coriolis, centrifugal and gyroscopic forces and gravity of M s'' + bias = τ [N·m] or [N].

        The force elements of the scene are parts of τ. Raises PhysicsError.
        """
        return self._joint_space().bias_forces()  # type: ignore[no-any-return]

    def gravity_forces(self) -> Array:
        """(n,) the bias forces at rest: as τ they hold the bodies against gravity [N·m] or [N]. Raises
        PhysicsError.
        """
        return self._joint_space().gravity_forces()  # type: ignore[no-any-return]
