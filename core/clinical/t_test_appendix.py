"""The t-tests at the end of a report: what stands above them, the clearest lines, what to do."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..exports.report import Report
from ..wording import p_text
from .t_test_heading import VERDICTS, heading
from .t_test_lines import BANNER, LIMIT, OPPOSED
from .traffic_light import Light

#: Lines printed, and what each shows.
MOST_LINES = 300
COLUMNS = {
    **{"title": "Column", "groups": "Groups", "differs": "Differs"},
    **{"n_1": "n 1st", "n_2": "n 2nd", "mean_1": "mean 1st", "mean_2": "mean 2nd"},
    **{"difference_left_out": "Difference", "low_left_out": "95 % from", "high_left_out": "to"},
    **{"t_left_out": "t", "df_left_out": "df", "p_left_out": "p, column left out"},
    **{"overlap": "Overlap", "g": "g", "t": "t, as the paper", "p": "p, as the paper"},
}
CAPTION = (
    "Welch's t-test on every column that made the groups, between every two of them (columns kept"
    " out are tested under outcomes). Differs: at most .05 after Benjamini-Hochberg over these "
    "lines, in the direction in which the groups shown differ. 1st is the group named first; g is"
    " the difference in pooled standard deviations (Hedges). “As the paper”: the test between the"
    " groups shown, as in Raykov et al. (2016, the paper of the method, there Student's of equal "
    "variances), and so are n and means. The rest is of the groups found without the column; "
    "overlap is the lower Jaccard similarity of the two with those shown. Empty: a small count is "
    "hidden. No p-value of a column left out: the groups were not sought, or not found, without "
    "it."
)


def t_test_appendix(report: Report, lines: pd.DataFrame, light: Light) -> None:
    """Print the clearest lines, headed with the light where it is not green."""
    report.heading("Appendix: per-cluster t-tests")
    if light.colour != "green":
        report.note(heading(light))
    report.note(BANNER)
    lines = lines[lines["made"].astype(bool)]
    told = lines[lines["t"].notna()].head(MOST_LINES)
    told = told.assign(differs=[_verdict(line) for line in told.itertuples()])
    for name in ("p", "p_left_out"):
        told[name] = [p_text(p) if pd.notna(p) else "" for p in told[name]]
    report.table(
        told[list(COLUMNS)].rename(columns=COLUMNS),
        f"{CAPTION} The {len(told):,} clearest of {len(lines):,} lines, all of which are in the "
        "CSV.",
    )
    report.points(f"{verdict}: {meaning}" for verdict, meaning in VERDICTS.items())
    report.paragraph(LIMIT)


def _verdict(line: Any) -> str:
    """Key of ``VERDICTS`` for a line."""
    differs, other, opposed, testable = VERDICTS
    if line.differs:
        return differs
    if pd.isna(line.judged):
        return testable
    return opposed if line.remark == OPPOSED else other
