"""Tables of a study, to be handed out or printed."""

from __future__ import annotations

import pandas as pd

from ..statistics.hypothesis_tests import Test
from ..wording import p_text, percent
from .checks import Checks
from .small_counts import HIDDEN, TOTAL
from .validation import effect_words


def size_table(checks: Checks) -> pd.DataFrame:
    """Group, patients, share, and how stable it is; the last line is of all."""
    groups = checks.groups
    n = groups.labels.size
    counts = [*groups.sizes, n]
    table = pd.DataFrame(
        {
            "Group": [*groups.titles, TOTAL],
            "Patients": [f"{count:,}" for count in counts],
            "Share": [percent(int(count), n) for count in counts],
        }
    )
    bootstraps = None if checks.stability is None else checks.stability.bootstraps
    if bootstraps is not None:
        table["Comes back (Jaccard)"] = [
            *(
                "not assessable" if mean is None else f"{mean:.2f}, {band}"
                for mean, band in zip(bootstraps.mean_jaccard, bootstraps.bands, strict=True)
            ),
            "",
        ]
    return table


def pairs_text(table: pd.DataFrame) -> pd.DataFrame:
    """The pairs of a table of tests that have a p-value, short enough for a printed page."""
    if table.empty:
        return table
    made = table[table["p"].notna()]
    return pd.DataFrame(
        {
            "Column": made["column"],
            "Groups": [f"{a} and {b}" for a, b in zip(made["group"], made["against"], strict=True)],
            "n": [
                HIDDEN if pd.isna(a) or pd.isna(b) else f"{a:,.0f} and {b:,.0f}"
                for a, b in zip(made["n"], made["n against"], strict=True)
            ],
            "Effect (95 % interval)": [
                effect_words(row.effect, row.estimate, row.low, row.high)
                for row in made.itertuples()
            ],
            "Test": made["test"],
            "p": [
                Test(p=row.p, floor=0.0 if pd.isna(row.floor) else row.floor).p_text
                for row in made.rename(columns={"smallest p": "floor"}).itertuples()
            ],
            "p, corrected": [p_text(p) for p in made["p, corrected"]],
        }
    )
