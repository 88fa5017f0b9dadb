"""Scenes from files of other programs, by the importers of plugins."""
