"""The interpreter of tapes: value and two time derivatives of an expression, or its derivative by a measure.

Each stack entry is a Taylor triple (f, f', f'') in time. Rules, derived here and checked against sympy:

    (f g)''  = f'' g + 2 f' g' + f g''
    q = f/g:  q' = (f' − q g')/g,   q'' = (f'' − 2 q' g' − q g'')/g
    F(f)'    = F₁ f',               F(f)'' = F₂ f'² + F₁ f''        F₁, F₂: derivatives of F by its argument
    y = f**g = exp(g log f):  y' = y L', y'' = y (L'² + L''),  L = g log f

A measure is the triple (s, ṡ, b) with s̈ = J v̇ + b, and a rate is (ṡ, b, 0): f'' of an expression of
measures, and f' of one of rates, is then the derivative without its acceleration terms Σ ∂f/∂s J v̇. With a
measure as `seed`, that one is (s, 1, 0), all others are constant, and f' is ∂f/∂s; a rate may be the seed as
well (`by_rate`). An implicit variable has a value only, and an input
is constant.

At a kink or jump (abs, sign, min, max, step, if) the derivative is that of the active branch.
"""

from __future__ import annotations

import math

from mbplugin.kernels.view import call_batch
from mbplugin.math.jit import jit
from mbplugin.math.vec3 import add, load, scale, store, sub
from mbplugin.tables import tape
from mbplugin.tables.tape import (
    ABS,
    ACOS,
    ADD,
    ASIN,
    ATAN,
    ATAN2,
    BY_TIME,
    CALL,
    CONSTANT,
    COS,
    COSH,
    DIVIDE,
    EXP,
    GREATER,
    HAVERSINE_STEP,
    INPUT,
    LOAD,
    LOG,
    MAX,
    MEASURE,
    MIN,
    MULTIPLY,
    NEGATE,
    POWER,
    POWER_CONSTANT,
    RATE,
    SELECT,
    SIGN,
    SIN,
    SINH,
    SPLINE,
    SQRT,
    STATE,
    STEP,
    SUBTRACT,
    TAN,
    TANH,
    TIME,
    UNKNOWN,
)

by_rate = jit(tape.by_rate)


@jit
def tape_of_time(ops, constants, start, stop, constant_start, t, memory, stack, called):
    """(f, f', f'') at time `t` [s] of the tape ops[start:stop], which reads no measures or states.

    ops:            (n, 2) codes and arguments
    constant_start: index of its first constant
    memory:         that of the state, which begins with the inputs
    stack:          (DEPTH, 3) work array
    called:         (n,) addresses of plugins' functions
    """
    return tape_of_motion(
        ops,
        constants,
        start,
        stop,
        constant_start,
        t,
        constants,
        constants,
        constants,
        stack,
        constants,
        memory,
        BY_TIME,
        stack,
        called,
    )


