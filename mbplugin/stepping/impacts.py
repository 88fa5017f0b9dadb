"""Notes impacts of bodies, which a solver finds within its step.

Those of a step stand behind those of the steps before, and stay when the step is accepted. Python reads them
whenever the loop returns.
"""

from __future__ import annotations

from mbplugin.kernels.shapes import material_point
from mbplugin.kernels.transient import NOTED_IMPACTS
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, load, scale, store
from mbplugin.tables.groups import Capacity, Impacts, TransientMarkers

__all__ = ["Impacts", "forget_impacts", "note_impact"]

#: entries of `Impacts.used`: impacts of accepted steps, and with those of the step that is tried
ACCEPTED, TRIED = range(2)


@inlined
def forget_impacts(tables):
    """Forget the impacts of the step that is tried."""
    used = view(tables, Impacts).used
    if used.shape[0] > 0:
        used[TRIED] = used[ACCEPTED]


@inlined
def keep_impacts(tables):
    """The step that is tried is accepted."""
    used = view(tables, Impacts).used
    if used.shape[0] > 0:
        used[ACCEPTED] = used[TRIED]


@inlined
def lack_places(tables):
    """Whether impacts of the step that is tried found no place, and places are requested."""
    impacts = view(tables, Impacts)
    if impacts.used.shape[0] == 0 or impacts.used[TRIED] <= impacts.index.shape[0]:
        return False
    view(tables, Capacity).required[NOTED_IMPACTS] = impacts.used[TRIED]
    forget_impacts(tables)
    return True


@internal
def note_impact(tables, k, shape_a, shape_b, impulse, before, after, time):
    """Note that the bodies of transient block k have struck each other with these shapes. impulse, before,
    after: on body b [N·s], and its velocity relative to a [m/s], along the axes of the block's markers. time:
    end of the step [s]. The markers and bodies stand where they touch.

    Returns its number in `Impacts`, where phase and states of the contact remain to be written; −1: it has no
    place there.
    """
    impacts = view(tables, Impacts)
    if impacts.used.shape[0] == 0:
        return -1
    i = impacts.used[TRIED]
    impacts.used[TRIED] = i + 1
    if i >= impacts.index.shape[0]:
        return -1
    markers = view(tables, TransientMarkers)
    note = impacts.index[i]
    note.time, note.shape_a, note.shape_b = time, shape_a, shape_b
    note.body_a, note.body_b = markers.index[2 * k].part, markers.index[2 * k + 1].part
    note.phase, note.touched, note.parts = 1, 0, 0
    note.energy = 0.0
    for c in range(3):
        note.energy -= 0.5 * impulse[c] * (before[c] + after[c])
    x_a, x_b = load(markers.x, 2 * k), load(markers.x, 2 * k + 1)
    # both bodies are struck in the middle between their points
    store(impacts.point, i, scale(0.5, add(x_a, x_b)))
    store(impacts.material_a, i, material_point(tables, shape_a, x_a))
    store(impacts.material_b, i, material_point(tables, shape_b, x_b))
    R = markers.R
    store(impacts.normal, i, (R[2 * k + 1, 0], R[2 * k + 1, 3], R[2 * k + 1, 6]))
    store(impacts.impulse, i, impulse)
    store(impacts.before, i, before)
    store(impacts.after, i, after)
    return i
