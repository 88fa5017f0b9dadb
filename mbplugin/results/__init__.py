"""The result store: write it, read it, check it. Its layout is fixed by `docs/result-format.md`."""

from mbplugin.results.checkpoint import Checkpoint
from mbplugin.results.index import store_of, write_index
from mbplugin.results.layout import Array
from mbplugin.results.memory import MemoryResult
from mbplugin.results.read import Message, RawResult
from mbplugin.results.store import ResultWriter
