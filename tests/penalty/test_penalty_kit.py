"""The conformance kit passes correct laws and finds one wrong sign or factor; the example of a page passes
it.
"""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import held
import pytest
from child import ROOT
from held import Cubic
from mutations import Mutant, mutated

from mbplugin.testing import check_enforcement, check_plugin

#: mutations of the kernel of Cubic, by kind and number
PLANTED = ("sign 1", "factor 3", "index 2", "sign 0", "sign 2", "statement 2")


def kind_of(text: str, name: str):
    module = types.ModuleType(f"planted_{abs(hash(text))}")
    sys.modules[module.__name__] = module
    exec(compile(text, module.__name__, "exec"), module.__dict__)
    return getattr(module, name)


def test_our_plugin_passes():
    report = check_plugin("mbplugin_penalty")
    assert report.ok and len(report.checks) >= 3 and 'enforcement "penalty"' in report.cost, report


def test_a_third_party_law_passes():
    assert check_enforcement(Cubic).ok


@pytest.mark.parametrize(
    "mutation", [pytest.param(one, marks=pytest.mark.slow if k > 2 else ()) for k, one in enumerate(PLANTED)]
)
def test_the_kit_finds_a_planted_error(mutation):
    kind, number = mutation.split()
    text = mutated(Path(held.__file__).read_text(), Mutant("held.py", "Cubic.kernel", kind, int(number)))
    with pytest.warns(UserWarning):  # compiled again in every process
        assert not check_enforcement(kind_of(text, "Cubic")).ok


def test_the_law_of_the_page_is_right(runs):
    page = (ROOT / "docs/enforcement.md").read_text()
    code = next(block for block in re.findall(r"```python\n(.*?)```", page, flags=re.S) if "Play" in block)
    with pytest.warns(UserWarning):
        report = check_enforcement(kind_of(code, "Play"), {"gap": 0.01, "stiffness": 50.0})
    assert report.ok, report
