"""Frames of markers at t = 0: named ones, and those that a joint or force creates."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model import Joint, System
from mbplugin.model.orientation import matrix
from mbplugin.model.plane import AXES, NORMAL
from mbplugin.tables.spec import Array


class Frame(NamedTuple):
    """A frame on a body, in world axes at t = 0."""

    body: int  # -1: ground
    x: Array  # (3,) [m]
    R: Array  # (3, 3), axes as columns
    marker: str = ""  # name of the marker of the scene, if there is one


def plane_axes(plane: str) -> Array:
    """(3, 3) columns e₁, e₂, n of the scene's plane."""
    axes = np.zeros((3, 3))
    axes[AXES[plane][0], 0] = axes[AXES[plane][1], 1] = 1.0
    axes[:, 2] = NORMAL[plane]
    return axes


def with_axis(axis: Any) -> Array:
    """(3, 3) axes as columns: z along `axis`, x the world axis farthest from z, made orthogonal to z;
    read-only.
    """
    return axes_along(np.asarray(axis, float).tobytes())


@functools.lru_cache(maxsize=1024)
def axes_along(axis: bytes) -> Array:
    """The same; by the bits of the axis, since 0.0 == -0.0."""
    z = np.frombuffer(axis)
    z = z / np.linalg.norm(z)
    x = np.zeros(3)
    x[int(np.argmin(np.abs(z)))] = 1.0
    x -= (x @ z) * z
    x /= np.linalg.norm(x)
    y = z[[1, 2, 0]] * x[[2, 0, 1]] - z[[2, 0, 1]] * x[[1, 2, 0]]  # z × x
    R = np.empty((3, 3))
    R[:, 0], R[:, 1], R[:, 2] = x, y, z
    R.setflags(write=False)
    return R


def named_frame(system: System, reference: str, index: dict[str, int]) -> tuple[int, Frame | None]:
    """Number of the body in "body" or "body.marker", and the frame of the marker; None if none is named."""
    body_name, _, marker_name = reference.partition(".")
    if body_name == "ground":
        ground_marker = next((m for m in system.scene.markers if m.name == marker_name), None)
        if ground_marker is None:
            return -1, None
        position = np.array(ground_marker.position, float)
        return -1, Frame(-1, position, matrix(tuple(ground_marker.rotation())))
    body = system.body(body_name)
    number = index[body_name]
    if not marker_name:
        return number, None
    marker = next(m for m in body.markers if m.name == marker_name)
    R = body.axes()
    position, axes = body.place_of(marker)
    return number, Frame(number, np.array(body.position) + R @ position, R @ axes, marker_name)


def on_body(system: System, reference: str, index: dict[str, int], at: Array | None = None) -> Frame:
    """Frame of a force's marker: the named one, or one with the body's axes at the world point `at` [m].

    Default of `at`: the mass centre; on the ground, the origin.
    """
    number, frame = named_frame(system, reference, index)
    if frame is not None:
        return frame
    if number < 0:
        return Frame(-1, np.zeros(3) if at is None else at, np.eye(3))
    if at is not None:
        return Frame(number, at, system.body(reference).axes())
    body = system.body(reference)
    R = body.axes()
    centre = body.mass_properties().center_of_mass if body.has_mass else np.zeros(3)
    return Frame(number, np.array(body.position) + R @ centre, R)


def joint_frames(
    system: System,
    joint: Joint,
    key: str,
    index: dict[str, int],
    planar: bool,
    slides: bool,
    at_mass_centres: bool = False,
) -> tuple[Frame, ...]:
    """Frames of a joint's markers at t = 0. Raises SceneError.

    planar: z is the plane's normal, or of a slider (`slides`) its direction in the plane, with y the normal
    at_mass_centres: a bare body is its mass centre, and `at` the point of a bare "ground" if there is one
    """
    references = joint.markers if joint.markers else tuple(r for r in (joint.a, joint.b) if r is not None)
    ends = [named_frame(system, reference, index) for reference in references]
    named = [frame for _, frame in ends if frame is not None]
    first = named[0] if named else None
    at = (
        np.array(joint.at, float) if joint.at is not None else (first.x if first is not None else np.zeros(3))
    )
    if named and joint.at is not None and len(named) == len(ends):
        raise SceneError(
            f"{key}.at",
            list(joint.at),
            "the markers define the joint's position; leave out `at`, or name bodies instead of markers",
        )
    axes = joint_axes(system, joint, key, planar, slides, first)
    given = None if joint.at is None else at
    of_ground = any(number < 0 and frame is None for number, frame in ends)
    frames = []
    for reference, (number, frame) in zip(references, ends):
        if frame is None and at_mass_centres:
            x = on_body(system, reference, index, given if number < 0 or not of_ground else None).x
        else:
            x = frame.x if frame is not None else at
        R = axes if axes is not None else (frame.R if frame is not None else np.eye(3))
        frames.append(Frame(number, x, R, frame.marker if frame is not None else ""))
    return tuple(frames)


def joint_axes(
    system: System, joint: Joint, key: str, planar: bool, slides: bool, first: Frame | None
) -> Array | None:
    """(3, 3) common axes of a joint's markers; None: each named marker keeps its own. Raises SceneError."""
    n = np.array(NORMAL[system.scene.plane])
    if planar and slides:
        z = np.array(
            joint.axis
            if joint.axis is not None
            else (first.R[:, 2] if first is not None else plane_axes(system.scene.plane)[:, 0]),
            float,
        )
        if abs(z @ n) > 1e-9 * np.linalg.norm(z):
            raise SceneError(
                f"{key}.axis",
                list(map(float, z)),
                f"must lie in the plane {system.scene.plane} of the planar bodies",
            )
        z /= np.linalg.norm(z)
        return np.column_stack([np.cross(n, z), n, z])
    if planar:
        if joint.axis is not None and np.linalg.norm(np.cross(joint.axis, n)) > 1e-9 * np.linalg.norm(
            joint.axis
        ):
            raise SceneError(
                f"{key}.axis",
                list(joint.axis),
                f"planar bodies rotate about the normal {n.tolist()} of the plane; leave it out",
            )
        return with_axis(n)
    if joint.axis is not None:
        return with_axis(joint.axis)
    if first is None:
        return np.eye(3)
    both = joint.a is not None and joint.b is not None and "." in joint.a and "." in joint.b
    return None if both or joint.markers else first.R