@jit
def tape_of_motion(
    ops,
    constants,
    start,
    stop,
    constant_start,
    t,
    value,
    rate,
    bias,
    states,
    unknown,
    memory,
    seed,
    stack,
    called,
):
    """(f, f', f'') of a tape that may read measures, states, implicit variables and inputs.

    value, rate, bias: (n,) of the measures
    states:            (m, 3) of the user's states
    unknown:           (k,) implicit variables
    seed:              BY_TIME, a measure, or `by_rate` of one; others: as in `tape_of_time`
    """
    top = -1
    for k in range(start, stop):
        code = ops[k, 0]
        if code == CONSTANT:
            top += 1
            store(stack, top, (constants[constant_start + ops[k, 1]], 0.0, 0.0))
        elif code == TIME:
            top += 1
            store(stack, top, (t, 1.0 if seed == BY_TIME else 0.0, 0.0))
        elif code == MEASURE:
            top += 1
            i = ops[k, 1]
            if seed == BY_TIME:
                store(stack, top, (value[i], rate[i], bias[i]))
            else:
                store(stack, top, (value[i], 1.0 if i == seed else 0.0, 0.0))
        elif code == RATE:
            top += 1
            i = ops[k, 1]
            store(
                stack, top, (rate[i], bias[i] if seed == BY_TIME else 1.0 if seed == by_rate(i) else 0.0, 0.0)
            )
        elif code == STATE:
            top += 1
            i = ops[k, 1]
            store(
                stack,
                top,
                (states[i, 0], states[i, 1], states[i, 2]) if seed == BY_TIME else (states[i, 0], 0.0, 0.0),
            )
        elif code == UNKNOWN:
            top += 1
            store(stack, top, (unknown[ops[k, 1]], 0.0, 0.0))
        elif code == INPUT:
            top += 1
            store(stack, top, (memory[ops[k, 1]], 0.0, 0.0))
        elif code == LOAD:
            top += 1
            store(stack, top, load(stack, ops[k, 1]))
        elif code == SPLINE:
            store(stack, top, spline(load(stack, top), constants, constant_start + ops[k, 1]))
        elif code > CALL:
            top -= code - CALL - 1
            call_batch(called[ops[k, 1]], top, 0, stack)
        elif code == NEGATE:
            store(stack, top, scale(-1.0, load(stack, top)))
        elif code == POWER_CONSTANT:
            store(stack, top, power_constant(load(stack, top), constants[constant_start + ops[k, 1]]))
        elif code >= SIN and code <= STEP:
            store(stack, top, unary(code, load(stack, top)))
        elif code == SELECT:
            top -= 2
            chosen = top + 1 if stack[top, 0] > 0.0 else top + 2
            store(stack, top, load(stack, chosen))
        elif code == HAVERSINE_STEP:
            top -= 4
            store(
                stack,
                top,
                haversine_step(
                    load(stack, top),
                    load(stack, top + 1),
                    load(stack, top + 2),
                    load(stack, top + 3),
                    load(stack, top + 4),
                ),
            )
        else:
            top -= 1
            store(stack, top, binary(code, load(stack, top), load(stack, top + 1)))
    return stack[top, 0], stack[top, 1], stack[top, 2]


@jit
def times(f, g):
    return f[0] * g[0], f[1] * g[0] + f[0] * g[1], f[2] * g[0] + 2.0 * f[1] * g[1] + f[0] * g[2]


@jit
def over(f, g):
    q = f[0] / g[0]
    q_1 = (f[1] - q * g[1]) / g[0]
    return q, q_1, (f[2] - 2.0 * q_1 * g[1] - q * g[2]) / g[0]


@jit
def chained(F, F_1, F_2, f):
    """The triple of F(f) from F and its first two derivatives at f."""
    return F, F_1 * f[1], F_2 * f[1] * f[1] + F_1 * f[2]


@jit
def power_constant(f, p):
    """The triple of f**p; 0**(p − 2) is not computed if its factor is zero."""
    F_1 = 0.0 if p == 0.0 else p * f[0] ** (p - 1.0)
    F_2 = 0.0 if p == 0.0 or p == 1.0 else p * (p - 1.0) * f[0] ** (p - 2.0)
    return chained(f[0] ** p, F_1, F_2, f)


@jit
def power(f, g):
    log_f = unary(LOG, f)
    L = times(g, log_f)
    y = f[0] ** g[0]
    return y, y * L[1], y * (L[1] * L[1] + L[2])


