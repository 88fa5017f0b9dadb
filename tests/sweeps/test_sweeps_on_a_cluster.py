"""A sweep on the workers of `dask.distributed`, on the loopback of this machine."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import numpy as np
import pytest
from refusals import stopped
from swinging import PENDULUM

import mbplugin as mb
from mbplugin.errors import PluginError
from mbplugin.sweeps import run

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
LENGTHS = np.linspace(0.3, 1.2, 12).tolist()


@contextmanager
def client_of(**options):
    """A client of workers on this machine."""
    import dask

    options |= {"threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set({"distributed.worker.daemon": False}),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def thread():
    """A client of a worker in a thread of this process."""
    with client_of(n_workers=1, processes=False) as client:
        yield client


@pytest.fixture(scope="module")
def processes():
    """A client of two processes, which import all anew."""
    with client_of(n_workers=2, host="127.0.0.1") as client:
        yield client


@pytest.fixture(scope="module")
def pendulum():
    return mb.System.from_text(PENDULUM)


@pytest.mark.parametrize("workers", ["thread", pytest.param("processes", marks=pytest.mark.slow)])
def test_a_cluster_gives_the_bits_of_this_process(workers, pendulum, request):
    client = request.getfixturevalue(workers)
    measures = {"swing": "pivot.angle", "l": lambda result: result.system.parameters["length"]}
    here = mb.sweep(pendulum, {"length": LENGTHS}, measures, end=0.5)
    there = mb.sweep(pendulum, {"length": LENGTHS}, measures, end=0.5, client=client)
    assert there["l"].tolist() == LENGTHS and not there.failed
    assert there["swing"].tobytes() == here["swing"].tobytes()


# test_sweeps.py has one that dies without a cluster
@pytest.mark.slow
def test_a_worker_that_dies_loses_no_point(processes, pendulum, tmp_path):
    flag = str(tmp_path / "once")
    open(flag, "w").close()

    def deadly(result):
        length = result.system.parameters["length"]
        if length > 0.8 and os.path.exists(flag):
            os.unlink(flag)
            os.kill(os.getpid(), signal.SIGKILL)
        return length

    found = mb.sweep(pendulum, {"length": LENGTHS}, deadly, end=0.1, client=processes)
    assert not os.path.exists(flag)
    assert found["deadly"].tolist() == LENGTHS


def test_a_worker_with_other_sources_is_refused(thread, pendulum, monkeypatch):
    stale = lambda *given: {"mbplugin": "0.0 0123"}
    monkeypatch.setattr("mbplugin.sweeps.run.sources", stale)
    with stopped(PluginError, "mbplugin", hide=r"\(version .*"):
        run.sweep(pendulum, {"length": LENGTHS}, "pivot.angle", end=0.1, client=thread)
