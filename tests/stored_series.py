"""The series of a stored result, which a run writes meanwhile."""

from mbplugin.export.choice import has_drawings
from mbplugin.export.drawings import stored_drawings
from mbplugin.export.series import SeriesWriter, contacts_described, with_contacts


def write_series(raw, folder, every=1):
    """Write the series of each `every`-th frame of a result. Returns the number of frames written."""
    drawings = stored_drawings(raw) if has_drawings(raw) else None
    writer = SeriesWriter(folder, raw.static(), contacts_described(raw), "surface", drawings)
    for i, frame in zip(range(0, raw.frames, every), raw.each_frame(0, raw.frames, every)):
        writer.append(with_contacts(raw, i, frame))
    writer.close()
    return writer.frames
