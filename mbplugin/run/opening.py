"""Messages of a run before its first step: one block per analysis."""

from __future__ import annotations

from mbplugin.analysis.phrases import enumerated, plural
from mbplugin.analysis.rank.levels import level_lines
from mbplugin.analysis.redundancy.redundancy import redundancy
from mbplugin.analysis.redundancy.redundancy_report import rows_of_a_run, sets_of_rows
from mbplugin.analysis.redundancy.redundancy_text import none_redundant, of_starts, reaction_lines, report
from mbplugin.analysis.redundancy.undetermined import read_reaction_warnings
from mbplugin.analysis.singular.singular import ADVICE, MAX_WATCHED_ROWS
from mbplugin.analysis.singular.watch import Watch
from mbplugin.run.observers import Observers
from mbplugin.run.prepare import Prepared
from mbplugin.run.stop import true_at_start
from mbplugin.tables.groups import Bounded, Rows

#: redundant rows that messages.txt names in each block
SHOWN = 20


def opening(prepared: Prepared) -> list[tuple[str, str]]:
    """(level, text) of the position, velocity and acceleration analyses; equal rows share a message."""
    sets = sets_of_rows(prepared.problem, prepared.system, prepared.rank)
    lines = []
    for names, counts in sets:
        title = enumerated(names)
        redundant = plural(counts.redundancy, "redundant row") if counts.redundancy else "no redundant rows"
        summary = (
            f"{title} analysis: {counts.nc} constraint rows{of_starts(counts)}, rank {counts.rank}, "
            f"mobility {counts.mobility}, {redundant}"
        )
        if not counts.redundant and not counts.nearly:
            lines.append(("info", f"{summary}. {none_redundant(counts)}"))
            continue
        lines.append(("info", summary))
        lines.append(
            (
                "warning" if counts.redundant else "info",
                report(counts, shown=SHOWN, with_reactions=False, title=title),
            )
        )
    if any(counts.redundant for _, counts in sets):
        lines.append(("info", rows_of_a_run(sets)))
    lines += [("info", line) for line in level_lines(prepared.problem)]
    lines += [("warning", line) for line in read_reaction_warnings(prepared.problem, prepared.system)]
    if prepared.singular is not None:
        lines += [("warning", str(prepared.singular)), ("info", ADVICE)]
    return lines


def shares(prepared: Prepared) -> str:
    """Reactions that are not determined, with their values at the first frame. The problem must hold the
    evaluation of this frame.
    """
    # rows whose forces have bounds may have ceased to hold at once
    known = None if len(prepared.problem[Bounded].index) else prepared.rank
    counts = redundancy(prepared.problem, prepared.system, report=known)
    return "\n".join(reaction_lines(counts, prepared.problem[Rows].lam, SHOWN))


def watch(prepared: Prepared) -> Watch | None:
    """The detector of singular positions between frames; None for models that are too large or have no
    constraints.
    """
    problem = prepared.stepped
    if not 0 < problem.nc <= MAX_WATCHED_ROWS:
        return None
    around = prepared.singular.rank_around if prepared.singular is not None else prepared.rank.rank
    # every joint that carries a body takes its freedoms
    return Watch(problem, around + problem.nv - prepared.problem.nv)


def moved_bodies(prepared: Prepared) -> list[str]:
    """A sentence on the bodies that assembly has moved; nothing if there are none."""
    moved = prepared.assembly.moved
    if not moved:
        return []
    name, distance = max(moved, key=lambda one: one[1])
    bodies = "1 body" if len(moved) == 1 else f"{len(moved)} bodies"
    return [f'assembly moved {bodies}, "{name}" by {distance:.3g} m (see messages.txt)']


def opening_messages(prepared: Prepared, observers: Observers) -> list[tuple[str, str]]:
    """(level, text) of the messages before the first step; the problem must hold its initial state."""
    ask, nothing = observers.ask, list[str]()
    coordinates = ask("the message on joint coordinates", prepared.coordinates_message, nothing)
    stop = ask("the message on `stop`", lambda: true_at_start(prepared.system, prepared.problem), nothing)
    of_laws = lambda: [message for law in prepared.laws for message in law.before()]
    return [
        *(("info", text) for text in prepared.solver.remarks),
        *(("info", text) for text in coordinates),
        *(("info", text) for text in prepared.assembly.messages),
        *(("warning", text) for text in (*prepared.assembly.dropped, *prepared.remarks)),
        *(("warning", text) for text in stop),
        *ask("the report of redundant rows", lambda: opening(prepared), []),
        *ask("the messages of enforcement laws", of_laws, []),
        *observers.told(),
    ]
