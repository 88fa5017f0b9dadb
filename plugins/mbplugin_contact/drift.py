"""Sweeps whose drift is extrapolated: where Newton's method has missed the goal.

Where bodies slide and jam, the impulses of sweeps drift for ten thousands of sweeps, along a line as long as
no contact opens or starts to slide. After some sweeps their limit is extrapolated (reduced rank
extrapolation; A. Sidi, Vector Extrapolation Methods with Applications, SIAM 2017, chapter 1), and impulses
move towards it, no farther than to the first contact that opens or reaches the edge of its cone. Where the
limit lies behind, since the drift grows, impulses move along the drift.
"""

from __future__ import annotations

from math import inf

from mbplugin.interface import inlined, internal
from mbplugin.stepping import State, TransientRows, run_part, view
from mbplugin_contact.arrays import SAMPLES, Contacts
from mbplugin_contact.best import BEST, end_at_best, keep
from mbplugin_contact.cones import first_root
from mbplugin_contact.islands import CONTACTS, VELOCITIES, copy_island, island
from mbplugin_contact.laws import SWEEP
from mbplugin_contact.operators import add_impulses, law_residual
from mbplugin_contact.parts import LAW

#: sweeps before samples are taken, between two samples, and in all for an island
SETTLE, BETWEEN, MAX_SWEEPS = 50, 10, 5000
#: how far beyond the first event a step goes; the longest one along the drift, in samples
BEYOND, LONGEST = 1.05, 1e3
#: regularization of the least squares, in the mean of their diagonal
REGULARIZATION = 1e-10


@internal
def follow_drift(tables):
    """Sweep and extrapolate until the residual is the goal, or for `MOST` sweeps; the best impulses and their
    velocities are left.
    """
    contacts, v = view(tables, Contacts), view(tables, State).v
    record, swept = contacts.record[0], 0
    best = record.reached
    keep(tables, BEST)
    velocities_of_impulses(tables)
    while swept < MAX_SWEEPS:
        for _ in range(SETTLE):
            run_part(tables, LAW, SWEEP)
        for i in range(SAMPLES):
            take_sample(tables, i)
        swept += SETTLE + SAMPLES * BETWEEN
        record.reached = law_residual(tables, v)
        if record.reached < best:
            best = record.reached
            keep(tables, BEST)
        if best <= record.goal:
            break
        extrapolate(tables)
        velocities_of_impulses(tables)
    end_at_best(tables)
    record.swept += swept
    record.reached = best


@internal
def velocities_of_impulses(tables):
    """v ← v_f + M⁻¹ Gᵀ r."""
    contacts, v = view(tables, Contacts), view(tables, State).v
    copy_island(contacts, VELOCITIES, contacts.v_free, v)
    add_impulses(tables, v)


@internal
def take_sample(tables, i):
    """How impulses change in some sweeps, as sample i."""
    contacts, r = view(tables, Contacts), view(tables, TransientRows).impulse
    for k in island(contacts, CONTACTS):
        for c in range(3):
            contacts.after[k, c] = r[3 * k + c]
    for _ in range(BETWEEN):
        run_part(tables, LAW, SWEEP)
    for k in island(contacts, CONTACTS):
        for c in range(3):
            contacts.scratch[k, 3 * i + c] = r[3 * k + c] - contacts.after[k, c]


@internal
def extrapolate(tables):
    """Move the impulses on by the samples."""
    contacts, r = view(tables, Contacts), view(tables, TransientRows).impulse
    weigh_samples(tables)
    forward = 0.0
    # towards Σ γ_i x_{i+1}: minus the sum of the earlier γ for each later sample
    for k in island(contacts, CONTACTS):
        for c in range(3):
            total = before = 0.0
            for i in range(SAMPLES):
                total -= before * contacts.scratch[k, 3 * i + c]
                before += contacts.weights[i]
            contacts.after[k, c] = total
            forward += total * contacts.scratch[k, 3 * (SAMPLES - 1) + c]
    longest = 1.0
    if not forward > 0.0:
        longest = LONGEST
        for k in island(contacts, CONTACTS):
            for c in range(3):
                contacts.after[k, c] = contacts.scratch[k, 3 * (SAMPLES - 1) + c]
    length = min(longest, BEYOND * first_event(tables))
    for k in island(contacts, CONTACTS):
        for c in range(3):
            r[3 * k + c] += length * contacts.after[k, c]


@internal
def weigh_samples(tables):
    """γ with Σ γ = 1 that makes the sum of γ_i sample_i shortest, measured as velocities, √(Σ |u|² / ρ)."""
    contacts, n = view(tables, Contacts), SAMPLES
    A, x = contacts.gram, contacts.weights
    for i in range(n):
        x[i] = 1.0
        for j in range(i + 1):
            total = 0.0
            for k in island(contacts, CONTACTS):
                product = 0.0
                for c in range(3):
                    product += contacts.scratch[k, 3 * i + c] * contacts.scratch[k, 3 * j + c]
                total += product / contacts.rho[k]
            A[n * i + j] = A[n * j + i] = total
    trace = 0.0
    for i in range(n):
        trace += A[n * i + i]
    for i in range(n):
        A[n * i + i] += REGULARIZATION * trace / n
    # Gaussian elimination: A is symmetric and positive definite
    for i in range(n):
        for j in range(i + 1, n):
            f = A[n * j + i] / A[n * i + i]
            for q in range(i, n):
                A[n * j + q] -= f * A[n * i + q]
            x[j] -= f * x[i]
    total = 0.0
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= A[n * i + j] * x[j]
        x[i] /= A[n * i + i]
        total += x[i]
    for i in range(n):
        x[i] /= total


@internal
def first_event(tables):
    """The length along `Contacts.after` at which a contact opens, or one that sticks reaches its cone."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    r, first = transient.impulse, inf
    for k in island(contacts, CONTACTS):
        n, d_n = r[3 * k], contacts.after[k, 0]
        if n <= 0.0:
            continue
        if d_n < 0.0:
            first = min(first, -n / d_n)
        if contacts.contact_law[k] == 0:
            first = min(first, edge(transient.friction[k], n, r[3 * k + 1], r[3 * k + 2], contacts.after[k]))
    return first


@inlined
def edge(mu, n, x, y, d):
    """Where (n, x, y) + t d leaves the cone, for a point that is inside; else infinite."""
    c = x * x + y * y - mu * mu * n * n
    if c >= -1e-9 * mu * mu * n * n:
        return inf
    a = d[1] * d[1] + d[2] * d[2] - mu * mu * d[0] * d[0]
    b = x * d[1] + y * d[2] - mu * mu * n * d[0]
    return first_root(a, b, c, inf)
