"""What people read: the page about redundant joints shows what `check` prints, and messages.txt has a block
for each analysis with rows of its own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from child import command

import mbplugin as mb
from mbplugin.run.loop import run_system

ROOT = Path(__file__).parents[2]


def shown(page: str) -> list[str]:
    """Lines of the page's ```text blocks."""
    return [
        line
        for block in re.findall(r"^```text\n(.*?)^```$", page, flags=re.S | re.M)
        for line in block.splitlines()
    ]


def test_the_page_shows_what_check_prints():
    printed = set()
    for scene in ("door_and_handle", "four_bar_hinges"):
        done = command("check", f"scenes/{scene}", "--steps", "--repairs", cwd=ROOT)
        assert done.returncode == 0, done.stderr
        printed |= set(done.stdout.splitlines())
    lines = shown((ROOT / "docs" / "redundancy.md").read_text())
    assert len(lines) > 20
    assert [line for line in lines if line not in printed] == []


def test_the_fourth_hinge_of_a_four_bar_in_words():
    text = str(mb.System.from_file(ROOT / "scenes" / "four_bar_hinges").check())
    assert (
        "3 of 20 rows are redundant, named on C, the joint of lowest priority, or last in the file, of those that share (any of A, B, D and C could be named). "
        "They ask for what other joints hold already: leaving them out does not change the motion."
    ) in text
    # along the axis, and out of the plane: what three parallel hinges hold already
    assert "C (revolute): translation along z is already held by A, B and D together" in text
    assert (
        "C (revolute): rotation about x is already held by " in text
        and "C (revolute): rotation about y is already held by " in text
    )


def test_a_mechanism_without_redundancy_says_so():
    assert str(mb.System.from_file(ROOT / "scenes" / "four_bar_point_line").check()).endswith(
        "No row is redundant; every reaction is determined."
    )


def test_steps_show_where_redundancy_begins():
    done = command("check", "scenes/four_bar_hinges", "--steps", cwd=ROOT)
    rows = [re.split(r"\s{2,}", line) for line in done.stdout.splitlines() if re.match(r"[ABCD] ", line)]
    assert rows == [
        ["A", "revolute", "+5", "+5", "0", "5", "13"],
        ["B", "revolute", "+5", "+5", "0", "10", "8"],
        ["D", "revolute", "+5", "+5", "0", "15", "3"],
        ["C", "revolute", "+5", "+2", "3", "17", "1"],
    ]


def test_json_has_the_counts_the_words_and_the_values():
    done = command("check", "scenes/door_and_handle", "--repairs", "--json", cwd=ROOT)
    found = json.loads(done.stdout)
    assert (found["redundancy"]["rank"], found["redundancy"]["redundancy"], found["singular"]) == (
        11,
        5,
        None,
    )
    assert found["repairs"][0]["joint"] == "hinge_low"
    along = {
        r["joint"]: r
        for r in found["redundancy"]["reactions"]
        if r["direction"] == "translation along z" and r["state"] == "shared"
    }
    weight = 20.5 * 9.81 * 0.9950041652780258  # cos 0.1
    # shared by symmetry; the kept hinge carries all where the other one carries nothing
    assert abs(along["hinge_low"]["value"] - weight / 2) < 2e-3
    assert abs(along["hinge_top"]["value_if_redundant_rows_carry_nothing"] - weight) < 1e-9
    assert along["hinge_low"]["value_if_redundant_rows_carry_nothing"] == 0.0


def test_messages_have_a_block_for_each_analysis_with_rows_of_its_own(tmp_path, registry):
    text = (ROOT / "scenes" / "door_and_handle" / "scene.toml").read_text()
    for name in ("hinge_top", "hinge_low"):
        text = text.replace(f'name = "{name}"', f'name = "{name}"\nstart = {{ angle_deg = 0, speed = 0 }}')
    run_system(mb.System.from_text(text), tmp_path, registry, end=0.1)
    said = (tmp_path / "messages.txt").read_text()
    # the two starts are rows of the first two analyses, one of them redundant; the motion has neither
    assert (
        "[info] position and velocity analysis: 18 constraint rows, rank 12, 0 degrees of freedom, 6 redundant rows"
        in said
    )
    assert "hinge_low start: start of angle is already held by hinge_top start: start of angle" in said
    assert (
        "[info] acceleration analysis: 16 constraint rows, rank 11, 1 degrees of freedom, 5 redundant rows"
        in said
    )
    assert said.count("hinge_top: force along z [N] (shared)") == 1
