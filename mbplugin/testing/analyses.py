"""Checks of analyses and commands: the same report twice, that JSON holds; help that ends well."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.api import System
from mbplugin.errors import MbpluginError
from mbplugin.hooks.registry import Registry
from mbplugin.run.analyze import analyze
from mbplugin.testing.exporters import SCENE
from mbplugin.testing.report import Check


def analysis_checks(kind: Any, registry: Registry) -> list[Check]:
    """Every check of one analysis; `registry` has it."""
    name = f'analysis "{kind.name}"'
    checks = []
    examples: Sequence[Mapping[str, Any]] = kind.examples or ({},)
    for keys in examples:
        system = System.from_text(kind.scene or SCENE)
        before = system.to_toml()
        reports = [analyze(system, kind.name, registry, **keys).report for _ in range(2)]
        texts = [report.lines() for report in reports]
        documents = [json.dumps(report.document(), default=type_of) for report in reports]
        for fact, holds, note in (
            ("reports something", bool(texts[0]), "it has no lines"),
            ("reports the same twice", texts[0] == texts[1] and documents[0] == documents[1], "they differ"),
            ("has values that JSON holds", NONE not in documents[0], f"not so {documents[0]}"),
            ("leaves the system as it was", system.to_toml() == before, "the system has changed"),
        ):
            checks.append(Check(name, fact, 0.0 if holds else np.inf, 0.0, "" if holds else note))
    return checks


NONE = "has no form in JSON"


def type_of(value: Any) -> str:
    """For `json`: what it cannot hold."""
    return f"{type(value).__name__} {NONE}"


def command_checks(kind: Any) -> list[Check]:
    """Every check of one command."""
    out, note = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(out):
            kind.run(["--help"])
    except SystemExit as end:
        note = f"it ends with exit code {end.code}" if end.code else ""
    except MbpluginError as error:
        note = str(error)
    facts = (
        ("has a docstring", bool((kind.__doc__ or "").strip()), "its first line is shown by mbplugin --help"),
        ("ends --help without an error", not note, note),
        ("prints help", bool(out.getvalue().strip()), "--help prints nothing"),
    )
    name = f'command "{kind.name}"'
    return [Check(name, fact, 0.0 if ok else np.inf, 0.0, "" if ok else note) for fact, ok, note in facts]
