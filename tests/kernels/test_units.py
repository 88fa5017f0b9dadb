"""Units are compiled once, by whichever process claims them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from filelock import FileLock, Timeout

from mbplugin.codegen import units
from mbplugin.codegen.units import Unit, compile_missing


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
    assert all(unit.mark.exists() and not locked(unit) for unit in made)
    assert seen[0][:2] == (0, 6) and seen[-1][:2] == (6, 6)
    monkeypatch.setattr(units, "_made", {})
    assert made[3].make()[0].cache_hits == 1
    seen.clear()
    compile_missing(made)
    assert seen == []


def test_a_long_compilation_is_told_where_nobody_listens(made, monkeypatch, capsys):
    monkeypatch.setattr(units, "listeners", [])
    compile_missing(made[:3])  # short ones
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(units, "LEAST_TIME_REPORTED", 1.0)
    compile_missing(made)
    told = "mbplugin: compiling 3 functions, once on this machine; this can take minutes\n"
    assert capsys.readouterr().err == told


HOLD = """
import sys, time
from filelock import FileLock
lock = FileLock(sys.argv[1])
lock.acquire()
print("held", flush=True)
time.sleep(60)
"""


def locked(unit):
    lock = FileLock(f"{unit.mark}.lock", timeout=0)
    try:
        with lock:
            return False
    except Timeout:
        return True


def holder(unit):
    """A process that has locked the unit."""
    unit.mark.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", HOLD, f"{unit.mark}.lock"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


def test_a_unit_that_a_living_process_compiles_is_waited_for(made, monkeypatch):
    waited = []
    with holder(made[0]) as other:

        def watch(done, total, seconds, what):
            if done == 5 and seconds > 0.5:
                waited.append(what)
                made[0].mark.touch()

        monkeypatch.setattr(units, "listeners", [watch])
        compile_missing(made)
        assert waited[0] == made[0].name and made[0] not in units._made
        other.kill()


def test_a_claim_of_a_process_that_died_is_taken_over(made):
    with holder(made[0]) as other:
        assert locked(made[0])
        other.kill()
    compile_missing(made)
    assert made[0].mark.exists()


def test_a_cache_that_cannot_be_written_is_left_alone(made, tmp_path):
    (tmp_path / "cache").write_text("a file in the place of the folder")
    compile_missing(made)
    assert not any(unit in units._made for unit in made)


def test_a_unit_that_cannot_be_compiled_fails_where_it_is_needed(made):
    broken = Unit("six_units", "missing", made[0].folder)
    compile_missing([*made, broken])
    assert broken.mark.exists()
    with pytest.raises(AttributeError):
        broken.make()


def test_helpers_leave_a_package_of_the_working_folder_alone(made, tmp_path, monkeypatch):
    """Another copy of mbplugin in the working folder has other tables: its code would corrupt ours."""
    other = tmp_path / "work" / "mbplugin"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("open('imported', 'w')\n")
    monkeypatch.chdir(other.parent)
    monkeypatch.setenv("MBPLUGIN_PROCESSES", "2")
    for helper in units.start_helpers(made):
        assert helper.wait() == 0
    assert not (other.parent / "imported").exists()
    assert all(unit.mark.exists() for unit in made)
