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

from mbplugin.testing import check_enforcement, check_plugin

#: changes of the kernel of Cubic
PLANTED = [
    ("load[0] = -p.stiffness", "load[0] = p.stiffness"),
    ("- p.damping * phi_dot\n", "+ p.damping * phi_dot\n"),
    ("0.25 * p.stiffness", "p.stiffness"),
    ("power[0] = -", "power[0] = "),
    ("        power[0] = -p.damping * phi_dot**2\n", ""),
    ("power[0] =", "power[1] ="),
]


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


@pytest.mark.parametrize(("old", "new"), PLANTED)
def test_the_kit_finds_a_planted_error(old, new):
    text = Path(held.__file__).read_text()
    assert text.count(old) == 1
    with pytest.warns(UserWarning, match="compiled again"):
        assert not check_enforcement(kind_of(text.replace(old, new), "Cubic")).ok


def test_the_law_of_the_page_is_right(runs):
    page = (ROOT / "docs/enforcement.md").read_text()
    code = next(block for block in re.findall(r"```python\n(.*?)```", page, flags=re.S) if "Play" in block)
    with pytest.warns(UserWarning, match="compiled again"):
        report = check_enforcement(kind_of(code, "Play"), {"gap": 0.01, "stiffness": 50.0})
    assert report.ok, report
