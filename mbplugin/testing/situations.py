"""Short runs with closed-form solutions; each needs something that a solver may miss.

A solver that derives from a base class of `mbplugin.stepping` inherits all of it; one that gives `start`
itself has to implement it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ellipj

from mbplugin.hooks.registry import Registry
from mbplugin.interface import ForceKind

NO_GRAVITY = "[scene]\ngravity = [0, 0, 0]\n"
BODY = '[[body]]\nname = "b"\nmass = 2\ninertia = [0.5, 0.4, 0.3]\n'
HINGE = '[[joint]]\nname = "j"\ntype = "revolute"\na = "ground"\nb = "b"\naxis = [0, 0, 1]\n'


@dataclass(frozen=True)
class Situation:
    """A scene that ends at 1 s, a quantity of its frames, and the closed form of that quantity."""

    needs: str  # what the solver has to handle
    text: str
    read: Callable[[dict[str, Any]], Any]
    truth: Callable[[float], Any]
    smooth: bool = False  # errors fall with the order of the solver


class Latch(ForceKind):
    """A force of 3 N towards x = 0, switched when the marker crosses x = 0."""

    name = "of the kit, with memory"
    markers = 1
    memory = 1
    events = 1

    @staticmethod
    def kernel(a, mem, wrench):
        for k in range(6):
            wrench[0, k] = 0.0
        wrench[0, 0] = 3.0 if mem[0] < 0.0 else -3.0

    @staticmethod
    def event(a, event):
        event[0] = a.x[0]

    @staticmethod
    def accept(a, mem_new):
        mem_new[0] = -1.0 if a.x[0] <= 0.0 else 1.0


class Fading(ForceKind):
    """A force along x that is an inner state of the element: it starts at 4 N and decays with exp(-3 t)."""

    name = "of the kit, with an inner state"
    markers = 1
    states = 1
    start_states = (4.0,)

    @staticmethod
    def kernel(a, x, wrench, x_dot):
        for k in range(6):
            wrench[0, k] = 0.0
        wrench[0, 0] = x[0]
        x_dot[0] = -3.0 * x[0]


def force_on_body(kind: type[ForceKind]) -> str:
    return f'[[force]]\nname = "f"\ntype = "{kind.name}"\nbody = "b"\n'


def angle_and_speed(frame: dict[str, Any]) -> list[float]:
    return [float(frame["coordinates/value"][0]), float(frame["coordinates/speed"][0])]


def place_and_speed(frame: dict[str, Any]) -> list[float]:
    return [float(frame["bodies/position"][0, 0]), float(frame["bodies/velocity"][0, 0])]


def pendulum(t: float) -> list[float]:
    """m g c = 9.81·2·0.25, J = 0.3 + 2·0.25² about the hinge; sin(θ/2) = k sn(Ω t), with 2 Ω k = 3 rad/s."""
    rate = np.sqrt(9.81 * 2 * 0.25 / (0.3 + 2 * 0.25**2))
    k = 3.0 / (2 * rate)
    sn, cn, _, _ = ellipj(rate * t, k**2)
    return [2 * np.arcsin(k * sn), 2 * rate * k * cn]


def oscillator(t: float) -> list[float]:
    """25 rad/s at the start, c / J = 1.25² s⁻²: the amplitude is 20 rad."""
    return [20.0 * np.sin(1.25 * t), 25.0 * np.cos(1.25 * t)]


def parabolas(t: float) -> list[float]:
    """F/m = 1.5 m/s² towards x = 0, from rest at 0.1 m."""
    quarter = np.sqrt(2 * 0.1 / 1.5)
    part, side = t % (4 * quarter), 1.0
    if quarter < part < 3 * quarter:
        part, side = part - 2 * quarter, -1.0
    elif part >= 3 * quarter:
        part -= 4 * quarter
    return [side * (0.1 - 0.75 * part**2), -side * 1.5 * part]


def faded(t: float) -> list[float]:
    """v = F₀ / (m a) (1 − exp(−a t)), from rest."""
    return [(t - (1 - np.exp(-3 * t)) / 3) * 2 / 3, (1 - np.exp(-3 * t)) * 2 / 3]


def driven(t: float) -> list[float]:
    return [t + 2 * max(0.0, t - 0.25), 3.0 if t > 0.25 else 1.0]


def state_of_scene(t: float) -> list[float]:
    """y = cos 2t of ÿ = −4 y turns the body with the torque 0.3 y."""
    return [(1 - np.cos(2 * t)) / 4, np.sin(2 * t) / 2]


def turning(speed: float) -> str:
    return HINGE + f"start = {{ speed = {speed} }}\n"


SITUATIONS = [
    Situation(
        "the integration formula: a pendulum",
        "[scene]\ngravity = [9.81, 0, 0]\n" + BODY + "position = [0.25, 0, 0]\n" + turning(3.0),
        angle_and_speed,
        pendulum,
        smooth=True,
    ),
    Situation(
        "counting turns: a torsion spring over several turns",
        NO_GRAVITY
        + BODY
        + turning(25.0)
        + '[[force]]\nname = "f"\ntype = "torsion_spring_damper"\na = "ground"\nb = "b"\n'
        + f"stiffness = {0.3 * 1.25**2}\n",
        angle_and_speed,
        oscillator,
    ),
    Situation(
        "events and memory: a force that flips when a body crosses a plane",
        NO_GRAVITY + BODY + "position = [0.1, 0, 0]\n" + force_on_body(Latch),
        place_and_speed,
        parabolas,
    ),
    Situation(
        "inner states of elements: a force that decays",
        NO_GRAVITY + BODY + force_on_body(Fading),
        place_and_speed,
        faded,
    ),
    Situation(
        "states of the scene: a torque from a differential equation",
        NO_GRAVITY
        + BODY
        + turning(0.0)
        + '[[state]]\nname = "y"\nrate = "w"\nstart = 1\n[[state]]\nname = "w"\nrate = "-4*y"\n'
        + '[[force]]\nname = "f"\ntype = "torque"\nbody = "b"\ntorque_z = "0.3*y"\n',
        angle_and_speed,
        state_of_scene,
    ),
    Situation(
        "impulses at jumps: a drive whose speed jumps",
        NO_GRAVITY + BODY + HINGE + '[[motion]]\njoint = "j"\nangle_velocity = "if(time >= 0.25, 3, 1)"\n',
        angle_and_speed,
        driven,
    ),
]


def offer_elements(registry: Registry) -> None:
    """Register the force elements of the situations."""
    for kind in (Latch, Fading):
        registry.add("force element", kind.name, kind, "the kit", "the kit")
