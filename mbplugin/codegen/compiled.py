"""From an author's function to the address of a batch kernel.

The text of the wrapper goes into a module in the cache folder, because numba's cache misses functions that
are made at run time. The folder's name holds a hash of the author's package too, so that a change there is
never missed. A function that cannot be imported (a notebook's) is compiled uncached; one that numba cannot
compile runs as a Python callback at the same kind of address. Both are said once.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import os
import sys
import time
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numba

from mbplugin.codegen.body_text import body_text
from mbplugin.codegen.element_text import element_text
from mbplugin.codegen.function_text import function_text
from mbplugin.codegen.solver_text import CALLS, solver_text
from mbplugin.codegen.wrapper import Shape
from mbplugin.errors import MbpluginError, PluginError
from mbplugin.interface.function import ExpressionFunction
from mbplugin.kernels.view import SIGNATURE
from mbplugin.math.jit import cache_folder, in_cache, jit

#: what the texts of wrappers import
OURS = (
    "mbplugin.interface.marker",
    "mbplugin.kernels.view",
    "mbplugin.math.dense",
    "mbplugin.math.vec3",
    "mbplugin.tables.purposes",
)
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
BODY_ROLES = {
    "prepare",
    "locate",
    "to_generalized_force",
    "rate",
    "retract",
    "normalise",
    "inertia",
    "internal",
    "elastic",
    "geometric",
    "own_tangent",
}


#: an author's functions by the names that the text has for them
Authors = dict[str, Any]


class PythonKernelWarning(UserWarning):
    """A plugin's function runs as plain Python."""


@dataclass
class Compiled:
    """A batch kernel: its address and what keeps it alive.

    author, text, shape: the function, the wrapper around it, and what that depends on.
    Of a Python callback: `error` holds what it raised last, `reason` why it is one, `calls` and `seconds`
    what it has cost.
    """

    address: int
    owner: str
    role: str
    python: bool = False
    author: Any = None
    text: str = ""
    shape: Shape = field(default_factory=Shape)
    keep: list[Any] = field(default_factory=list)
    error: list[BaseException] = field(default_factory=list)
    reason: str = ""
    calls: int = 0
    seconds: float = 0.0
    told: bool = False

    def warn_once(self) -> None:
        """Say that this kernel runs as plain Python, and at what cost."""
        if self.python and not self.told:
            self.told = True
            cost = f" at {1e6 * self.seconds / self.calls:.0f} µs a call" if self.calls else ""
            text = f"{self.owner}: numba cannot compile its {self.role} function, it runs as plain Python{cost} ({self.reason})"
            warnings.warn(text, PythonKernelWarning, stacklevel=2)

    def call(self, first: int, count: int, addresses: Any) -> int:
        """Call the kernel from Python."""
        return int(CALLBACK(self.address)(first, count, addresses.ctypes.data))


def address_of(callback: Any) -> int:
    """Address of a ctypes callback."""
    return int(ctypes.cast(callback, ctypes.c_void_p).value or 0)


#: kernels of this process, by their functions and text; a kernel lives as long as the process
_made: dict[tuple[Any, ...], Compiled] = {}
#: number of wrappers that this process compiled and did not find in the cache
compilations = [0]


def batch_kernel(role: str, function: Callable[..., Any], shape: Shape, owner: str) -> Compiled:
    """The batch kernel of one author's function for elements of one shape; `owner` names the kind in
    messages.
    """
    text = (body_text if role in BODY_ROLES else element_text)(role, function, shape, owner)
    made = _made_once(role, {"author": function}, text, owner)
    made.shape = shape
    return made


def function_kernel(kind: type[ExpressionFunction]) -> Compiled:
    """The compiled function of expressions of one kind."""
    given = {"author": kind.kernel, "gradient": kind.gradient, "hessian": kind.hessian}
    given = {name: function for name, function in given.items() if function is not None}
    return _made_once(
        "function",
        given,
        function_text(kind.operands(), "gradient" in given, "hessian" in given),
        f'function "{kind.name}"',
    )


def solver_kernel(role: str, function: Callable[..., int], owner: str) -> Compiled:
    """The compiled `begin_step` or `try_step` of a solver."""
    return _made_once(role, {"author": function}, solver_text(role, function, owner), owner)


def _made_once(role: str, given: Authors, text: str, owner: str) -> Compiled:
    given = {name: getattr(function, "py_func", function) for name, function in given.items()}
    key = (*given.values(), text)
    if key not in _made:
        _made[key] = _build(role, given, text, owner)
        _made[key].author, _made[key].text = given["author"], text
    return _made[key]


