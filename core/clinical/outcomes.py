"""The columns kept out of the clustering, tested against the groups, ready to print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..statistics.compare import (
    SHOWN,
    Associations,
    ColumnAssociation,
    Comparison,
    associations,
    described_by_group,
)
from ..statistics.differences import Effect
from ..statistics.regression import adjustment
from ..statistics.survival import (
    Curve,
    Survival,
    cumulative_incidence,
    kaplan_meier,
    median_follow_up,
)
from ..statistics.variables import Variable
from ..ticks import round_step
from ..wording import in_digits, p_text
from .lock import Lock
from .small_counts import HIDDEN, Hidden
from .t_tests import Columns

CAUTION = (
    "Association with group membership does not show that distinct subtypes exist; a severity "
    "continuum produces the same."
)
ALSO = "Also (95 % interval)"


@dataclass(frozen=True)
class Validation:
    """Both kinds of columns kept out, each its own family of tests."""

    validators: Associations
    controls: Associations


def validate(
    frame: pd.DataFrame,
    lock: Lock,
    labels: np.ndarray,
    callback: Callback | None = None,
) -> Validation:
    """Test the validators and the negative controls of a locked study, one row a patient."""
    how = {"random_state": lock.plan.seed, "callback": callback}
    parts = (lock.columns(part) for part in ("validator", "control"))
    return Validation(*(associations(frame, lock.schema, labels, one, **how) for one in parts))


def printed(found: Associations, hidden: Hidden | None = None) -> pd.DataFrame:
    """One row a column and pair of groups, every cell ready to print."""
    rows = []
    for column in found.columns:
        texts = {summary.group: summary.text for summary in column.groups}
        for pair in column.pairs:
            effects = [_words(effect, effect.name) for effect in (pair.effect, pair.second)]
            if hidden is None:
                both = zip(("First", "Second"), pair.groups, pair.n, strict=True)
                sides = {name: f"{texts[k]} (n = {n:,})" for name, k, n in both}
            else:
                few, away = hidden.of_pair(column.variable.name, pair.groups)
                effects = [HIDDEN] * 2 if few else effects
                sides = {"n": HIDDEN if any(away) else f"{pair.n[0]:,} and {pair.n[1]:,}"}
            about = {"Column": column.variable.title, "Groups": _numbers(pair)} | sides
            about |= {"Effect (95 % interval)": effects[0]}
            about |= {ALSO: effects[1] if pair.second.name else ""}
            rows.append(about | _tested(pair) | {"Remark": pair.remark})
    table = pd.DataFrame(rows)
    return table.drop(columns=ALSO) if rows and not table[ALSO].any() else table


def _numbers(pair: Comparison) -> str:
    return f"{pair.groups[0] + 1} and {pair.groups[1] + 1}"


def _tested(one: Comparison) -> dict[str, str]:
    test = one.test
    return {"p": test.p_text, "p, corrected": p_text(one.adjusted), "Test": test.name or "none"}


def overall(
    found: Associations, labels: np.ndarray, titles: Sequence[str], is_counted: bool = True
) -> pd.DataFrame:
    """One row a column: each group, then the test of all at once, ready to print."""
    columns = [column.variable for column in found.columns]
    named = {k: titles[k] for k in found.groups}
    table = described_by_group(columns, labels, named, is_counted, SHOWN)
    tests = [column.overall for column in found.columns]
    tested = pd.DataFrame([_tested(one) for one in tests], columns=["p", "p, corrected", "Test"])
    if any(one.test.reason for one in tests):
        tested["Remark"] = [one.test.reason for one in tests]
    return pd.concat([table, tested], axis=1)


def _words(effect: Effect, name: str = "") -> str:
    if pd.isna(effect.estimate):
        return "none"
    said = f"{name} {in_digits(effect.estimate)}".strip()
    if pd.isna(effect.low) or pd.isna(effect.high):
        return said
    return f"{said} ({in_digits(effect.low)} to {in_digits(effect.high)})"


def adjusted_table(
    found: Associations,
    columns: Columns,
    covariates: Sequence[str],
    labels: np.ndarray,
    hidden: Hidden,
) -> pd.DataFrame:
    """Effects of the validators between every two groups, alone and beside the covariates."""
    beside = [one for name in covariates if not isinstance(one := columns[name], str)]
    lines = []
    for column in (one for one in found.columns if one.variable.name not in covariates):
        for pair in column.pairs:
            made = adjustment(column.variable, beside, labels, pair.groups)
            plain, adjusted = made.unadjusted, made.adjusted
            _, away = hidden.of_pair(column.variable.name, pair.groups)
            few = any(away) or min(made.n) < hidden.least
            lines.append(
                {
                    "Column": column.variable.title,
                    "Groups": " and ".join(hidden.titles[k] for k in pair.groups),
                    "Complete cases": HIDDEN if few else f"{made.n[0]:,} and {made.n[1]:,}",
                    "Unadjusted (95 % interval)": _words(plain, plain.name),
                    "p": p_text(plain.p),
                    "Adjusted for covariates (95 % interval)": _words(adjusted, adjusted.name),
                    "p, adjusted for covariates": p_text(adjusted.p),
                    "Model": made.model,
                    "Remark": adjusted.reason or plain.reason,
                }
            )
    return pd.DataFrame(lines)


def circular_warning(covariates: Sequence[str], made: Sequence[str]) -> str:
    """What adjusting for columns that ``made`` the groups asks; empty where no covariate did."""
    circular = [name for name in covariates if name in made]
    if not circular:
        return ""
    return (
        f"{', '.join(circular)} made the groups. Adjusting for a column that made the groups "
        "compares patients who are alike in "
        "what tells the groups apart: it no longer asks whether the groups differ, but whether "
        "they differ beyond what made them. Such an effect can vanish or turn round (a hazard "
        "ratio of 0.87 became 1.78), and rests on the few patients of both groups who are alike. "
        "Adjust for what was there before and made no group, such as age, sex or site."
    )


NUMBERS_AT_RISK = 6
ESTIMATES = {
    False: "Kaplan-Meier curves",
    True: "cumulative incidence (Aalen and Johansen) where another event may come first",
}
INTERVALS = (
    "Hazard ratios: Cox regression (Efron's ties), Wald's interval or, unadjusted and of fewer "
    "than 100 events, the likelihood's. Mean times: the area below the curves up to one round "
    "time until which each group was watched well enough, with Greenwood's variance times "
    "m / (m - 1) of m events (Kaplan and Meier) and Student's t, as of few patients Greenwood's "
    "alone misses too often. Shares by a time: Aalen and Johansen, "
    "variance by the delta method, log-log intervals. Intervals are not corrected for the number "
    "of pairs."
)


def times_to_events(found: Associations) -> list[ColumnAssociation]:
    """The columns that are times to an event."""
    return [column for column in found.columns if column.variable.kind == "time to event"]


def survival_curves(found: Associations, labels: np.ndarray) -> list[Survival]:
    """Curves of every time to an event; incidences where another event may come first."""
    drawn = []
    for column in times_to_events(found):
        variable = column.variable
        shown = [summary.group for summary in column.groups if not summary.hidden]
        if variable.no_share or not shown:
            continue
        curves = {group: _curve(variable, labels == group) for group in shown}
        longest = max(curve.durations.max() for curve in curves.values())
        step = round_step(longest / NUMBERS_AT_RISK) if longest > 0 else 1.0
        ticks = np.arange(0.0, longest + step / 2, step)
        drawn.append(Survival(variable.title, curves, ticks, variable.others is not None))
    return drawn


def _curve(variable: Variable, rows: np.ndarray) -> Curve:
    if variable.others is None:
        return kaplan_meier(variable.values[rows], variable.events[rows])
    return cumulative_incidence(variable.values[rows], variable.events[rows], variable.others[rows])


def refused_shares(found: Associations) -> list[str]:
    """Why nothing is read from a curve, for every column of which that is so."""
    reasons = (column.variable.no_share for column in found.columns)
    return list(dict.fromkeys(filter(None, reasons)))


def follow_up_table(
    column: ColumnAssociation, labels: np.ndarray, titles: Sequence[str]
) -> pd.DataFrame:
    """Patients, events and median follow-up by group; hidden of those too small to describe."""
    variable, lines = column.variable, []
    for summary in column.groups:
        line = {"Group": titles[summary.group], "Patients": HIDDEN, "Events": HIDDEN}
        rows = (labels == summary.group) & variable.observed
        if not summary.hidden:
            ended = variable.events[rows].astype(bool)
            line |= {"Patients": f"{summary.n:,}", "Events": f"{int(ended.sum()):,}"}
            if variable.others is not None:
                line["Another event first"] = f"{int(variable.others[rows].sum()):,}"
                ended = ended | variable.others[rows]
            middle = median_follow_up(variable.values[rows], ended)
            line["Median follow-up"] = "not reached" if middle is None else in_digits(middle)
        lines.append(line)
    return pd.DataFrame(lines).fillna(HIDDEN)
