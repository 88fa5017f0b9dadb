"""Snapshots: what is compared, what a difference shows, and what the switch renews."""

from __future__ import annotations

import pytest
import snapshots
from snapshots import FOLDER, is_there, normal, same_message, same_report, sections


def test_what_differs_between_machines_is_left_out(tmp_path):
    assert normal("t = 0.123456789 s, -0.0 m and 4.9999999 m") == "t = 0.1235 s, 0 m and 5 m\n"
    assert normal("drift 3.4e-17, limit 1e-16, 0.0e+00; v0.1.2") == "drift 0, limit 1e-16, 0; v0.1.2\n"
    assert normal(f'{tmp_path}/out: "{tmp_path}"') == 'TMP/out: "TMP"\n'
    assert normal("a.py, line 31; process 12 on host, since 2026-01-01 00:00:00") == (
        "a.py, line N; process N on HOST, since DATE\n"
    )
    assert normal("took 1.5 s", hide=r"[\d.]+ s") == "took ...\n"


@pytest.mark.parametrize("same", [lambda text: same_report("report", text), same_message])
def test_a_difference_fails_until_it_is_renewed(tmp_path, monkeypatch, same):
    monkeypatch.setattr(snapshots, "FOLDER", tmp_path)
    monkeypatch.setattr(snapshots, "renew", False)
    for text, other in (("one\ntwo", "three"), ("three", "one\ntwo")):
        with pytest.raises(AssertionError):
            same(text)
        monkeypatch.setattr(snapshots, "renew", True)
        monkeypatch.setattr(snapshots, "renewed", set())
        same(text)
        monkeypatch.setattr(snapshots, "renew", False)
        same(text)
        with pytest.raises(AssertionError, match=r"(?m)^\+" + other.split("\n")[0]):
            same(other)


def test_messages_of_one_test_stand_side_by_side(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshots, "FOLDER", tmp_path)
    monkeypatch.setattr(snapshots, "renew", True)
    monkeypatch.setattr(snapshots, "renewed", set())
    for text in ("b", "a", "b", "c\n  d"):
        same_message(text)
    (found,) = sections(tmp_path / "messages" / "faults.txt").values()
    assert found == ["a\n", "b\n", "c\n  d\n"]


def test_every_stored_message_has_its_test():
    for file in FOLDER.glob("messages/*.txt"):
        assert [test for test in sections(file) if not is_there(file.stem, test)] == []
