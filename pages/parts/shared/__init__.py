"""Pieces that several pages are made of."""
