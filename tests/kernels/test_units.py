"""Units are compiled once, by whichever process claims them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mbplugin.codegen import units
from mbplugin.codegen.units import Unit, claim, compile_missing, lock


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Six units of a module, none of them compiled yet."""
    names = [f"f{k}" for k in range(6)]
    text = "".join(f"def {name}(first, count, address):\n    return {k}\n" for k, name in enumerate(names))
    (tmp_path / "six_units.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MBPLUGIN_PROCESSES", "2")
    yield [Unit("six_units", name, str(tmp_path / "cache")) for name in names]
    sys.modules.pop("six_units", None)


def test_missing_units_are_compiled_side_by_side_and_reported(made, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(units, "listeners", [lambda *state: seen.append(state)])
    compile_missing(made)
    assert all(unit.mark.exists() and not lock(unit).exists() for unit in made)
    assert seen[0][:2] == (0, 6) and seen[-1][:2] == (6, 6)
    monkeypatch.setattr(units, "_made", {})
    assert made[3].make()[0].cache_hits == 1
    seen.clear()
    compile_missing(made)
    assert seen == []


def test_a_unit_that_a_living_process_compiles_is_waited_for(made):
    assert claim(made[0]) and not claim(made[0])
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as other:
        lock(made[0]).write_text(str(other.pid))
        assert not claim(made[0])
        other.kill()
    assert claim(made[0])


def test_a_claim_of_a_process_that_died_is_taken_over(made):
    lock(made[0]).parent.mkdir(parents=True)
    lock(made[0]).write_text("999999999")
    compile_missing(made)
    assert made[0].mark.exists()


def test_a_unit_that_cannot_be_compiled_fails_where_it_is_needed(made):
    broken = Unit("six_units", "missing", made[0].folder)
    compile_missing([*made, broken])
    assert broken.mark.exists()
    with pytest.raises(AttributeError):
        broken.make()
