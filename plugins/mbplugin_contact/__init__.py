"""Contact with exact friction."""
