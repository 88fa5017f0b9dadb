"""Without the names of numba that are not public, everything is compiled as plain numba does it."""

from __future__ import annotations

import pytest
from child import command
from scene_text import SCENES

RUN = """
import hashlib, sys
import mbplugin as mb
from mbplugin.compiler import numba_names

result = mb.System.from_file(sys.argv[1], set={"solver.end": 0.3}).run(files=False)
positions = b"".join(result[name].position.tobytes() for name in sys.argv[2:])
print(bool(numba_names.MISSING), hashlib.sha256(positions).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scene", "bodies"), [("double_pendulum", ["upper", "lower"]), ("block_on_incline", ["block"])]
)
def test_plain_numba_gives_the_same_bits_and_says_so_once(tmp_path, scene, bodies):
    """The second plain run loads what the first one has stored."""
    said = []
    for folder, plain in (("ours", "0"), ("plain", "1"), ("plain", "1")):
        surroundings = {"MBPLUGIN_CACHE": str(tmp_path / folder), "MBPLUGIN_PLAIN_NUMBA": plain}
        done = command(str(SCENES / scene), *bodies, cwd=tmp_path, code=RUN, timeout=1800, **surroundings)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("as plain numba does it") == int(plain)
        said.append(done.stdout.split())
    assert [words[0] for words in said] == ["False", "True", "True"]
    assert len({words[1] for words in said}) == 1
