"""2 μ N > m √(g² + a²): the cube moves with the hand, and the hand carries its weight."""

import numpy as np

G, MASSES, SHAKE, RATE, STEP = 9.81, 0.5 + 0.1 + 0.1 + 0.064, 1.962, 12.566370614359172, 1e-3
SOURCE = "Coulomb's law: the cube sticks"


def truth(result):
    cube, hand = result["cube"].position, result["hand"].position
    moved = cube - cube[0] - (hand - hand[0])
    yield "fall of the cube", np.abs(moved[:, 2]).max(), 0.0, 1e-12, SOURCE
    # the velocity of the hand is projected onto its motion, of which ¼ h² f''' is left: no creep
    yield "cube beside the hand", np.abs(moved).max(), 0.0, 0.55 * STEP**2 * SHAKE, SOURCE
    yield "cube in the hand after two shakes", np.abs(moved[-1]).max(), 0.0, 1e-10, SOURCE
    stroke = SHAKE / RATE**2 * (1.0 - np.cos(RATE * result.time))
    yield "stroke, all frames", np.abs(hand[:, 1] - stroke).max(), 0.0, 1e-12, "the motion"
    weight = np.abs(result.joint("carriage").force[1:, :]).max(axis=0)
    yield "weight on the carriage", np.sort(weight)[-1], MASSES * G, 1e-6, "m g of hand, fingers and cube"
