"""From the list of addresses to arrays: `view(tables, Points).x`.

All tables of a problem are named by one vector of integers, address and length in turn. A function that gets this vector can read every table, its type
does not depend on the scene, and a kernel behind an address needs no other argument. The arrays that `view` makes own nothing, so reading them costs no
reference counts.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from mbplugin.tables.groups import GROUPS
from mbplugin.tables.spec import Array, specs

#: (group, field) -> place in the vector of addresses
PLACE = {(g, f): i for i, (g, f) in enumerate((g, f) for g in GROUPS for f in specs(g))}
TABLES = len(PLACE)


@intrinsic
def float_pointer(typingctx: Any, address: Any) -> Any:
    """int64 -> float64*."""
    return _pointer(types.float64)


@intrinsic
def int_pointer(typingctx: Any, address: Any) -> Any:
    """int64 -> int64*."""
    return _pointer(types.int64)


def _pointer(item: Any) -> Any:
    target = types.CPointer(item)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(target))

    return target(types.int64), codegen


@intrinsic
def call_batch(typingctx: Any, address: Any, first: Any, count: Any, tables: Any) -> Any:
    """Call the compiled batch kernel `int64 f(int64 first, int64 count, int64 *tables)` at `address`."""
    signature = types.int64(types.int64, types.int64, types.int64, tables)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer = ir.IntType(64)
        kind = ir.FunctionType(integer, [integer, integer, integer.as_pointer()])
        function = builder.inttoptr(args[0], kind.as_pointer())
        data = cgutils.create_struct_proxy(tables)(context, builder, value=args[3]).data
        return builder.call(function, [args[1], args[2], data])

    return signature, codegen


def view(tables: Array, group: Any) -> Any:
    """The arrays of one group (this body serves plain Python; compiled code uses the overload below)."""
    arrays = []
    for field, spec in specs(group).items():
        place = 2 * PLACE[group, field]
        address, length = int(tables[place]), int(tables[place + 1])
        item = ctypes.c_double if spec.dtype == "float64" else ctypes.c_int64
        size = length * max(spec.columns, 1)
        flat = np.ctypeslib.as_array((item * size).from_address(address)) if size else np.zeros(0, spec.dtype)
        arrays.append(flat.reshape(length, spec.columns) if spec.columns else flat)
    return group(*arrays)


@overload(view)
def _view(tables, group):  # type: ignore[no-untyped-def]  # numba compares annotations too
    kind = group.instance_class if hasattr(group, "instance_class") else group.instance_type.instance_class
    parts = []
    for field, spec in specs(kind).items():
        place = 2 * PLACE[kind, field]
        pointer = "float_pointer" if spec.dtype == "float64" else "int_pointer"
        shape = f"(tables[{place + 1}], {spec.columns})" if spec.columns else f"(tables[{place + 1}],)"
        parts.append(f"carray({pointer}(tables[{place}]), {shape})")
    space = {"carray": carray, "float_pointer": float_pointer, "int_pointer": int_pointer, "kind": kind}
    exec(f"def body(tables, group):\n    return kind({', '.join(parts)})\n", space)  # our own field names, no user's text
    return space["body"]
