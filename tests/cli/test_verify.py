"""`mbplugin verify` lists what fails beside what is right, whatever a truth.py does."""

from __future__ import annotations

import json

import pytest
from child import inside
from scene_text import NO_GRAVITY, solver, table
from small_systems import FREE_BODY

from mbplugin.cli.verify import verify_scene
from mbplugin.errors import Interrupted

RIGHT = 'def truth(result):\n    yield "rests", result["a"].position[-1, 0], 0.0, 1e-12, "closed form"\n'
WRONG = {
    "raises": (RIGHT + "    1 / 0\n", "truth.py: line 3: ZeroDivisionError: division by zero"),
    "cannot be read": ("def truth(result)\n", "truth.py: line 1: SyntaxError"),
    "ends the process": ("import sys\nsys.exit(0)\n", "truth.py: line 2: SystemExit: 0"),
    "yields too little": ("def truth(result):\n    yield 'a', 1.0\n", "ValueError: not enough values"),
    "yields no number": ("def truth(result):\n    yield 'a', 'b', 1.0, 1.0, ''\n", "ValueError"),
    "speaks in lines": ('def truth(result):\n    raise KeyError("two\\nlines")\n', "two\\nlines"),
    "asks for another analysis": ("ANALYSIS = 'statics'\n" + RIGHT, "statics"),
}


@pytest.fixture
def scenes(tmp_path, monkeypatch, registry):
    """Folders of scenes with each wrong truth, between two right ones; plugins are loaded once."""
    monkeypatch.setattr("mbplugin.cli.verify.loaded", lambda *words: (registry, []))
    for number, text in enumerate([RIGHT, *(text for text, _ in WRONG.values()), RIGHT]):
        folder = tmp_path / f"{number:02d}"
        folder.mkdir()
        scene = NO_GRAVITY + FREE_BODY + solver(end=0.1) + table("output", frames=2, series=False)
        (folder / "scene.toml").write_text(scene)
        (folder / "truth.py").write_text(text)
    return tmp_path


def test_a_truth_that_raises_is_a_failed_row_beside_all_others(scenes):
    done = inside("verify", str(scenes), "--json", cwd=scenes)
    rows = json.loads(done.stdout)
    assert done.returncode == 1 and "Traceback" not in done.stdout + done.stderr
    bad = [row for row in rows if not row["ok"]]
    assert [row["name"] for row in rows if row["ok"]] == ["rests"] * 3  # one before it raises
    assert [int(row["scene"]) for row in bad] == list(range(1, 1 + len(WRONG)))
    for row, (_, told) in zip(bad, WRONG.values(), strict=True):
        assert told in row["name"] and "\n" not in row["name"], row["name"]
    assert f"{len(rows)} rows of {2 + len(WRONG)} scenes, {len(WRONG)} failed" in done.stderr


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, Interrupted])
def test_an_interruption_is_no_failed_row(scenes, monkeypatch, error):
    def interrupted(*words):
        raise error("now")

    monkeypatch.setattr("mbplugin.run.loop.run_system", interrupted)
    with pytest.raises(error):
        verify_scene(scenes / "00", [])
