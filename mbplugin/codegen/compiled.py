"""From an author's function to the address of a batch kernel.

The source of the wrapper is written to a module in the cache folder, because numba does not cache functions
made at run time. The folder name contains a hash of the author's package, so a change there is never missed.
A function that cannot be imported (from a notebook) is compiled without cache. One that numba cannot compile
runs as a Python callback at the same kind of address. A warning reports each case once.
"""

from __future__ import annotations

import ctypes
import functools
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mbplugin.codegen.body_text import body_text
from mbplugin.codegen.compile_errors import cause
from mbplugin.codegen.control_text import control_text
from mbplugin.codegen.element_text import element_text
from mbplugin.codegen.function_text import function_text
from mbplugin.codegen.solver_text import CALLS, part_text, solver_text
from mbplugin.codegen.units import SECONDS, SECONDS_OF_PART, Unit, compile_missing, function_unit, text_hash
from mbplugin.codegen.wrapper import Shape
from mbplugin.compiler.bounds import checks_bounds
from mbplugin.compiler.folder import cache_folder
from mbplugin.compiler.functions import callback
from mbplugin.compiler.numba_names import MISSING
from mbplugin.compiler.reach import import_path
from mbplugin.compiler.text_file import write_once
from mbplugin.errors import MbpluginError, PluginError
from mbplugin.interface.body import BodyKind, writes_profile
from mbplugin.interface.function import ExpressionFunction
from mbplugin.kernels.view import SIGNATURE
from mbplugin.math.jit import jit, with_bounds

#: modules that wrappers import
OURS = (
    "mbplugin.interface.marker",
    "mbplugin.interface.marker_list",
    "mbplugin.kernels.view",
    "mbplugin.math.dense",
    "mbplugin.math.profile",
    "mbplugin.math.vec3",
    "mbplugin.tables.purposes",
)
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
BODY_ROLES = {
    "prepare",
    "locate",
    "point_at",
    "to_generalized_force",
    "rate",
    "retract",
    "normalise",
    "inertia",
    "internal",
    "elastic",
    "nodes",
    "stress",
    "geometric",
    "own_tangent",
    "jacobian",
    "retract_tangent",
}


#: role of control laws
CONTROL = "control"
#: name of the function that makes a part of a solver: it is not compiled itself
MAKE = "make"
#: an author's functions by their names in the generated text
Authors = dict[str, Any]


class PythonKernelWarning(UserWarning):
    """A plugin's function runs as plain Python."""


class Raised(threading.local):
    """The last exception of a Python callback: runs in several threads may share the callback."""

    error: BaseException | None = None


@dataclass(eq=False)
class Compiled:
    """A batch kernel: compiled at the first use of its address, or earlier by `compile_kernels`.

    given, text, shape: the author's functions, the wrapper around them, and what the wrapper depends on.
    For a Python callback: `error` is the last exception in this thread, `reason` why it is not compiled,
    `calls` and `seconds` its cost.
    """

    role: str
    given: Authors
    text: str
    owner: str
    shape: Shape = field(default_factory=Shape)
    unit: Unit | None = None  # None: its functions cannot be imported by another process
    python: bool = False
    keep: list[Any] = field(default_factory=list)
    raised: Raised = field(default_factory=lambda: Raised())
    reason: str = ""
    calls: int = 0
    seconds: float = 0.0
    warned: bool = False
    checked: bool = field(default_factory=checks_bounds)  # whether every index is checked
    pointer: int = 0

    @property
    def author(self) -> Any:
        return self.given["author"]

    @property
    def error(self) -> BaseException | None:
        return self.raised.error

    @property
    def address(self) -> int:
        if self.pointer == 0:
            build(self)
        return self.pointer

    def warn_once(self) -> None:
        """Warn that this kernel runs as plain Python, and at what cost."""
        if self.python and not self.warned:
            self.warned = True
            cost = f" at {1e6 * self.seconds / self.calls:.0f} µs a call" if self.calls else ""
            warnings.warn(
                f"{self.owner}: numba cannot compile its {self.role} function; it runs as plain Python{cost} "
                f"({self.reason})",
                PythonKernelWarning,
                stacklevel=2,
            )

    def call(self, first: int, count: int, addresses: Any) -> int:
        """Call the kernel from Python."""
        return int(CALLBACK(self.address)(first, count, addresses.ctypes.data))


def address_of(callback: Any) -> int:
    """Address of a ctypes callback."""
    return int(ctypes.cast(callback, ctypes.c_void_p).value or 0)


#: kernels of this process by functions and text; they are kept until the process ends
_made: dict[tuple[Any, ...], Compiled] = {}
#: number of wrappers that this process compiled and did not find in the cache
compilations = [0]


