"""Runs of generated scenes as plain arrays, by the public interface alone, but for the velocities of a step
before they are projected onto the constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
from hollow_solids import FOLDER
from images import rotation
from mbplugin_bodies.spatial import principal

import mbplugin as mb
from mbplugin.stepping import Bodies

Array = Any


@dataclass
class Given:
    """A body as the scene gives it."""

    name: str
    type: str
    mass: float
    inertia: Array  # (3, 3) about the mass centre, axes of the body
    centre: Array  # mass centre, axes of the body


@dataclass
class Step:
    """What a step of the solver `contact` has done."""

    start: float
    end: float
    element: list[str]
    body: list[str]
    impulse: Array  # (n, 3)
    angular: Array  # (n, 3)
    residual: float  # [m/s]
    contacts: Any  # arrays side by side, as `Simulation.list("contacts")`
    v: dict[str, Array]  # (3,) at the end, before the projection onto the constraints
    w: dict[str, Array]  # world axes, in the middle of the step


@dataclass
class Run:
    """n steps: states at their ends, (n + 1, ...), by body; impulses of each step."""

    h: float
    bodies: list[Given]
    time: Array
    x: dict[str, Array]  # of the mass centre
    R: dict[str, Array]  # (n + 1, 3, 3)
    v: dict[str, Array]
    w: dict[str, Array]  # world axes
    steps: list[Step | None]  # None: its end is a new start, and nothing else is known of it
    messages: list[tuple[float, str, str]]
    frames: dict[str, tuple[Array, Array]] = field(default_factory=dict)  # joints at t = 0: position, axes


def rotated(axis: Array) -> Array:
    """(3, 3) rotation by the vector `axis` [rad], Rodrigues."""
    angle = float(np.linalg.norm(axis))
    if angle == 0.0:
        return np.eye(3)
    n = np.asarray(axis) / angle
    K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


class Recorder:
    """A simulation, and what it has been seen to do."""

    def __init__(self, text: str) -> None:
        self.system = mb.System.from_text(text, folder=FOLDER)
        self.simulation = self.system.simulate()
        self.given = []
        for body in self.system.bodies:
            of = body.mass_properties()
            inertia, centre = np.array(of.inertia, float), np.array(of.center_of_mass, float)
            self.given.append(Given(body.name, body.type, float(of.mass), inertia, centre))
        self.principal = {
            body.name: principal(body.inertia)[1] for body in self.given if body.type == "spatial"
        }
        self.times: list[float] = []
        self.states: list[Array] = []
        self.steps: list[Step | None] = []
        self.frames = {}
        for joint in self.system.joints:
            view = self.simulation.joint(joint.name)
            self.frames[joint.name] = (np.array(view.position), rotation(view.orientation))
        self.see()

    def see(self) -> None:
        """Record the present state."""
        self.times.append(self.simulation.time)
        views = [self.simulation[body.name] for body in self.given]
        self.states.append(
            [
                np.concatenate(
                    [
                        *(one.center_of_mass, one.center_of_mass_velocity, one.angular_velocity),
                        rotation(one.orientation).ravel(),
                    ]
                )
                for one in views
            ]
        )

    def see_step(self) -> None:
        """Record the last step, and the state at its end."""
        before = self.states[-1]
        self.see()
        found = self.simulation.impulses()
        listed = self.simulation.list("contacts") if self.has_contacts else SimpleNamespace(body_a=[])
        contacts = SimpleNamespace(**{key: np.array(array) for key, array in vars(listed).items()})
        residual = self.simulation.output("contact.residual")
        arrays = found.impulse.copy(), found.angular_impulse.copy()
        velocities = self.before_projection(before, found.end - found.start)
        self.steps.append(
            Step(found.start, found.end, found.element, found.body, *arrays, residual, contacts, *velocities)
        )

    @property
    def has_contacts(self) -> bool:
        return "contacts" in self.simulation._prepared.recorder.lists()

    def before_projection(self, before: list[Array], h: float) -> tuple[dict[str, Array], dict[str, Array]]:
        """v and ω at the end of the last step, as its equations gave them."""
        prepared = self.simulation._prepared
        v1 = prepared.solver.kind.middle(prepared.problem).v1
        places = prepared.problem[Bodies].index[prepared.problem.names.body_index]
        v, w = {}, {}
        for body, state, place in zip(self.given, before, places):
            first = int(place["first_v"])
            match body.type:
                case "planar":
                    a, b, rate = v1[first : first + 3]
                    v[body.name], w[body.name] = np.array([a, 0.0, b]), np.array([0.0, -rate, 0.0])
                case "point":
                    v[body.name], w[body.name] = v1[first : first + 3].copy(), np.zeros(3)
                case _:
                    R = rotated(0.5 * h * state[6:9]) @ state[9:].reshape(3, 3)
                    v[body.name] = v1[first : first + 3].copy()
                    w[body.name] = R @ self.principal[body.name] @ v1[first + 3 : first + 6]
        return v, w

    def advance(self, until: float, impulses: bool, splits: bool) -> None:
        """By a step; by two, if a force jumps within it and the solver ends a step there. Of a step that the
        solver has divided, since its bodies turn fast, nothing is known but its end.
        """
        saved = self.simulation.save() if splits else None
        begin = self.simulation.time
        self.simulation.run(until)
        if not impulses:
            self.see()
            return
        if not splits and self.simulation.impulses().start > begin + 1e-9 * (until - begin):
            self.see()
            self.steps.append(None)
            return
        if splits and (start := self.simulation.impulses().start) > begin:
            self.simulation.load(saved)
            self.simulation.run(start)  # where the solver begins anew
            self.see()
            self.steps.append(None)
            self.simulation.run(until)
        self.see_step()

    def run(self, h: float) -> Run:
        names = [body.name for body in self.given]
        all = np.array(self.states).reshape(len(self.times), len(names), 18)
        pick = lambda i, j: {name: all[:, k, i:j] for k, name in enumerate(names)}
        R = {name: array.reshape(-1, 3, 3) for name, array in pick(9, 18).items()}
        parts = np.array(self.times), pick(0, 3), R, pick(3, 6), pick(6, 9)
        return Run(h, self.given, *parts, self.steps, list(self.simulation.messages), self.frames)


def record(
    text: str, n: int, impulses: bool = True, dt: float | None = None, jumps: Sequence[float] = ()
) -> Run:
    """n steps of a scene; dt: between states, by default the solver's step; jumps: when forces jump."""
    recorder = Recorder(text)
    h = float(dt if dt is not None else recorder.system.solver.raw["step"])
    for k in range(1, n + 1):
        splits = any((k - 1) * h < time <= k * h for time in jumps)
        recorder.advance(k * h, impulses, splits)
        if recorder.simulation.stopped:
            break
    return recorder.run(h)
