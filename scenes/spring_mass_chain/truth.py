"""Fixed chain of n masses:  f_i = (1/π) √(k/m) sin(i π / (2 (n + 1)));  shape i: sin(i j π/(n + 1)) at mass
j.
"""

import numpy as np

ANALYSIS = "eigen"
M, K, N = 10.0, 1e5, 8
#: Code_Aster SDLD02 (VPCS SDLD 02/89) [Hz]
PUBLISHED = (5.5274, 10.8868, 15.9155, 20.4606, 24.3839, 27.5664, 29.9113, 31.3474)


def truth(report):
    yield "modes", len(report.modes), N, 0.5, "eight masses on a line"
    j = np.arange(1, N + 1)
    for i, published in enumerate(PUBLISHED, start=1):
        mode = report.modes[i - 1]
        exact = np.sqrt(K / M) * np.sin(i * np.pi / (2 * (N + 1))) / np.pi
        yield f"frequency {i}", mode.omega / (2.0 * np.pi), exact, 1e-9 * exact, "closed form"
        yield (
            f"published frequency {i}",
            mode.omega / (2.0 * np.pi),
            published,
            6e-5,
            "SDLD02, printed digits",
        )
        line = np.sin(i * j * np.pi / (N + 1))
        along = mode.shape[::6]
        yield (
            f"shape {i}",
            np.abs(along @ line) / np.linalg.norm(line) / np.linalg.norm(along),
            1.0,
            1e-9,
            "closed form",
        )
