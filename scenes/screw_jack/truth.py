"""z = h θ, h = p/(2π):  (J + m h²) θ̈ = T − m g h,  m the mass of spindle and load together."""

import numpy as np

G, PITCH, TORQUE, LOAD, SPINDLE, MOMENT = 9.81, 0.006, 20.0, 2000.0, 10.0, 0.05
SOURCE = "one equation in the angle"


def truth(result):
    h, m = PITCH / (2.0 * np.pi), LOAD + SPINDLE
    rate = (TORQUE - m * G * h) / (MOMENT + m * h * h)
    angle = 0.5 * rate * result.time**2
    found = result.coordinate("nut.angle").value
    yield "angle of the spindle, all frames", np.abs(found - angle).max(), 0.0, 1e-8, SOURCE
    yield "turns at the end", found[-1] / (2.0 * np.pi), angle[-1] / (2.0 * np.pi), 1e-8, SOURCE
    lift = result["load"].position[:, 2] - 0.6
    yield "lift of the load, all frames", np.abs(lift - h * found).max(), 0.0, 1e-12, "pitch times turns"
    head = result.joint("head").local_force
    yield (
        "force at the head, all frames",
        np.abs(head[:, 2] - LOAD * (G + h * rate)).max(),
        0.0,
        1e-6,
        "weight and acceleration of the load",
    )
    yield (
        "force at the head along it",
        (np.abs(head[:, :2]).max(axis=1) / head[:, 2]).max(),
        0.0,
        1e-13,
        "free directions",
    )
    nut = result.joint("nut")
    yield (
        "force of the thread, all frames",
        np.abs(nut.local_force[:, 2] - m * (G + h * rate)).max(),
        0.0,
        1e-6,
        "weight and acceleration of both",
    )
    yield (
        "torque of the thread, all frames",
        np.abs(nut.local_torque[:, 2] + h * nut.local_force[:, 2]).max(),
        0.0,
        1e-10,
        "a thread without friction does no work",
    )
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-7, "work of the torque"
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
