"""Whole arrays of numbers, and parts of them, in compiled code."""

from __future__ import annotations

from mbplugin.math.jit import internal


@internal
def copy_range(source, first, target, at, count):
    """`count` numbers of `target` from `at` on ← those of `source` from `first` on."""
    for i in range(count):
        target[at + i] = source[first + i]


@internal
def add_scaled(factor, source, first, target, at, count):
    """`count` numbers of `target` from `at` on += factor times those of `source` from `first` on."""
    for i in range(count):
        target[at + i] += factor * source[first + i]


@internal
def copy(source, target):
    """target ← source, number by number."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@internal
def fill(target, value):
    """Set all numbers to a value."""
    for i in range(target.shape[0]):
        target[i] = value


@internal
def sum_of(v):
    """Sum of all numbers."""
    s = 0.0
    for i in range(v.shape[0]):
        s += v[i]
    return s
