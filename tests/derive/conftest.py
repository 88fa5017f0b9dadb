"""Kinds that are written as Φ, ψ, V and R alone, beside the installed ones."""

from __future__ import annotations

import derived_kinds
import pytest
from headless import Runs


@pytest.fixture(scope="session")
def runs() -> Runs:
    return Runs.offering(derived_kinds=derived_kinds)
