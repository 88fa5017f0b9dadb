"""Loads on faces of meshes, as force kinds."""
