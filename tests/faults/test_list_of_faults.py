"""The list of planted faults does not rot; `plant.py` says what the suite makes of them."""

from __future__ import annotations

import ast

import pytest
from list_of_faults import FAULTS
from mutations import ROOT, drawn, mutated


def test_faults_have_names_and_places_of_their_own():
    assert (
        len({fault.name for fault in FAULTS}) == len({fault.mutant for fault in FAULTS}) == len(FAULTS) > 40
    )


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_finds_its_place_and_leaves_python(fault):
    text = (ROOT / fault.mutant.file).read_text()
    assert ast.dump(ast.parse(mutated(text, fault.mutant))) != ast.dump(ast.parse(text))
    assert all((ROOT / "tests" / folder).is_dir() for folder in fault.look)


def test_mutants_are_drawn_by_their_seed():
    assert drawn(5, 1) == drawn(5, 1) != drawn(5, 2)
