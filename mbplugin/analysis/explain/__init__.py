"""The equations of a model, written out."""
