"""Singular configurations: where they are, which motion becomes free, and the branches."""
