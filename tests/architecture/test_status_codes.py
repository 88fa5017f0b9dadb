"""Status codes of compiled functions."""

from __future__ import annotations

from mbplugin.tables import status


def test_no_two_have_one_number():
    codes = {name: value for name, value in vars(status).items() if name.isupper()}
    assert len(set(codes.values())) == len(codes), sorted(codes.items(), key=lambda item: item[1])
