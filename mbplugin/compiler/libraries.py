"""Libraries of machine code that are made late: every function passes LLVM once for each address it is in.

numba optimises a function and turns it into machine code when it is compiled, and again in each function that
calls it. A `LateLibrary` only records its module. Who asks for an address in it links the modules of all that
it reaches, once each, optimises them together, and emits machine code.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mbplugin.compiler.numba_names import (
    MISSING,
    JITCodeLibrary,
    codegen,
    global_compiler_lock,
    lookup_environment,
)

#: names of the libraries that this process has optimised and emitted, in their order
made: list[str] = []
#: beginning of the names of environments, from which machine code reads what Python owns
ENVIRONMENT = "_ZN08NumbaEnv"


class LateLibrary(JITCodeLibrary):
    """The library of a function and, once it is made, of all that the function reaches."""

    is_made = False

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def make(self) -> None:
        """Optimise and emit, once."""
        if self.is_made:
            return
        self.is_made = True
        made.append(self.name)
        module = self._final_module
        own = {function.name for function in defined(module.functions)}
        for library in reached(self):
            self._reload_init.update(library._reload_init)
            module.link_in(recorded(library), preserve=True)
        token = os.urandom(6).hex()
        for function in defined(module.functions):
            if function.name not in own:
                # nothing else calls it, so that LLVM may change its arguments: steps are faster by a tenth.
                # The linker of a process would take it for other functions of its name.
                function.linkage, function.name = "internal", f"{function.name}.{token}"
        self._optimize_final_module()
        module.verify()
        self._finalize_final_module()
        for variable in module.global_variables:
            if variable.name.startswith(ENVIRONMENT) and not variable.is_declaration:
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self.codegen.set_env(variable.name, environment)

    @property
    def codegen(self) -> Any:
        """Where numba sets environments: of what is not made yet, `make` does so."""
        return self._codegen if self.is_made else self

    def set_env(self, name: str, environment: Any) -> None:
        """Left to `make`."""

    def get_pointer_to_function(self, name: str) -> int:
        """The address of a function; 0 if the library does not define it."""
        if not self.is_made and name not in {f.name for f in defined(self._final_module.functions)}:
            return 0
        self.make()
        return int(super().get_pointer_to_function(name))

    def _get_module_for_linking(self) -> Any:
        """For a library of plain numba."""
        self.make()
        return super()._get_module_for_linking()

    def _get_compiled_object(self) -> Any:
        self.make()
        return super()._get_compiled_object()

    def serialize_using_object_code(self) -> Any:
        """Without bitcode: nothing is linked with what is called by its address."""
        return self.name, "object", (self._get_compiled_object(), b"")


def defined(values: Any) -> Iterator[Any]:
    """Functions that a module defines."""
    return (value for value in values if not value.is_declaration)


def reached(library: Any) -> list[Any]:
    """The libraries that a library links with, directly or not, once each."""
    found, rest = {library: None}, [library]
    while rest:
        # those of plain numba have linked their own
        of = rest.pop()
        for other in of._linking_libraries if is_recorded(of) or of is library else ():
            if other not in found:
                found[other] = None
                rest.append(other)
    return list(found)[1:]


def is_recorded(library: Any) -> bool:
    """Whether its module is the function alone, as it was compiled."""
    return isinstance(library, LateLibrary) and not library.is_made


def recorded(library: Any) -> Any:
    """The module with which another one links."""
    return library._final_module if is_recorded(library) else library._get_module_for_linking()


@contextmanager
def libraries_of(kind: Any) -> Iterator[None]:
    """Context in which compiled functions get libraries of this kind."""
    if MISSING:
        yield
        return
    with global_compiler_lock:
        generator = codegen()
        before, generator._library_class = generator._library_class, kind
        try:
            yield
        finally:
            generator._library_class = before
