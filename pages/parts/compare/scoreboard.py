"""The scoreboard: every algorithm in one row, all partitions under one yardstick."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mapdp_studio.core.wording import escaped


def draw_scores(scores: pd.DataFrame, concentration: float, truth_title: str | None) -> None:
    """Draw what ``scoreboard`` gives and say what its numbers are, in a line."""
    names = {"E": "E (log units)", "above": "Above lowest", "sweeps": "Sweeps", "seconds": "Time"}
    shown = scores.rename_axis("Algorithm").rename(columns=names)
    forms = dict.fromkeys(shown, "{:.2f}") | {
        "K": "{:,.0f}",
        "E (log units)": "{:,.1f}",
        "Above lowest": lambda above: "lowest" if above < 0.05 else f"{above:+,.1f}",
        "Sweeps": "{:,.0f}",
        "Time": lambda t: f"{1000 * t:.0f} ms" if t < 1 else f"{t:,.1f} s",
    }
    # Numbers stay numbers, so that the table sets them to the right.
    rows = shown.style.format(forms, na_rep="-")
    agreement = f" **NMI, AMI, ARI**: agreement with “{escaped(truth_title or '')}”, 1 is perfect."
    st.table(rows, border="horizontal", alt="Scores of the five algorithms")
    st.caption(
        "**E**: exact cost under MAP-DP's model and prior "
        f"(N₀ = {concentration:g}), lower is better; 2.3 log units are a factor of ten."
        f"{agreement * (truth_title is not None)} **Sweeps**: of the run that gave the labels."
    )
