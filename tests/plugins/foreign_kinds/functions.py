"""Functions for expressions: with and without derivatives of their own, with a loop, of several numbers, and
one that fails.
"""

from __future__ import annotations

from math import cos, exp, sin

from mbplugin.interface import ExpressionFunction

UNKNOWN = {"numba": lambda x: x}


class Wave(ExpressionFunction):
    """sin(k x) eˣ, with its derivatives."""

    name = "foreign_wave"

    @staticmethod
    def kernel(x, k):
        return sin(k * x) * exp(x)

    @staticmethod
    def gradient(x, k):
        s, c, e = sin(k * x), cos(k * x), exp(x)
        return (s + k * c) * e, x * c * e

    @staticmethod
    def hessian(x, k):
        s, c, e = sin(k * x), cos(k * x), exp(x)
        return (s + 2.0 * k * c - k * k * s) * e, (x * c + c - k * x * s) * e, -x * x * s * e


class Cosine(ExpressionFunction):
    """One number, plain derivatives."""

    name = "foreign_cosine"

    @staticmethod
    def kernel(x):
        return cos(x)

    @staticmethod
    def gradient(x):
        return -sin(x)

    @staticmethod
    def hessian(x):
        return -cos(x)


class Series(ExpressionFunction):
    """The sum of sin(n x)/n² up to 5, which is a loop and gives no derivatives."""

    name = "foreign_series"

    @staticmethod
    def kernel(x):
        total = 0.0
        for n in range(1, 6):
            total += sin(n * x) / n**2
        return total


class InPython(ExpressionFunction):
    """x, by what numba cannot compile."""

    name = "foreign_in_python"

    @staticmethod
    def kernel(x):
        return UNKNOWN["numba"](x)


class Fails(ExpressionFunction):
    """x up to 0.5."""

    name = "foreign_fails"

    @staticmethod
    def kernel(x):
        if x > 0.5:
            raise ValueError("too large")
        return x

    @staticmethod
    def gradient(x):
        return 1.0

    @staticmethod
    def hessian(x):
        return 0.0


class Wrong(ExpressionFunction):
    """x³, and a derivative with a wrong factor."""

    name = "foreign_wrong"

    @staticmethod
    def kernel(x):
        return x * x * x

    @staticmethod
    def gradient(x):
        return 2.0 * x * x
