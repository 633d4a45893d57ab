"""A report with marks that HTML, Word and LaTeX read as something else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.exports.report import Report

AWKWARD = ["*star", "[a] & b_1 {x}", "50 % of $n^2$ \\ ~", "a<b>|c", "„ß“ ₀ ≥ 2"]


def awkward_report() -> Report:
    """Every kind of block once, and a table too wide for a page."""
    made = Report("A & B_1", "Locked 2026")
    made.heading("Methods")
    made.paragraph("Said with 5 % & more.")
    made.note("Do not overlook.")
    made.points(["one #1", "two"])
    made.heading("Deep", 4)
    made.code("x = {1}\ny_2")
    numbers = [1.0, 2.5, np.nan, 123456.0, 0.00012]
    made.table(pd.DataFrame({"Name": AWKWARD, "n": numbers}), "A caption_1")
    made.table(pd.DataFrame(np.arange(24).reshape(2, 12)), "Wide")
    made.figure(go.Figure(), "A figure.")
    return made
