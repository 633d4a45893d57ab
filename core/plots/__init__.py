"""Figures: what is handed in is drawn, nothing is computed here."""

from ..extras import needs

needs("plotly", "Figures need")
