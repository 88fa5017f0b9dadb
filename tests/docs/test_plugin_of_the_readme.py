"""The three commands of "A plugin": written, installed into a folder, checked. With the setuptools of the
extra `test` that needs no network.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.metadata import version

import pytest
from child import ROOT, command


@pytest.mark.slow
def test_the_plugin_of_the_readme_is_written_installed_and_passes_the_kit(tmp_path):
    section = (ROOT / "README.md").read_text().split("## A plugin")[1]
    lines = re.search(r"```\n(.*?)```", section, flags=re.S)[1].splitlines()
    make, install, check = (shlex.split(line) for line in lines)
    assert (make[0], install[:2], check[0]) == ("mbplugin", ["pip", "install"], "mbplugin")
    done = command(*make[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    recent = int(version("setuptools").split(".")[0]) >= 77
    alone = ["--no-build-isolation", "--no-index"] if recent else []
    pip = [
        sys.executable,
        *["-m", "pip", "install", "-q", "--no-deps", "--target", "site"],
        *alone,
        *install[2:],
    ]
    built = subprocess.run(pip, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stderr
    done = command(*check[1:], cwd=tmp_path, extra=[tmp_path / "site"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "acme_lift" in done.stdout
