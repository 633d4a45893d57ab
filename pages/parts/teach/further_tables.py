"""Tables of KJ12, R14 and M12 that compare methods on whole data sets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from core.reproductions import kj12_hdp, m12, uci
from core.reproductions.beside import Published, beside
from core.session.jobs import Job
from core.wording import in_digits, listed
from demo_datasets import load_demo
from pages.parts.teach.controls import PAPER, QUICK
from pages.parts.teach.experiment import Experiment

#: Passes of Gibbs that a class can wait for.
_QUICK = uci.Effort(n_runs=2, sweeps=60, burn_in=20)


def _uci_tables(*names: str) -> dict[str, uci.Table]:
    """The tables that this app holds, by the papers' names."""
    found = {}
    for name in names:
        if name == "Balance scale":
            found[name] = uci.balance_scale()
            continue
        frame, _, label = load_demo(name.lower())
        values = frame.drop(columns=label).to_numpy(dtype=float)
        found[name] = values, pd.factorize(frame[label])[0]
    return found


def _draw(
    measures: Mapping[str, tuple[str, Published]],
    note: str,
    runs: pd.DataFrame,
    is_wide: bool,
    per: str = "run",
) -> None:
    """A table a measure: data sets down, methods across, ours and in brackets the paper's."""
    n_runs = runs[per].nunique()
    st.caption(
        f"Mean of ours over {n_runs:,} {per if n_runs == 1 else per + 's'}, and in brackets the "
        "paper's where it prints one."
    )
    for measure, (title, published) in measures.items():
        st.subheader(title, anchor=False)
        table = beside(runs, measure, published)
        measured = table.dropna(subset="ours")
        cells = [
            in_digits(ours) + ("" if pd.isna(theirs) else f" ({in_digits(theirs)})")
            for ours, theirs in zip(measured["ours"], measured["published"], strict=True)
        ]
        crossed = measured.assign(cell=cells).pivot(index="data", columns="method", values="cell")
        crossed = crossed.loc[measured["data"].unique(), measured["method"].unique()].fillna("")
        crossed = crossed.rename_axis(index="Data", columns=None)
        st.table(crossed, border="horizontal", alt=title)
        absent = [name for name in published if name not in {*measured["data"]}]
        if absent:
            st.caption(f"Also in the paper, and not in this app: {listed(absent, len(absent))}.")
    st.caption(f":material/info: {note}")


def _all_measured(measures: Mapping[str, tuple[str, Published]], runs: pd.DataFrame):
    parts = [
        beside(runs, measure, published).assign(measure=measure)
        for measure, (_, published) in measures.items()
    ]
    return pd.concat(parts, ignore_index=True)


# ---- KJ12 section 6.3


_HDP = {
    "nmi": ("NMI within a data set", kj12_hdp.PUBLISHED["nmi"]),
    "n_global": ("Clusters in all", kj12_hdp.PUBLISHED["n_global"]),
    "n_local": ("Clusters in a data set", kj12_hdp.PUBLISHED["n_local"]),
    "seconds": ("Seconds", kj12_hdp.PUBLISHED["seconds"]),
}
_HDP_NOTE = (
    "K-means is told K, and DP-means' λ is farthest-first's for it. The hard HDP is told nothing: "
    "its two penalties are those whose partition is most probable under MAP-HDP. The paper's own "
    "rule for the global one, sums of distances of a whole data set, leaves one cluster if it is "
    "taken at its word. Fitted to each data set alone, nothing has a name that two of them share."
)


def _hdp(job: Job, effort: str, seed: int) -> pd.DataFrame:
    n_draws = 1 if effort == QUICK else 20
    return kj12_hdp.hdp_runs(n_draws, seed, callback=job, share=job.share)


# ---- KJ12 Table 1, R14 Tables 2 and 3


