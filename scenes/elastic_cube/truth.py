"""Free vibrations of a cube, Poisson's ratio 0.3: ω a (ρ/μ)^½ by Ritz's method with polynomials of degree 14.

H. H. Demarest, J. Acoust. Soc. Am. 49 (1971) 768-775, whose method the tests carry out anew.
"""

import numpy as np

ANALYSIS, OPTIONS = "eigen", {"about": "start"}
EDGE, SHEAR, DENSITY = 0.1, 2e11 / 2.6, 7850.0
#: level, and how many modes have it
LEVELS = ((2.85605182, 2), (3.84597472, 3), (3.91125393, 3))
SOURCE = "Demarest's method"


def truth(report):
    found = np.array(report.frequencies) * EDGE * np.sqrt(DENSITY / SHEAR)
    yield "fastest rigid motion", found[5], 0.0, 1e-3, "a free body"
    first = 6
    for level, count in LEVELS:
        for k in range(count):
            yield f"frequency {first - 5 + k}", found[first + k], level, 0.01 * level, SOURCE
        spread = np.ptp(found[first : first + count])
        yield f"equal frequencies {first - 5} to {first - 6 + count}", spread, 0.0, 1e-6, "symmetry"
        first += count
