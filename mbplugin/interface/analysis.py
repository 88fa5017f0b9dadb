"""Analyses of an assembled problem: `mbplugin analyze SCENE NAME`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

#: analyses of the engine, whose names plugins cannot take
BUILT_IN = ("position", "velocity", "acceleration", "kinematic", "inverse", "static", "eigen", "redundancy")


@dataclass
class AnalysisReport:
    """Report of an analysis.

    lines:  for people
    values: for scripts, by name: numbers, texts, lists, arrays and tables of these
    """

    lines: Sequence[str]
    values: Mapping[str, Any] = field(default_factory=dict)


class AnalysisKind:
    """Base of analyses: `mbplugin analyze SCENE NAME`, and `System.analyze(NAME)`.

    name:       as on the command line
    parameters: pydantic class of its keys, or None: `--set analysis.points=20`, `analyze(NAME, points=20)`
    examples:   keys for the conformance kit
    scene:      TOML of a scene for the kit; "": two bodies, a hinge and a spring
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None
    examples: ClassVar[Sequence[Mapping[str, Any]]] = ()
    scene: ClassVar[str] = ""

    @classmethod
    def analyze(cls, problem: Any, system: Any, params: Any) -> AnalysisReport:
        """The report. problem: assembled at t = 0, for this analysis alone; system: the `mbplugin.System`
        that it was compiled from; params: validated. It may raise SceneError and PhysicsError; any other
        exception is reported with the name of the plugin.
        """
        raise NotImplementedError
