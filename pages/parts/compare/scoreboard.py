"""The scoreboard: every algorithm in one row, all partitions under one yardstick."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from mapdp_studio.core.comparing.comparison import Score
from mapdp_studio.core.wording import escaped


def draw_scores(scores: list[Score], concentration: float, truth_title: str | None) -> None:
    """Draw the table and say what its numbers are, in a line."""
    rows = _rows(scores, has_truth=truth_title is not None)
    agreement = f" **NMI, AMI, ARI**: agreement with “{escaped(truth_title or '')}”, 1 is perfect."
    st.table(rows, border="horizontal", alt="Scores of the five algorithms")
    st.caption(
        "**E**: exact cost under MAP-DP's model and prior "
        f"(N₀ = {concentration:g}), lower is better; 2.3 log units are a factor of ten."
        f"{agreement * (truth_title is not None)} **Sweeps**: of the run that gave the labels."
    )


def _rows(scores: list[Score], has_truth: bool) -> Styler:
    """Numbers stay numbers, so that the table sets them to the right."""
    rows = pd.DataFrame(
        {
            "Algorithm": [score.title for score in scores],
            "K": [score.n_clusters for score in scores],
            "E (log units)": [score.objective for score in scores],
            "Above lowest": [score.above for score in scores],
            **{
                name.upper(): [score.agreement.get(name) for score in scores]
                for name in (("nmi", "ami", "ari") if has_truth else ())
            },
            "Sweeps": [score.n_iter for score in scores],
            "Time": [score.seconds for score in scores],
        }
    ).set_index("Algorithm")
    forms = dict.fromkeys(rows, "{:.2f}") | {
        "K": "{:,.0f}",
        "E (log units)": "{:,.1f}",
        "Above lowest": lambda above: "lowest" if above < 0.05 else f"{above:+,.1f}",
        "Sweeps": "{:,.0f}",
        "Time": _seconds,
    }
    return rows.astype(float).style.format(forms, na_rep="-")


def _seconds(value: float) -> str:
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:,.1f} s"
