"""Impulses whose changes from sweep to sweep decay along a few directions are moved to their limit."""

import numpy as np
import pytest
from mbplugin_contact.arrays import SAMPLES, Contacts
from mbplugin_contact.drift import extrapolate, weigh_samples

from mbplugin.interface import compiled_entry
from mbplugin.kernels.view import TABLES, place_of
from mbplugin.stepping import TransientRows


@compiled_entry()
def weigh(tables):
    weigh_samples(tables)


@compiled_entry()
def move_on(tables):
    extrapolate(tables)


def arrays_of(samples, rho, friction=1.0):
    """Arrays of `Contacts` and `TransientRows` for samples (6, n, 3) of n contacts with Coulomb's law."""
    n = len(rho)
    scratch = np.zeros((n, 19))
    scratch[:, : 3 * SAMPLES] = samples.transpose(1, 0, 2).reshape(n, 3 * SAMPLES)
    contacts = {
        "order": np.arange(n),
        "first": np.zeros(6, np.int64),
        "end": np.full(6, n),
        "scratch": scratch,
        "rho": np.array(rho, float),
        "gram": np.zeros(SAMPLES**2),
        "weights": np.zeros(SAMPLES),
        "after": np.zeros((n, 3)),
        "contact_law": np.zeros(n, np.int64),
    }
    return {Contacts: contacts, TransientRows: {"impulse": np.zeros(3 * n), "friction": np.full(n, friction)}}


def vector_of(groups):
    """The vector of addresses of a problem that has nothing but these arrays."""
    vector = np.zeros(2 * TABLES, np.int64)
    for group, arrays in groups.items():
        for name, array in arrays.items():
            place = place_of(group, name)
            vector[place], vector[place + 1] = array.ctypes.data, len(array)
    return vector


@pytest.mark.parametrize("seed", range(5))
def test_weights_make_the_weighted_sum_of_samples_shortest(seed):
    """As velocities, √(Σ |u|² / ρ), over the contacts of the island alone."""
    rng = np.random.default_rng(seed)
    samples, rho = rng.normal(size=(SAMPLES, 5, 3)), rng.uniform(0.1, 10.0, 5)
    rho[2] = samples[:, 2] = np.nan
    groups = arrays_of(samples, rho)
    inside = np.array([4, 0, 3, 1])
    groups[Contacts]["order"][1:] = inside
    groups[Contacts]["first"][:] = 1
    weigh(vector_of(groups))
    # γ = (1 - Σ z, z): least squares for z
    u = (samples[:, inside] / np.sqrt(rho[inside])[:, None]).reshape(SAMPLES, -1)
    z = np.linalg.lstsq((u[0] - u[1:]).T, u[0], rcond=None)[0]
    # regularized by 1e-10 of the mean square
    assert groups[Contacts]["weights"] == pytest.approx(np.array([1.0 - z.sum(), *z]), abs=1e-8)


def test_impulses_that_decay_along_five_directions_are_moved_to_their_limit():
    """Loaded contacts far from the edges of their cones: x_k = x + Σ λ^k d for five rates λ."""
    rng = np.random.default_rng(6)
    rates = np.array([0.9, 0.6, 0.3, -0.3, -0.5])
    limit = np.array([10.0, 1.0, -1.0]) + rng.uniform(-0.5, 0.5, (4, 3))
    directions = 2.0 * np.linalg.qr(rng.normal(size=(12, 5)))[0].T
    x = np.array([limit + (rates**k @ directions).reshape(4, 3) for k in range(SAMPLES + 1)])
    groups = arrays_of(np.diff(x, axis=0), rng.uniform(0.5, 2.0, 4))
    impulse = groups[TransientRows]["impulse"]
    impulse[:] = x[-1].ravel()
    assert np.abs(impulse - limit.ravel()).max() > 0.1
    move_on(vector_of(groups))
    # regularized: 1e-5 of the samples is left
    assert impulse == pytest.approx(limit.ravel(), abs=1e-4)