@jit
def unary(code, f):
    x = f[0]
    if code == SIN:
        s = math.sin(x)
        return chained(s, math.cos(x), -s, f)
    if code == COS:
        c = math.cos(x)
        return chained(c, -math.sin(x), -c, f)
    if code == TAN:
        y = math.tan(x)
        return chained(y, 1.0 + y * y, 2.0 * y * (1.0 + y * y), f)
    if code == ASIN:
        r = 1.0 / math.sqrt((1.0 - x) * (1.0 + x))
        return chained(math.asin(x), r, x * r * r * r, f)
    if code == ACOS:
        r = 1.0 / math.sqrt((1.0 - x) * (1.0 + x))
        return chained(math.acos(x), -r, -x * r * r * r, f)
    if code == ATAN:
        r = 1.0 / (1.0 + x * x)
        return chained(math.atan(x), r, -2.0 * x * r * r, f)
    if code == SINH:
        s = math.sinh(x)
        return chained(s, math.cosh(x), s, f)
    if code == COSH:
        c = math.cosh(x)
        return chained(c, math.sinh(x), c, f)
    if code == TANH:
        y = math.tanh(x)
        c = math.cosh(x)
        slope = 1.0 / (c * c)  # 1 − tanh² suffers from cancellation for large x
        return chained(y, slope, -2.0 * y * slope, f)
    if code == EXP:
        e = math.exp(x)
        return chained(e, e, e, f)
    if code == LOG:
        return chained(math.log(x), 1.0 / x, -1.0 / (x * x), f)
    if code == SQRT:
        r = math.sqrt(x)
        return chained(r, 0.5 / r, -0.25 / (r * x), f)
    side = 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)
    if code == ABS:
        return abs(x), side * f[1], side * f[2]
    if code == SIGN:
        return side, 0.0, 0.0
    return (1.0 if x > 0.0 else 0.0), 0.0, 0.0


@jit
def binary(code, f, g):
    if code == ADD:
        return add(f, g)
    if code == SUBTRACT:
        return sub(f, g)
    if code == MULTIPLY:
        return times(f, g)
    if code == DIVIDE:
        return over(f, g)
    if code == POWER:
        return power(f, g)
    if code == ATAN2:
        return atan2(f, g)
    if code == MIN:
        return g if g[0] < f[0] else f
    if code == MAX:
        # if both are equal, the branch before their difference becomes positive, as in compile/switches.py
        return f if f[0] > g[0] else g
    if code == GREATER:
        return (1.0 if f[0] > g[0] else 0.0), 0.0, 0.0
    return (1.0 if f[0] >= g[0] else 0.0), 0.0, 0.0


@jit
def atan2(y, x):
    """θ = atan2(y, x):  r² θ' = x y' − y x' = n,   θ'' = (n' − (r²)' θ')/r²."""
    r2 = x[0] * x[0] + y[0] * y[0]
    n = x[0] * y[1] - y[0] * x[1]
    n_1 = x[0] * y[2] - y[0] * x[2]
    r2_1 = 2.0 * (x[0] * x[1] + y[0] * y[1])
    slope = n / r2
    return math.atan2(y[0], x[0]), slope, (n_1 - r2_1 * slope) / r2


@jit
def haversine_step(x, x0, h0, x1, h1):
    """h0 up to x0, h1 from x1, half a cosine wave in between."""
    if x[0] <= x0[0]:
        return h0
    if x[0] > x1[0]:
        return h1
    s = scale(math.pi, over(sub(x, x0), sub(x1, x0)))
    c = unary(COS, s)
    wave = (0.5 - 0.5 * c[0], -0.5 * c[1], -0.5 * c[2])
    return add(h0, times(sub(h1, h0), wave))


@jit
def spline(f, constants, start):
    """The piecewise cubic of `tables/tape.py`, extrapolated linearly."""
    n = int(constants[start])
    x0 = start + 1
    x = min(max(f[0], constants[x0]), constants[x0 + n - 1])
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if constants[x0 + middle] <= x:
            low = middle
        else:
            high = middle
    c = x0 + n + 4 * low
    u = x - constants[x0 + low]
    a, b, c2, d = constants[c], constants[c + 1], constants[c + 2], constants[c + 3]
    slope = b + u * (2.0 * c2 + u * 3.0 * d)
    curvature = 2.0 * c2 + 6.0 * d * u if f[0] == x else 0.0
    return chained(a + u * (b + u * (c2 + u * d)) + slope * (f[0] - x), slope, curvature, f)
