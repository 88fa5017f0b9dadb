"""The impulse r of one contact: along its normal, and two tangents."""

from __future__ import annotations

from mbplugin.interface import inlined


@inlined
def impulse_at(transient, k):
    """r of contact k."""
    return transient.impulse[3 * k], transient.impulse[3 * k + 1], transient.impulse[3 * k + 2]


@inlined
def set_impulse(transient, k, r):
    """Write r of contact k."""
    transient.impulse[3 * k], transient.impulse[3 * k + 1], transient.impulse[3 * k + 2] = r