@functools.cache
def batch_kernel(role: str, function: Callable[..., Any], shape: Shape, owner: str) -> Compiled:
    """The batch kernel of one author's function for elements of one shape; `owner` is for messages."""
    text = (body_text if role in BODY_ROLES else element_text)(role, function, shape, owner)
    made = _made_once(role, {"author": function}, text, owner)
    made.shape = shape
    return made


def body_kernel(
    role: str,
    function: Callable[..., Any],
    kind: type[BodyKind],
    of_forces: bool = False,
    transient: bool = False,
) -> Compiled:
    """The batch kernel of one function of a body kind; of_forces: on wrenches of forces, not on rows;
    transient: on transient markers.
    """
    sizes = {name: getattr(kind, name) for name in ("nq", "nv", "scratch", "record")}
    profile, parts = writes_profile(kind), kind.parts
    shape = Shape(**sizes, of_forces=of_forces, transient=transient, profile=profile, parts=parts)
    return batch_kernel(role, function, shape, f'body kind "{kind.name}"')


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
    """The compiled `begin_step`, `try_step` or part of a solver, or the `kernel` of a method."""
    return _made_once(role, {"author": function}, solver_text(role, function, owner), owner)


def control_kernel(function: Callable[..., Any], names: list[str], owner: str) -> Compiled:
    """The compiled control law with these arguments."""
    return _made_once(CONTROL, {"author": function}, control_text(names), owner)


def made_part(make: Callable[..., Any], functions: Sequence[Callable[..., Any]], owner: str) -> Compiled:
    """The compiled part of a solver that `make` makes from functions of other plugins."""
    given = {f"function_{k}": function for k, function in enumerate(functions)}
    return _made_once("part", {**given, MAKE: make}, part_text(list(given)), owner)


@functools.cache
def engine_kernel(function: Any, kind: type[BodyKind]) -> Compiled:
    """The batch kernel of a body kind of the engine: a function that is called by its address."""
    python = function.by_address.python
    kernel = Compiled(python.__name__, {"author": python}, "", f'body kind "{kind.name}"')
    kernel.unit = function_unit(function.by_address)
    return kernel


def compile_kernels(kernels: list[Compiled], units: list[Unit]) -> None:
    """Compile missing kernels and further units in parallel."""
    compile_missing([*units, *(k.unit for k in kernels if k.unit is not None and k.pointer == 0)])


def _made_once(role: str, given: Authors, text: str, owner: str) -> Compiled:
    given = {name: getattr(function, "py_func", function) for name, function in given.items()}
    key = (*given.values(), text)
    if key not in _made:
        _made[key] = Compiled(role, given, text, owner)
        _made[key].unit = generated_unit(role, given, text)
    return _made[key]


def generated_unit(role: str, given: Authors, text: str) -> Unit | None:
    """Write the wrapper to a file and return it as a unit; None if that is not possible."""
    if MISSING and MAKE in given:
        return None  # plain numba numbers closures from 1 in each process, and may take one for another
    origins = {name: origin_of(function) for name, function in given.items()}
    imports = ""
    for name, origin in origins.items():
        if origin is None:
            return None
        imports += origin.text
        imports += f"{name} = {origin.name if name == MAKE else f'jit({origin.name})'}\n"
    text = text.replace("{imports}", imports)
    modules = dict.fromkeys(module for origin in origins.values() if origin for module in origin.modules)
    folder = cache_folder(*OURS, *modules)
    stem = f"kernel_{text_hash(text)}"
    try:
        file = write_once(folder / "kernels" / f"{stem}.py", text)
    except OSError:
        return None
    seconds = SECONDS_OF_PART if role in CALLS else SECONDS
    return Unit(f"mbplugin_kernels.{stem}", "batch", str(folder), str(file), role, seconds)


class Origin(NamedTuple):
    """Statements that make an author's function known to a generated module, the name that it then has, and
    the modules that they import.
    """

    text: str
    name: str
    modules: tuple[str, ...]


def origin_of(function: Any) -> Origin | None:
    """Where a function comes from: its module, or the text of one that is derived; None if another process
    cannot get it.
    """
    if hasattr(function, "source"):
        return function.source and Origin(function.source, function.__name__, function.modules)
    path = import_path(function)
    return path and Origin(f"import {path[0]}\n", ".".join(path), path[:1])


