"""What the integrator keeps between steps: the state before and after the last step, stages, numbers and
counts.
"""

from __future__ import annotations

from typing import NamedTuple

from mbplugin.interface import Array, internal
from mbplugin.kernels.view import view
from mbplugin.tables.groups import Measures, State
from mbplugin_lagrange.places import KNOWN, T0, T1


class Store(NamedTuple):
    """Working arrays of the integrator: state before and after the last step, stages, numbers and counts; q,
    v, x as in State.
    """

    q0: Array
    v0: Array
    x0: Array
    memory0: Array
    last0: Array
    q1: Array
    v1: Array
    x1: Array
    memory1: Array
    last1: Array
    kq: Array  # (s, nq)
    kv: Array
    kx: Array
    fq: Array  # derivative at the end of the last step
    fv: Array
    fx: Array
    eq: Array  # (2, nq) estimates of the error of the step; the second is used by methods that have two
    ev: Array
    ex: Array
    events: Array  # values of the event functions at the end of the last step
    number: Array  # see `places`
    count: Array  # type: ignore[assignment]  # a tuple has a `count` too


@internal
def copy(source, target):
    for i in range(source.shape[0]):
        target[i] = source[i]


@internal
def sum_of(v):
    s = 0.0
    for i in range(v.shape[0]):
        s += v[i]
    return s


@internal
def keep(tables, store):
    """Store the present state as the end of the last step."""
    state = view(tables, State)
    copy(state.q, store.q1)
    copy(state.v, store.v1)
    copy(state.aux, store.x1)
    copy(state.memory, store.memory1)
    copy(view(tables, Measures).last, store.last1)


@internal
def begin(store):
    """The end of the last step becomes the start of the next."""
    copy(store.q1, store.q0)
    copy(store.v1, store.v0)
    copy(store.x1, store.x0)
    copy(store.memory1, store.memory0)
    copy(store.last1, store.last0)
    store.number[T0] = store.number[T1]
    store.count[KNOWN] = 1


@internal
def put_back(tables, store, before):
    """Bring the tables back to the end of the last step, or where `before` is 1 to its start."""
    state = view(tables, State)
    if before == 1:
        copy(store.q0, state.q)
        copy(store.v0, state.v)
        copy(store.x0, state.aux)
        copy(store.memory0, state.memory)
        copy(store.last0, view(tables, Measures).last)
        state.time[0] = store.number[T0]
    else:
        copy(store.q1, state.q)
        copy(store.v1, state.v)
        copy(store.x1, state.aux)
        copy(store.memory1, state.memory)
        copy(store.last1, view(tables, Measures).last)
        state.time[0] = store.number[T1]
