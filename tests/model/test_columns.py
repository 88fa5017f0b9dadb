"""Tables in CSV files: every line is read rightly, or refused by its number."""

from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import has, refused

from mbplugin.model.columns import read_columns
from mbplugin.model.input import samples_of


def columns(tmp_path, content, least=3):
    file = tmp_path / "d.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_columns(file, "d.csv", least)


LINES = "0,10\n0.5,20\n1,40\n"


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        LINES.encode("utf-8-sig"),
        LINES.replace("\n", "\r\n"),
        LINES.replace("\n", "\r"),
        LINES.removesuffix("\n"),
        LINES.replace("\n", ",,\n"),
        "\n , \n" + LINES.replace("\n", "\n\n"),
        '"0","10"\n" 0.5 ",20\n1,"40"\n',
        "time,force\n" + LINES,
        "time [s],force [N]\n" + LINES,
        'rig 3\ntime [s],"force, left [N]"\nx1,l0\n' + LINES,
        "# it's 2,000 \"lines\n0,10\n  # 0.3,15\n0.5,20\n1,40\n# end\n",
        "+0,1e1\n.5,2_0\n1.,4E+1\n",
    ],
)
def test_a_table_is_read_in_full(tmp_path, content):
    assert np.array_equal(columns(tmp_path, content)[:2], [[0.0, 0.5, 1.0], [10.0, 20.0, 40.0]])


@pytest.mark.parametrize(
    "line",
    [
        "0.5s,20",
        "0.5,20 N",
        "1O.5,20",
        "l.5,20",
        "0.5,2O",
        "l.5,2O",
        "0,5,20",
        "0,5;20",
        "0.5;20",
        "0.5\t20",
        "0.5 20",
        "0.5",
        "0.5,",
        ",20",
        "0.5,20,1",
        "1,000,20",
        '"0,5",20',
        '0.5,"1,000"',
        "0.5,1 000",
        "1 000,20",
        "0.5,1'000",
        "nan,20",
        "0.5,nan",
        "inf,20",
        "0.5,-Infinity",
        "nan,nan",
        "0.5,1e300",
        "0.5,--",
        "2024-01-01,20",
        "0:01,20",
        '0.5,"20',
        '"0.5,20',
        '"0.5"s,20',
        "0.5,\u221220",
        "\ufeff0.5,20",
        "0.5,20\0",
        "1st,2nd",
        "time,20",
        "0.5,1d3",
    ],
)
def test_a_line_that_is_no_pair_of_numbers_is_named(tmp_path, line):
    for above in ("", "t,u\n", "0,10\n"):
        if above == "" and line.startswith("\ufeff"):
            continue  # a mark of the encoding
        with refused("file", "d.csv", hide=None) as told:
            columns(tmp_path, f"{above}{line}\n7,1\n8,2\n9,3\n")
        assert has(told.value.mend, f"line {above.count(',') + 1}"), str(told.value)


@pytest.mark.parametrize("line", ["time,force", "O,l", "end", "-", "0.5s,20"])
def test_text_below_the_numbers_is_no_heading(tmp_path, line):
    with refused("file", "d.csv"):
        columns(tmp_path, f"{LINES}{line}\n2,50\n")


@pytest.mark.parametrize("line", ["1,50", "0.9,50"])
def test_times_increase(tmp_path, line):
    with refused("file", "d.csv"):
        columns(tmp_path, LINES + line)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_another_encoding_is_refused(tmp_path, encoding):
    with refused("file", "d.csv"):
        columns(tmp_path, ("angle [°],lift\n" + LINES).encode(encoding))


@pytest.mark.parametrize("content", ["", "\n\n", "time,force\n", "# 0,1\n"])
def test_a_table_without_numbers_is_refused(tmp_path, content):
    with refused("file", "d.csv"):
        columns(tmp_path, content, 1)


@pytest.mark.parametrize(
    ("heading", "unit"),
    [("t [ms],u [N]", "N"), ("# t [ms], u [N]", "N"), ("t [s],u [kN]", "N"), ("a [s],b\nt [s],u", "")],
)
def test_units_of_a_heading_are_obeyed_or_refused(tmp_path, heading, unit):
    (tmp_path / "d.csv").write_text(f"t [s],u [N]\n{LINES}")
    assert np.array_equal(samples_of(tmp_path / "d.csv", "d.csv", unit).value, [10.0, 20.0, 40.0])
    (tmp_path / "d.csv").write_text(f"{heading}\n{LINES}")
    if re.search("ms|kN", heading):
        with refused("file", "d.csv"):
            samples_of(tmp_path / "d.csv", "d.csv", unit)
