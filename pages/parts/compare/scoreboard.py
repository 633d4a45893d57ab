"""The scoreboard: every algorithm in one row, all partitions under one yardstick."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from core.comparing.comparison import Score
from core.wording import escaped


def draw_scores(
    scores: list[Score], concentration: float, truth_title: str | None, is_wide: bool
) -> None:
    """Draw the table and say what its numbers are."""
    rows = _rows(scores, has_truth=truth_title is not None)
    said = [
        "**E** is the exact cost of each partition under MAP-DP's model and prior "
        f"(N₀ = {concentration:g}): lower is better, and 2.3 log units (natural logarithms) are a "
        "factor of ten in probability. The algorithms' own objectives measure different things "
        "and are not comparable, so they are not shown."
    ]
    if truth_title is not None:
        said.append(
            "**NMI, AMI, ARI** compare with the known groups in "
            f"“{escaped(truth_title)}”, which took no part in the clustering, every row counted "
            "once. 1 is perfect; AMI and ARI are about 0 by chance."
        )
    said.append(
        "**Sweeps** are those of the run that gave the labels; merges, splits and the other starts "
        "of MAP-DP's search are not counted."
    )
    places = st.columns([5, 3], gap="medium") if is_wide else [st.container()] * 2
    places[0].table(rows, border="horizontal", alt="Scores of the five algorithms")
    for text in said:
        places[1].caption(text)


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