_KJ12 = {"nmi": ("KJ12 Table 1: NMI with the classes", uci.KJ12_PUBLISHED["nmi"])}
_KJ12_NOTE = (
    "Columns in their own units, as they were: told K, K-means and DP-means give the paper's "
    "values. The paper prints neither the values among which its validation rows chose nor the "
    "prior of Gibbs' variance; here the variance is one of three shares of the table's."
)
_R14 = {
    "nmi": ("R14 Table 2: NMI with the classes", uci.R14_PUBLISHED["nmi"]),
    "iterations": ("R14 Table 3: iterations", uci.R14_PUBLISHED["iterations"]),
    "n_clusters": ("Clusters found", {}),
}
_R14_NOTE = (
    "The published MAP-DP moves single rows from one cluster on, and rests where no row alone "
    "gains: where it finds one cluster, MAP-DP with merges, splits and new starts shows what the "
    "same model prefers. R14 prints neither its values of N₀ nor its order of rows. Gibbs runs as "
    "many sweeps as are asked for where the paper let a diagnostic end it."
)


def _kj12_table(job: Job, effort: str, seed: int) -> pd.DataFrame:
    tables = _uci_tables("Wine", "Iris", "Balance scale")
    chosen = _QUICK if effort == QUICK else uci.Effort()
    return uci.kj12_table_1(tables, chosen, seed, callback=job, share=job.share)


def _r14_tables(job: Job, effort: str, seed: int) -> pd.DataFrame:
    tables = _uci_tables("Wine", "Iris")
    chosen = _QUICK if effort == QUICK else uci.Effort(sweeps=2_000)
    return uci.r14_tables(tables, chosen, seed, callback=job, share=job.share)


# ---- M12 Table 25.1


_M12 = {
    "purity": ("M12 Table 25.1: purity at the true K", m12.PUBLISHED["purity"]),
    "ari": ("ARI at the true K", {}),
}
_M12_NOTE = (
    "In spirit only, as the book's tables are not public: its 200 rows of four clusters in the "
    "plane are drawn anew here, with parameters that it does not print, and its digits are those "
    "of another post office, 200 at a time, dark or not in 64 places."
)


def _m12(job: Job, effort: str, seed: int) -> pd.DataFrame:
    n_draws = 3 if effort == QUICK else 20
    return m12.table_25_1(n_draws, seed, callback=job, share=job.share)


FURTHER_TABLES = {
    "KJ12 HDP": Experiment(
        "KJ12 section 6.3: fifty data sets that share fifteen Gaussians",
        {QUICK: "one draw, as in the paper.", PAPER: "20 draws; the paper has one."},
        _hdp,
        partial(_draw, _HDP, _HDP_NOTE, per="draw"),
        partial(_all_measured, _HDP),
    ),
    "KJ12 Table 1": Experiment(
        "KJ12 Table 1: real tables with known classes",
        {
            QUICK: "2 random parts and 60 Gibbs sweeps, fewer than the paper's.",
            PAPER: "10 random parts of 70 % and 5,000 Gibbs sweeps after 1,000 of burn-in.",
        },
        _kj12_table,
        partial(_draw, _KJ12, _KJ12_NOTE),
        partial(_all_measured, _KJ12),
    ),
    "R14 Tables 2, 3": Experiment(
        "R14 Tables 2 and 3: real tables with known classes",
        {
            QUICK: "2 orders of the rows and 60 Gibbs sweeps, fewer than the paper's.",
            PAPER: "10 orders of the rows and 2,000 Gibbs sweeps after 1,000 of burn-in.",
        },
        _r14_tables,
        partial(_draw, _R14, _R14_NOTE),
        partial(_all_measured, _R14),
    ),
    "M12": Experiment(
        "M12 Table 25.1: trees cut at the true number of classes",
        {QUICK: "3 draws.", PAPER: "20 draws."},
        _m12,
        partial(_draw, _M12, _M12_NOTE, per="draw"),
        partial(_all_measured, _M12),
    ),
}
