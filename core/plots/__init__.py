"""Figures: what is handed in is drawn, nothing is computed here."""
