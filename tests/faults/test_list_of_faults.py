"""The list of planted faults does not rot; `plant.py` says what the suite makes of them."""

from __future__ import annotations

import ast

from list_of_faults import FAULTS
from mutations import ROOT, drawn, mutated


def test_faults_have_names_and_places_of_their_own():
    assert len({f.name for f in FAULTS}) == len({f.mutant for f in FAULTS}) == len(FAULTS) >= 120


def test_a_fault_finds_its_place_and_leaves_python():
    texts = {file: (ROOT / file).read_text() for file in {fault.mutant.file for fault in FAULTS}}
    before = {file: ast.dump(ast.parse(text)) for file, text in texts.items()}
    for fault in FAULTS:
        after = ast.parse(mutated(texts[fault.mutant.file], fault.mutant))
        assert ast.dump(after) != before[fault.mutant.file], fault.name


def test_a_fault_is_seen_by_a_test_of_the_default_run():
    functions = {}
    for fault in FAULTS:
        file, _, name = fault.seen_by.partition("::")
        if file not in functions:
            found = ast.walk(ast.parse((ROOT / "tests" / file).read_text()))
            functions[file] = {one.name: one for one in found if isinstance(one, ast.FunctionDef)}
        decorators = functions[file][name.rpartition("::")[2]].decorator_list
        assert "pytest.mark.slow" not in map(ast.unparse, decorators), fault.name


def test_mutants_are_drawn_by_their_seed():
    assert drawn(5, 1) == drawn(5, 1) != drawn(5, 2)
