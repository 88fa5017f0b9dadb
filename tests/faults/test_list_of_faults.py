"""The list of planted faults does not rot; `plant.py` says what the suite makes of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from list_of_faults import FAULTS

ROOT = Path(__file__).parents[2]


def test_faults_have_names_of_their_own():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) > 40


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_finds_its_text_once_and_leaves_python(fault):
    text = (ROOT / fault.file).read_text()
    assert text.count(fault.old) == 1
    assert fault.new != fault.old
    ast.parse(text.replace(fault.old, fault.new))
    assert all((ROOT / "tests" / folder).is_dir() for folder in fault.look)
