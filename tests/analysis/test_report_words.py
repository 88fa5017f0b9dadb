"""Text of the redundancy report: `check` prints what docs/redundancy.md shows; messages.txt has blocks."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
from child import ROOT, inside
from scene_text import SCENES, bundled, with_keys
from snapshots import same_report

import mbplugin as mb
from mbplugin.analysis.redundancy.redundancy_text import digits_kept
from mbplugin.run.loop import run_system


def text_blocks(page: str) -> list[str]:
    """Lines of the page's ```text blocks."""
    return [
        line
        for block in re.findall(r"^```text\n(.*?)^```$", page, flags=re.S | re.M)
        for line in block.splitlines()
    ]


@cache
def checked(scene: str) -> list[str]:
    """Lines of the report of a bundled scene, with steps and repairs."""
    done = inside("check", f"scenes/{scene}", "--steps", "--repairs", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_page_shows_the_printed_report():
    printed = {*checked("door_and_handle"), *checked("four_bar_hinges")}
    on_page = text_blocks((ROOT / "docs" / "redundancy.md").read_text())
    assert len(on_page) > 20
    assert [line for line in on_page if line not in printed] == []


def test_the_report_on_the_fourth_hinge_of_a_four_bar():
    """Three parallel hinges constrain translation along the axis and rotation out of the plane already."""
    report = mb.System.from_file(SCENES / "four_bar_hinges").check()
    assert (report.nc, report.redundancy) == (20, 3)
    redundant = {str(row.held) for row in report.redundant}
    assert redundant == {"C: translation along z", "C: rotation about x", "C: rotation about y"}
    same_report("check_four_bar", str(report), hide=r"by [ABD, and]+ .*|=.*")


def test_a_mechanism_without_redundancy_says_so():
    same_report("check_no_redundancy", str(mb.System.from_file(SCENES / "four_bar_point_line").check()))


def test_steps_show_where_redundancy_begins():
    rows = [re.split(r"\s{2,}", line) for line in checked("four_bar_hinges") if re.match(r"[ABCD] ", line)]
    assert rows == [
        ["A", "revolute", "+5", "+5", "0", "5", "13"],
        ["B", "revolute", "+5", "+5", "0", "10", "8"],
        ["D", "revolute", "+5", "+5", "0", "15", "3"],
        ["C", "revolute", "+5", "+2", "3", "17", "1"],
    ]


def test_json_has_the_counts_the_state_and_the_value_of_each_reaction():
    done = inside("check", "scenes/door_and_handle", "--repairs", "--json", cwd=ROOT)
    document = json.loads(done.stdout)
    counts = document["redundancy"]
    assert (counts["rank"], counts["redundancy"], document["singular"]) == (11, 5, None)
    assert document["repairs"][0]["joint"] == "hinge_low"
    along_z = {
        r["joint"]: r
        for r in counts["reactions"]
        if r["direction"] == "translation along z" and r["state"] == "shared"
    }
    weight = 20.5 * 9.81 * 0.9950041652780258  # cos 0.1
    # half each by symmetry; the kept hinge carries all if the other one carries nothing
    assert abs(along_z["hinge_low"]["value"] - weight / 2) < 2e-3
    assert abs(along_z["hinge_top"]["value_if_redundant_rows_carry_nothing"] - weight) < 1e-9
    assert along_z["hinge_low"]["value_if_redundant_rows_carry_nothing"] == 0.0


def test_messages_have_a_block_for_each_set_of_rows(tmp_path, registry):
    start = {"angle_deg": 0, "speed": 0}
    text = with_keys(bundled("door_and_handle"), "hinge_top", "hinge_low", start=start)
    run_system(mb.System.from_text(text), tmp_path, registry, end=0.1)
    messages = (tmp_path / "messages.txt").read_text()
    # the first two analyses include the two starts, one of which is redundant
    same_report("messages_of_two_sets_of_rows", messages)


@pytest.mark.parametrize(
    "condition, words",
    [
        (92.2, ""),
        (5e6, "; harmless, reactions keep about 9 digits"),
        (1e12, "; reactions keep about 4 digits"),
        (1e17, "; reactions keep about 0 digits"),
    ],
)
def test_a_condition_number_is_told_with_the_digits_that_it_costs(condition, words):
    # of the 15.7 digits of a double, log10 of the condition number are lost
    assert digits_kept(condition) == words
