"""Café."""
import os


def naïve(値):
    """Doc ✓.

    More.
    """
    if 値:
        return naïve(値) + "é\xe9"
    return """a
b"""
