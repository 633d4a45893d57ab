"""The scoreboard: every algorithm in one row, all partitions under one yardstick."""

from __future__ import annotations

import streamlit as st

from core.comparison import Score
from pages import escaped


def draw_scores(
    scores: list[Score], concentration: float, truth_title: str | None, is_wide: bool
) -> None:
    """Draw the table and say what its numbers are."""
    rows = _rows(scores, has_truth=truth_title is not None)
    said = [
        "**E** is the exact cost of each partition under MAP-DP's model and prior "
        f"(N₀ = {concentration:g}), in nats: lower is better. The algorithms' own objectives "
        "measure different things and are not comparable, so they are not shown."
    ]
    if truth_title is not None:
        said.append(
            "**NMI, AMI, ARI** compare with the known groups in "
            f"“{escaped(truth_title)}”, which took no part in the clustering. 1 is perfect; AMI "
            "and ARI are about 0 by chance."
        )
    places = st.columns([5, 3], gap="medium") if is_wide else [st.container()] * 2
    places[0].markdown(_table(rows))
    for text in said:
        places[1].caption(text)


def _table(rows: list[dict[str, str]]) -> str:
    """A markdown table, words to the left and numbers to the right."""
    lines = [list(rows[0]), [":--", *["--:"] * (len(rows[0]) - 1)]]
    lines += [list(row.values()) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _rows(scores: list[Score], has_truth: bool) -> list[dict[str, str]]:
    rows = []
    for score in scores:
        row = {
            "Algorithm": score.title,
            "K": _text(score.n_clusters, ","),
            "E (nats)": _text(score.objective, ",.1f"),
            "Above the lowest": "**lowest**" if score.above == 0 else _text(score.above, "+,.1f"),
        }
        if has_truth:
            row |= {name.upper(): _text(score.agreement.get(name), ".2f") for name in _SCORES}
        rows.append(row | {"Sweeps": _text(score.n_iter, ","), "Time": _seconds(score.seconds)})
    return rows


_SCORES = ("nmi", "ami", "ari")


def _text(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:,.1f} s"
