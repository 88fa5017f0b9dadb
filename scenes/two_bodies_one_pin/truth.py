"""The constraint force algorithm, equations 3 and 5 to 13, by hand; signs as there: M U̇ + Gᵀ F = R,  G_A
U̇_A + G_B U̇_B = C.
"""

import numpy as np

M_A, M_B = np.diag([2.0, 2.0, 0.3]), np.diag([1.5, 1.5, 0.2])
R_A, R_B = np.array([3.0, 1.0 - 2.0 * 9.81, 0.0]), np.array([0.0, -1.5 * 9.81, 0.7])
ARM_A, ARM_B = np.array([1.0, 0.2]), np.array([-0.8, -0.3])
W_A, W_B = 0.5, -1.0
G_A = np.array([[1.0, 0.0, -ARM_A[1]], [0.0, 1.0, ARM_A[0]]])
G_B = -np.array([[1.0, 0.0, -ARM_B[1]], [0.0, 1.0, ARM_B[0]]])
# a_AB = a_A + α × r − ω² r on both sides
C = W_A**2 * ARM_A - W_B**2 * ARM_B


def eliminated():
    """Equations 7 to 13."""
    X_A, Y_A = np.linalg.solve(M_A, G_A.T), np.linalg.solve(M_A, R_A)
    X_B, Y_B = np.linalg.solve(M_B, G_B.T), np.linalg.solve(M_B, R_B)
    F = np.linalg.solve(G_A @ X_A + G_B @ X_B, G_A @ Y_A + G_B @ Y_B - C)
    return Y_A - X_A @ F, Y_B - X_B @ F, F


def whole():
    """All eight equations at once."""
    K = np.zeros((8, 8))
    K[:3, :3], K[3:6, 3:6] = M_A, M_B
    K[:3, 6:], K[3:6, 6:], K[6:, :3], K[6:, 3:6] = G_A.T, G_B.T, G_A, G_B
    return np.linalg.solve(K, np.concatenate([R_A, R_B, C]))


def truth(result):
    u_A, u_B, F = eliminated()
    at_once = whole()
    for name, u, other in (("A", u_A, at_once[:3]), ("B", u_B, at_once[3:6])):
        body = result[name]
        found = [body.acceleration[0, 0], body.acceleration[0, 1], body.angular_acceleration[0, 2]]
        for k, word in enumerate(("x", "y", "angular")):
            yield (
                f"acceleration of {name}, {word}",
                found[k],
                u[k],
                1e-11,
                "constraint force algorithm, equations 11 and 12",
            )
            yield (
                f"acceleration of {name}, {word}, all at once",
                found[k],
                other[k],
                1e-11,
                "the 8 x 8 system",
            )
    # −G_Bᵀ F acts on B, so the force on B is +F
    for k, word in enumerate("xy"):
        yield (
            f"pin force on B, {word}",
            result.joint("pin").force[0, k],
            F[k],
            1e-11,
            "constraint force algorithm, equation 13",
        )
    yield "energy balance", np.abs(result.energy.balance).max(), 0.0, 1e-8, "work of the force and the torque"
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
