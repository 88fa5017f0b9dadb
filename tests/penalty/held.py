"""Third-party kinds around penalties, and scenes of a mass on an enforced joint."""

from __future__ import annotations

from scene_text import body, joint, solver, world

from mbplugin.interface import (
    ACCELERATION_LEVEL,
    VELOCITY_LEVEL,
    Basic,
    ConstraintKind,
    EnforcementKind,
    Function,
    Parameters,
    Positive,
    hookimpl,
)

MASS, G = 2.0, 9.81


def penalty(**keys) -> dict[str, object]:
    """Value of `enforce`."""
    return {"type": "penalty", **keys}


def mass(
    enforce: object,
    more: str = "",
    kind: str = "fixed",
    gravity: float = G,
    how: dict[str, object] | None = None,
    **keys: object,
) -> str:
    """Text of a mass of 2 kg at the origin on a joint to the ground, under gravity along −z; `keys` of the
    joint, `how`: those of the solver.
    """
    return (
        world(gravity=[0, 0, -gravity])
        + body("mass", mass=MASS, inertia=[0.02, 0.03, 0.04])
        + joint("held", kind, "ground", "mass", enforce=enforce, **keys)
        + more
        + solver(**(how or {"tolerance": 1e-11}), end=1.0)
    )


def open_mass(enforce: object, gravity: float = G) -> str:
    """Text of the same mass, 0.01 m from where a fixed joint wants it along x."""
    return (
        world(gravity=[0, 0, -gravity], marker=[{"name": "hook", "position": [0.01, 0, 0]}])
        + body("mass", mass=MASS, inertia=[0.02, 0.03, 0.04], marker=[{"name": "foot"}])
        + joint("held", "fixed", "ground.hook", "mass.foot", enforce=enforce)
        + solver(tolerance=1e-11, end=1.0)
    )


class Cubic(EnforcementKind):
    """load = −k Φ³,  V = ¼ k Φ⁴, and a damper."""

    class Keys(Parameters):
        stiffness: Positive
        damping: Positive

    name = "foreign_cubic"
    parameters = Keys
    values = ("stiffness", "damping")

    @staticmethod
    def kernel(p, phi, phi_dot, load, energy, power):
        load[0] = -p.stiffness * phi**3 - p.damping * phi_dot
        energy[0] = 0.25 * p.stiffness * phi**4
        power[0] = -p.damping * phi_dot**2


class NoSpeed(ConstraintKind):
    """b does not move along the world's x as seen from a: one row at velocity level."""

    name = "foreign_no_speed"
    labels = ("velocity along x",)
    level = VELOCITY_LEVEL

    @staticmethod
    def kernel(G, gamma):
        for k in range(12):
            G[k] = 0.0
        G[0], G[6], gamma[0] = -1.0, 1.0, 0.0


class Pushed(ConstraintKind):
    """The relative acceleration along the world's x is 1 m/s²: one row at acceleration level."""

    name = "foreign_pushed"
    labels = ("acceleration along x",)
    level = ACCELERATION_LEVEL

    @staticmethod
    def kernel(G, gamma):
        for k in range(12):
            G[k] = 0.0
        G[0], G[6], gamma[0] = -1.0, 1.0, 1.0


class Lift(ConstraintKind):
    """The height of b above a is a function of time."""

    class Keys(Parameters):
        height: Function

    name = "foreign_lift"
    parameters = Keys
    basics = (Basic("component_z", ("height",), to="height"),)


@hookimpl
def mbplugin_enforcements(register):
    register(Cubic)


@hookimpl
def mbplugin_constraint_types(register):
    register(NoSpeed)
    register(Pushed)
    register(Lift)
