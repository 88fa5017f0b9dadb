"""Sweeps: one system at many points of its parameters, compiled once; run here, in processes, by a cluster.

grid.py      the points: values of keys, in all combinations or in pairs
measure.py   what is kept of a run: names with reductions, parsed, or functions of a result
plan.py      system, measures and end of a sweep; one point: changed, run in memory, measured; or its message
workers.py   points handed to processes or to a cluster; what a dead worker held is handed out again
store.py     the file that a sweep is kept in and continued from
netcdf.py    the format of that file
outcome.py   `Sweep`: what has come out, as a dataset, a table and a plot
run.py       `sweep`
"""

from mbplugin.sweeps.outcome import Sweep
from mbplugin.sweeps.run import sweep
