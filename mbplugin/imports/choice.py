"""Which importer reads a file: by its suffix and, of XML files, by its root element."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path
from typing import Any
from xml.parsers import expat

from mbplugin.errors import PluginError, SceneError, listed
from mbplugin.hooks.registry import Registry


def importer_of(file: Path, registry: Registry) -> Any:
    """The importer of `file`. Raises SceneError if there is none, PluginError if there are several."""
    kinds = {name: registry.find("importer", name) for name in registry.names("importer")}
    fits = {name: kind for name, kind in kinds.items() if file.suffix.lower() in kind.suffixes}
    if not fits:
        known = sorted({suffix for kind in kinds.values() for suffix in kind.suffixes})
        mend = f"no plugin reads such files; known: {', '.join(known)}{registry.not_loaded}"
        raise SceneError("import", str(file), mend)
    if any(kind.root is not None for kind in fits.values()):
        root = root_of(file)
        roots = sorted({str(kind.root) for kind in fits.values()})
        fits = {name: kind for name, kind in fits.items() if kind.root in (None, root)}
        if not fits:
            mend = f"the root element is <{root}>; importers of {file.suffix} read <{'>, <'.join(roots)}>"
            raise SceneError("import", str(file), mend)
    if len(fits) > 1:
        clash = listed(f'"{name}" of {registry.offers["importer"][name][0].plugin}' for name in sorted(fits))
        raise PluginError(f"several importers read {file.name}: {clash}; leave one of the plugins out")
    return next(iter(fits.values()))


def root_of(file: Path) -> str:
    """The name of the root element of an XML file, with its prefix. Raises SceneError."""
    tags: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: tags.append(tag)
    try:
        content = file.read_bytes()
        text = content.removeprefix(BOM_UTF8).lstrip()
        parser.Parse(text, True)
    except (expat.ExpatError, ValueError, LookupError) as error:  # the latter two: of the encoding
        if not tags:
            line = getattr(error, "lineno", 0) + content[: len(content) - len(text)].count(b"\n")
            mend = f"is not XML: {str(error).partition(':')[0]}"
            raise SceneError(file=str(file), line=line, mend=mend) from None
    except OSError as error:
        raise SceneError(file=str(file), mend=f"cannot be read: {error.strerror}") from None
    return tags[0]
