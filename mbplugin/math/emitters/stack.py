"""Small work arrays on the stack, which cost no allocation."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import RequireLiteralValue
from numba.extending import intrinsic

from mbplugin.math.emitters.arrays import INTEGER, Unowned, array_at


@intrinsic(prefer_literal=True)
def _stack_array(typingctx, length):  # type: ignore[no-untyped-def]
    if not isinstance(length, types.IntegerLiteral):
        raise RequireLiteralValue("the length of a stack array is a constant")
    size = length.literal_value

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = cgutils.alloca_once(builder, ir.ArrayType(ir.DoubleType(), size))
        data.align = 32
        return array_at(context, builder, signature.return_type, data, [INTEGER(size)])

    return Unowned(types.float64, 1)(length), codegen


#: stack_array(length): (length,) numbers, not initialized, that end with the call of the function; the length
#: is a constant
stack_array: Any = _stack_array
