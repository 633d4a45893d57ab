"""Honest statistics around groups: tests, effects, corrections, chance, stability, small counts."""
