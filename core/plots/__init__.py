"""Figures: what is handed in is drawn, nothing is computed here."""

from ..optional import require

require("plotly", "Figures need")
