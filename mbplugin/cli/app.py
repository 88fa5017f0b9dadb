"""Entry point of the command line."""

from __future__ import annotations

import atexit
import gc
import sys
from contextlib import nullcontext
from typing import Annotated

import typer

from mbplugin.cli.commands import Commands
from mbplugin.cli.interrupt import exit_on_interrupt
from mbplugin.cli.streams import (
    error_fields,
    escape_what_cannot_be_encoded,
    forget_output,
    only_documents,
    print_document,
)
from mbplugin.errors import Interrupted, MbpluginError, SceneError, StoreError, cut, printable

#: exit code where standard output is closed early, the same as typer has
CLOSED_PIPE = 1

app = typer.Typer(cls=Commands, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


def print_version(wanted: bool) -> None:
    if wanted:
        from mbplugin import __version__

        print(f"mbplugin {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Multibody dynamics in which everything physical is a plugin."""


def main() -> None:
    """Entry point of the command line: turns errors into messages and exit codes."""
    # what is imported and compiled stays: looking for garbage in it took a quarter of a short run
    gc.set_threshold(100_000, 20, 100)
    atexit.register(gc.freeze)
    escape_what_cannot_be_encoded()
    json, fields = "--json" in sys.argv, {}
    with only_documents() if json else nullcontext():
        try:
            with exit_on_interrupt():
                app()
        except MbpluginError as error:
            text, code, fields = str(error), error.exit_code, error_fields(error)
            if error.last_steps is not None:
                text += f"\nthe last steps, painted: mbplugin render {error.last_steps}"
        except MemoryError as error:
            text = f"not enough memory ({error or 'none left'}): ask for fewer frames, positions or points"
            code = SceneError.exit_code
        except BrokenPipeError:
            # nobody reads the output any more
            forget_output()
            sys.exit(CLOSED_PIPE)
        except UnicodeEncodeError as error:
            mend = f"this name cannot be written as {error.encoding}; set LC_ALL=C.UTF-8, or PYTHONUTF8=1"
            text = f"{error.object[:100]}: {mend}"
            code = StoreError.exit_code
        except OSError as error:
            # not from results, which raise StoreError: the cache, a deleted folder
            text = f"{error.filename or 'input/output'}: {error.strerror or error}"
            code = StoreError.exit_code
        except KeyboardInterrupt:
            text, code = "interrupted", Interrupted("").exit_code
        else:
            return
        text = "\n".join(map(printable, cut(text).split("\n")))
        if json:
            print_document({"error": fields | {"message": text, "exit_code": code}})
        print(f"error: {text}", file=sys.stderr)
        sys.exit(code)