def build(kernel: Compiled) -> None:
    """Compile a kernel or load it from the cache; if numba cannot compile it, use a Python callback."""
    try:
        if kernel.unit is None:
            _compile_here(kernel)
            return
        made, module = kernel.unit.make()
        if made.cache_hits == 0:
            compilations[0] += 1
        kernel.pointer, kernel.keep = int(made.address), [made, module]
    except (MbpluginError, OSError):
        raise
    except Exception as error:
        # numba raises many types of exceptions for unsupported code, not only its own
        if kernel.role in (*CALLS, CONTROL):
            owner, what = kernel.owner, cause(error)
            raise PluginError(f"{owner}: numba cannot compile its {kernel.role}: {what}") from error
        interpret(kernel, error)


def _namespace(given: Authors, text: str) -> dict[str, Any]:
    module = types.ModuleType("mbplugin_kernel")
    module.__dict__.update(given)
    exec(
        compile(text.replace("{imports}", ""), "<mbplugin kernel>", "exec"), module.__dict__
    )  # our own text around the author's function
    return module.__dict__


def with_checked_indices(kernel: Compiled) -> Compiled:
    """Kernel with checks of every index of the author's function. Raises PluginError."""
    imports = "from mbplugin.math.jit import with_bounds as jit\n{imports}"
    checked = _made_once(kernel.role, kernel.given, kernel.text.replace("{imports}", imports), kernel.owner)
    checked.shape, checked.checked = kernel.shape, True
    return checked


@contextmanager
def checked_indices(kernels: Iterable[Compiled]) -> Iterator[None]:
    """Context in which the addresses of these kernels are those with checks of every index."""
    kernels = list(kernels)
    others = [with_checked_indices(kernel) for kernel in kernels]
    before = [(kernel.pointer, kernel.checked) for kernel in kernels]
    try:
        for kernel, other in zip(kernels, others):
            kernel.pointer, kernel.checked = other.address, True
        yield
    finally:
        for kernel, values in zip(kernels, before):
            kernel.pointer, kernel.checked = values


def exception_of(kernel: Compiled, record: int, addresses: Any) -> BaseException | None:
    """The exception that a kernel raises for a record; a compiled one is run again as plain Python. None if
    that raises none.
    """
    if not kernel.python:
        if not may_be_interpreted(kernel.author):
            return None
        kernel = in_python(kernel)
        with suppress(Exception):
            kernel.call(record, 1, addresses)
    return kernel.error


def may_be_interpreted(author: Any) -> bool:
    """False if the function calls one that only compiled code can call."""
    called = [author.__globals__.get(name) for name in author.__code__.co_names]
    return not any(
        hasattr(function, "by_address")
        or getattr(function, "targetoptions", {}).get("no_cpython_wrapper", False)
        for function in called
    )


def _compile_here(kernel: Compiled) -> None:
    """Compile a kernel for this process only."""
    compiler = with_bounds if kernel.checked else jit
    given = {name: f if name == MAKE else compiler(f) for name, f in kernel.given.items()}
    space = _namespace(given, kernel.text)
    made = callback(space["batch"], SIGNATURE, error_model="numpy")
    compilations[0] += 1
    if not kernel.checked and any(origin_of(function) is None for function in kernel.given.values()):
        warnings.warn(
            f"{kernel.owner}: its {kernel.role} function is not in an importable module, "
            "so it is compiled again in every process",
            stacklevel=2,
        )
    kernel.pointer, kernel.keep = int(made.address or 0), [made, space]


def in_python(kernel: Compiled) -> Compiled:
    """Kernel as plain Python; itself if it is that already."""
    if kernel.python:
        return kernel
    plain = Compiled(kernel.role, kernel.given, kernel.text, kernel.owner)
    interpret(plain, RuntimeError())
    return plain


def interpret(kernel: Compiled, reason: Exception) -> None:
    """Put a Python callback at the address of a kernel.

    Exceptions are kept in `raised`, because ctypes would print and ignore them.
    """
    text = kernel.text.replace("@internal\n", "").replace(
        "except Exception:", "except BaseException as problem:\n        caught(problem)"
    )
    space = _namespace(kernel.given, text)
    why = str(reason).strip().splitlines()
    kernel.python, kernel.reason = True, why[-1] if why else type(reason).__name__
    space["caught"] = lambda problem: setattr(kernel.raised, "error", problem)

    def callback(first: int, count: int, address: int) -> int:
        start = time.perf_counter()
        try:
            status = int(space["batch"](first, count, address))
        except BaseException as problem:  # also SystemExit and KeyboardInterrupt, which ctypes would ignore
            kernel.raised.error = problem
            status = 1
        kernel.calls += count
        kernel.seconds += time.perf_counter() - start
        return status

    pointer = CALLBACK(callback)
    kernel.pointer, kernel.keep = address_of(pointer), [pointer, space]
