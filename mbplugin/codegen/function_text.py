"""Source text of the compiled functions that expressions call.

They work on the interpreter's stack: one operand x per row from row `top` on, with its first and second time
derivatives; the result is written to row `top`. With d = x', b = x'',

    f' = g · d,   f'' = g · b + d · H d

where the gradient g and the Hessian H are the author's; otherwise the derivatives of f(x + ε d) with respect
to ε are extrapolated from central differences (Ridders).
"""

from __future__ import annotations

HEAD = '''"""Written by mbplugin; private."""
import numpy as np
from mbplugin.math.jit import internal, jit
from mbplugin.kernels.view import stack_at
{imports}
'''

DIFFERENCES = '''
@internal
def slope({x}, {d}, order):
    """The first or second derivative of f(x + ε d) with respect to ε at 0."""
    size = max({sizes_d}, 0.0)
    if size == 0.0:
        return 0.0
    middle = author({x})
    old, new = np.empty(10), np.empty(10)
    h = 0.1 * max({sizes_x}, 1.0)
    best, error = np.nan, np.inf
    for k in range(10):
        e = h / size
        up, down = author({up}), author({down})
        new[0] = (up - down) / (2.0 * e) if order == 1 else (up - 2.0 * middle + down) / (e * e)
        factor = 4.0
        for j in range(1, k + 1):
            new[j] = (factor * new[j - 1] - old[j - 1]) / (factor - 1.0)
            change = max(abs(new[j] - new[j - 1]), abs(new[j] - old[j - 1]))
            if change < error:
                best, error = new[j], change
            factor *= 4.0
        old, new = new, old
        h *= 0.5
    return best
'''

CALL = """
@internal
def call(top, stack):
{operands}
    f1, f2 = 0.0, 0.0
    if {changes}:
{derivatives}
    stack[top, 0], stack[top, 1], stack[top, 2] = author({x}), f1, f2


def batch(top, spare, address):
    stack = stack_at(address)
    try:
        call(top, stack)
    except Exception:
        stack[top, 0], stack[top, 1], stack[top, 2] = np.nan, np.nan, np.nan
        return 1
    return 0
"""


def function_text(n: int, gradient: bool, hessian: bool) -> str:
    """Source text for a function of n arguments; gradient, hessian: whether the author gives them."""
    names = lambda letter: ", ".join(f"{letter}{i}" for i in range(n))
    sizes = lambda letter: ", ".join(f"abs({letter}{i})" for i in range(n))
    x, d, b = names("x"), names("d"), names("b")
    operands = [
        f"    x{i}, d{i}, b{i} = stack[top + {i}, 0], stack[top + {i}, 1], stack[top + {i}, 2]"
        for i in range(n)
    ]
    lines = []
    if gradient:
        lines.append(f"{names('g')}{',' * (n > 1)} = gradient({x})")
        lines.append("f1 = " + " + ".join(f"g{i} * d{i}" for i in range(n)))
        lines.append("f2 = " + " + ".join(f"g{i} * b{i}" for i in range(n)))
    else:
        lines += [f"f1 = slope({x}, {d}, 1)", f"f2 = slope({x}, {b}, 1)"]
    if hessian:
        pairs = [(i, j) for i in range(n) for j in range(i, n)]
        lines.append(", ".join(f"h{i}{j}" for i, j in pairs) + "," * (n > 1) + f" = hessian({x})")
        lines.append(
            "f2 += " + " + ".join(f"{'' if i == j else '2.0 * '}h{i}{j} * d{i} * d{j}" for i, j in pairs)
        )
    else:
        lines.append(f"f2 += slope({x}, {d}, 2)")
    text = HEAD
    if not (gradient and hessian):
        shifted = lambda sign: ", ".join(f"x{i} {sign} e * d{i}" for i in range(n))
        text += DIFFERENCES.format(
            x=x, d=d, sizes_d=sizes("d"), sizes_x=sizes("x"), up=shifted("+"), down=shifted("-")
        )
    changes = " or ".join(f"{letter}{i} != 0.0" for letter in "db" for i in range(n))
    return text + CALL.format(
        operands="\n".join(operands),
        changes=changes,
        derivatives="\n".join(f"        {line}" for line in lines),
        x=x,
    )
