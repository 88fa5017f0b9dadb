"""Stick and slip under 8 N cos t: ẍ = 8 cos t ∓ 0.8 g between the times at which the block moves (F. Potra,
M. Anitescu, B. Gavrea & J. Trinkle, Int. J. Numer. Meth. Engng 66 (2006) 1079-1124), in closed form.
"""

import numpy as np

SOURCE = "Potra et al. 2006, closed form"
#: time [s], position [m] and speed [m/s]
STATES = (
    (0.15, 3.001541376511662, 0.01830505978879371),
    (2.0, 3.004348569726865, 0.0),
    (3.15, 3.0027299065638218, -0.021049450899575106),
    (5.0, 2.9913028331150313, 0.0),
    (6.15, 2.991359801847832, 0.0026753465149462197),
    (8.0, 3.004348569726865, 0.0),
    (10.0, 2.991302833115031, 0.0),
)


def truth(result):
    block = result["block"]
    for t, x, v in STATES:
        k = np.abs(result.time - t).argmin()
        assert abs(result.time[k] - t) < 1e-9
        # published tolerance: 1e-3
        yield f"position at {t:g} s", block.position[k, 0], x, 2e-6, SOURCE
        yield f"speed at {t:g} s", block.velocity[k, 0], v, 2e-5, SOURCE