def _build(role: str, given: Authors, text: str, owner: str) -> Compiled:
    references = {name: import_path(function) for name, function in given.items()}
    try:
        if None in references.values():
            return _compiled_here(role, given, text, owner)
        return _compiled_in_module(role, given, references, text, owner)  # type: ignore[arg-type]
    except (MbpluginError, OSError):
        raise
    except Exception as error:
        # numba meets what it does not know with errors of all kinds, not with its own alone
        if role in CALLS:
            raise PluginError(f"{owner}: numba cannot compile its {role}: {error}") from error
        return interpreted(role, given, text, owner, error)


def import_path(function: Any) -> tuple[str, str] | None:
    """Module and qualified name by which another process can import the function, if there are such."""
    module = sys.modules.get(function.__module__)
    if module is None or function.__module__ == "__main__" or not getattr(module, "__file__", None):
        return None
    found: Any = module
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    found = getattr(found, "py_func", found)
    try:
        importable = importlib.util.find_spec(function.__module__) is not None
    except (ImportError, ValueError):
        importable = False
    return (function.__module__, function.__qualname__) if found is function and importable else None


def _compiled_in_module(
    role: str, given: Authors, references: dict[str, tuple[str, str]], text: str, owner: str
) -> Compiled:
    imports = "".join(
        f"import {module}\n{name} = jit({module}.{attribute})\n"
        for name, (module, attribute) in references.items()
    )
    text = text.replace("{imports}", imports)
    folder = cache_folder(*OURS, *(module for module, _ in references.values()))
    stem = f"kernel_{hashlib.sha256(text.encode()).hexdigest()[:20]}"
    try:
        file = write_once(folder / "kernels" / f"{stem}.py", text)
    except OSError:
        return _compiled_here(role, given, text.replace(imports, ""), owner, told=True)
    spec = importlib.util.spec_from_file_location(f"mbplugin_kernels.{stem}", file)
    assert spec is not None and spec.loader is not None
    generated = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = generated
    spec.loader.exec_module(generated)
    kernel = in_cache(
        folder, lambda: numba.cfunc(SIGNATURE, error_model="numpy", cache=True)(generated.batch)
    )
    if kernel.cache_hits == 0:
        compilations[0] += 1
    return Compiled(kernel.address, owner, role, keep=[kernel, generated])


@functools.cache
def compiled_function(function: Callable[..., int]) -> Any:
    """A function of SIGNATURE that stands in a plugin's module, compiled into the cache of that plugin."""
    reference = import_path(function)
    make = lambda cache: numba.cfunc(SIGNATURE, error_model="numpy", cache=cache)(function)
    if reference is None:
        return make(False)
    return in_cache(cache_folder(*OURS, reference[0]), lambda: make(True))


def write_once(file: Path, text: str) -> Path:
    """Write a file that other processes may be writing too: whole or not at all; never touched again, for
    numba looks at its time.
    """
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}.tmp")
        try:
            draft.write_text(text)
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink(missing_ok=True)
    return file


def _namespace(given: Authors, text: str) -> dict[str, Any]:
    module = types.ModuleType("mbplugin_kernel")
    module.__dict__.update(given)
    exec(
        compile(text.replace("{imports}", ""), "<mbplugin kernel>", "exec"), module.__dict__
    )  # our own text around the author's function
    return module.__dict__


def _compiled_here(role: str, given: Authors, text: str, owner: str, told: bool = False) -> Compiled:
    space = _namespace({name: jit(function) for name, function in given.items()}, text)
    kernel = numba.cfunc(SIGNATURE, error_model="numpy")(space["batch"])
    compilations[0] += 1
    if not told:
        warnings.warn(
            f"{owner}: its {role} function is not in an importable module, so it is compiled again in every process",
            stacklevel=2,
        )
    return Compiled(int(kernel.address or 0), owner, role, keep=[kernel, space])


def interpreted(role: str, given: Authors, text: str, owner: str, reason: Exception) -> Compiled:
    """A Python callback at the same kind of address; what it raises is kept, because ctypes would print and
    ignore it.
    """
    text = text.replace("@internal\n", "").replace(
        "except Exception:", "except Exception as problem:\n        caught(problem)"
    )
    space = _namespace(given, text)
    why = str(reason).strip().splitlines()
    result = Compiled(0, owner, role, python=True, reason=why[-1] if why else type(reason).__name__)
    space["caught"] = lambda problem: result.error.__setitem__(slice(None), [problem])

    def callback(first: int, count: int, address: int) -> int:
        start = time.perf_counter()
        try:
            status = int(space["batch"](first, count, address))
        except Exception as problem:
            result.error[:] = [problem]
            status = 1
        result.calls += count
        result.seconds += time.perf_counter() - start
        return status

    pointer = CALLBACK(callback)
    result.address = address_of(pointer)
    result.keep = [pointer, space]
    return result
