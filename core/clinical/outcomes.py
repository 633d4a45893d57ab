"""The columns kept out of the clustering, tested against the groups, ready to print."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..families.family import RATING, YES_NO
from ..models.estimator import Callback
from ..profiling.by_group import Summary, group_table, summarise
from ..profiling.profiles import ALL as EVERYBODY
from ..profiling.profiles import NaturalColumn
from ..statistics.compare import SHOWN, Associations, ColumnAssociation, Comparison, associations
from ..statistics.correct import LEVEL
from ..statistics.differences import Effect
from ..statistics.regression import adjustment
from ..statistics.survival import Survival, cumulative_incidence, kaplan_meier, median_follow_up
from ..statistics.variables import Variable
from ..ticks import round_step
from ..wording import counted, in_digits, listed, p_text
from .lock import Lock
from .small_counts import HIDDEN, Hidden
from .t_tests import Variables

CAUTION = (
    "Association with group membership does not show that distinct subtypes exist; a severity "
    "continuum produces the same."
)
ALSO = "Also (95 % interval)"
_BLANK = {"estimate": None, "low": None, "high": None, "reason": ""}
NUMBERS_AT_RISK = 6
ESTIMATES = {
    False: "Kaplan-Meier curves",
    True: "cumulative incidence (Aalen and Johansen) where another event may come first",
}
INTERVALS = (
    "Hazard ratios: Cox regression (Efron's ties), Wald's interval or, unadjusted and of fewer "
    "than 100 events, the likelihood's. Mean times: the area below the curves up to a round time, "
    "with Greenwood's variance times m / (m - 1) of m events (Kaplan and Meier) and Student's t. "
    "Shares by a time: Aalen and Johansen, log-log intervals. No interval is corrected for pairs."
)


@dataclass(frozen=True)
class Validation:
    """Both kinds of columns kept out, each its own family of tests."""

    validators: Associations
    controls: Associations


def validate(
    frame: pd.DataFrame, lock: Lock, labels: np.ndarray, callback: Callback | None = None
) -> Validation:
    """Test the validators and the negative controls of a locked study, one row a patient."""
    kwargs = {"random_state": lock.plan.seed, "callback": callback}
    parts = (lock.columns(part) for part in ("validator", "control"))
    return Validation(*(associations(frame, lock.schema, labels, one, **kwargs) for one in parts))


def hide_effects(found: Associations, hidden: Hidden) -> Associations:
    """The tests without what discloses small counts: p-values stay, effects and numbers go."""
    columns = []
    for one in found.columns:
        hidden_counts = hidden.counts.loc[one.variable.name]
        groups = {
            group: is_hidden or bool(hidden_counts[hidden.titles[group]])
            for group, is_hidden in one.hidden.items()
        }
        pairs = []
        for pair in one.pairs:
            few, uncounted = hidden.of_pair(one.variable.name, pair.groups)
            n = tuple(None if gone else n for n, gone in zip(pair.n, uncounted, strict=True))
            effects = pair.effect, pair.second
            if few:
                effects = tuple(replace(effect, **_BLANK) for effect in effects)
            pairs.append(replace(pair, n=n, effect=effects[0], second=effects[1]))
        columns.append(replace(one, hidden=groups, pairs=tuple(pairs)))
    return replace(found, columns=tuple(columns))


def by_group(
    columns: Sequence[Variable], labels: np.ndarray, titles: Mapping[int, str], least: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Columns of a study as in ``group_table``; times to an event by their events."""
    lines = [
        summarise(_natural(one), labels) if one.events is None else (one.title, _timed(one, labels))
        for one in columns
    ]
    return group_table(lines, titles, least)


def _natural(one: Variable) -> NaturalColumn:
    name, levels = one.name if one.kind == YES_NO else one.title, tuple(map(str, one.levels))
    if one.kind == RATING:
        return NaturalColumn(name, RATING, one.amounts)
    return NaturalColumn(name, one.kind, one.values, levels or None, one.log)


def _timed(time: Variable, labels: np.ndarray) -> Summary:
    found = {}
    for group in (*np.unique(labels).tolist(), EVERYBODY):
        inside = (labels == group) | (group == EVERYBODY)
        rows, median = inside & time.observed, ""
        text, n = counted(int(time.events[rows].sum()), "event"), int(rows.sum())
        if time.others is not None:
            text += f", another first in {counted(int(time.others[rows].sum()), 'patient')}"
        elif n and not time.no_share:
            middle = kaplan_meier(time.values[rows], time.events[rows]).median
            median = "" if middle is None else f"median {in_digits(middle)}"
            text += f", {median or 'median not reached'}"
        found[group] = n, f"{text}; n = {n:,}", median, int(inside.sum()) - n
    return found


def overall_table(
    found: Associations,
    labels: np.ndarray,
    titles: Sequence[str],
    hidden: Hidden | None = None,
) -> pd.DataFrame:
    """One row a column: each group, then the test of all at once, ready to print."""
    columns, named = [one.variable for one in found.columns], {k: titles[k] for k in found.groups}
    table, bare = by_group(columns, labels, named, SHOWN)
    if hidden is not None:
        table = hidden.applied_to(table, [one.name for one in columns], bare)
    tests = [column.overall for column in found.columns]
    tested = pd.DataFrame([_tested(one) for one in tests], columns=["p", "p, corrected", "Test"])
    if any(one.test.reason for one in tests):
        tested["Remark"] = [one.test.reason for one in tests]
    return pd.concat([table, tested], axis=1)


def differing_controls(controls: Associations) -> str:
    """Which controls differ between groups, in a sentence; empty where none does."""
    strange = [
        column.variable.title
        for column in controls.columns
        if column.overall.adjusted is not None and column.overall.adjusted <= LEVEL
    ]
    text = "should not differ between groups, but does. The groups may follow how the data were"
    text += " collected or, of a treatment, for whom it was chosen."
    return f"{listed(strange, 5)}: {text}" if strange else ""


def pair_table(found: Associations) -> pd.DataFrame:
    """One row a column and pair of groups, every cell ready to print."""
    rows = []
    for column in found.columns:
        for pair in column.pairs:
            first, second = (k + 1 for k in pair.groups)
            line = {
                "Column": column.variable.title,
                "Groups": f"{first} and {second}",
                "n": HIDDEN if None in pair.n else "{:,} and {:,}".format(*pair.n),
                "Effect (95 % interval)": _words(pair.effect),
                ALSO: _words(pair.second) if pair.second.name else "",
            }
            rows.append(line | _tested(pair) | {"Remark": pair.remark})
    table = pd.DataFrame(rows)
    return table.drop(columns=ALSO) if rows and not table[ALSO].any() else table


def clearest_effects(found: Associations) -> list[str]:
    """Of every column the effect between the two groups of the smallest p-value, as text."""
    effects = []
    for column in found.columns:
        shown = [pair for pair in column.pairs if not pd.isna(pair.effect.estimate)]
        pair = min(shown, key=lambda one: 1.0 if one.test.p is None else one.test.p, default=None)
        names = pair and " and ".join(str(k + 1) for k in pair.groups)
        effects.append(f"{names}: {_words(pair.effect)}" if pair else "none shown")
    return effects


def _tested(one: Comparison) -> dict[str, str]:
    test = one.test
    return {"p": test.p_text, "p, corrected": p_text(one.adjusted), "Test": test.name or "none"}


def _words(effect: Effect) -> str:
    if pd.isna(effect.estimate):
        return HIDDEN if effect.name and not effect.reason else "none"
    # After a time to which it is, its own number stands apart.
    text = f"{effect.name}{':' * effect.name[-1:].isdigit()} {in_digits(effect.estimate)}".strip()
    if pd.isna(effect.low) or pd.isna(effect.high):
        return text
    return f"{text} ({in_digits(effect.low)} to {in_digits(effect.high)})"


def adjusted_table(
    found: Associations,
    columns: Variables,
    covariates: Sequence[str],
    labels: np.ndarray,
    hidden: Hidden,
) -> pd.DataFrame:
    """Effects of the validators between every two groups, alone and adjusted for the covariates."""
    adjusted_for = [columns[name] for name in covariates if name in columns]
    lines, tested = [], found.columns if adjusted_for else ()
    for column in (one for one in tested if one.variable.name not in covariates):
        for pair in column.pairs:
            both = adjustment(column.variable, adjusted_for, labels, pair.groups)
            few, is_hidden = hidden.of_pair(column.variable.name, pair.groups)
            uncounted, effects = any(is_hidden) or min(both.n) < hidden.least, (HIDDEN, HIDDEN)
            if not few:
                effects = _words(both.unadjusted), _words(both.adjusted)
            lines.append(
                {
                    "Column": column.variable.title,
                    "Groups": " and ".join(hidden.titles[k] for k in pair.groups),
                    "Complete cases": HIDDEN if uncounted else "{:,} and {:,}".format(*both.n),
                    "Unadjusted (95 % interval)": effects[0],
                    "p": p_text(both.unadjusted.p),
                    "Adjusted for covariates (95 % interval)": effects[1],
                    "p, adjusted for covariates": p_text(both.adjusted.p),
                    "Model": both.model,
                    "Remark": both.adjusted.reason or both.unadjusted.reason,
                }
            )
    return pd.DataFrame(lines)


def circular_warning(covariates: Sequence[str], clustered: Sequence[str]) -> str:
    """What adjusting for covariates that made the groups asks; empty without such."""
    circular = [name for name in covariates if name in clustered]
    if not circular:
        return ""
    return (
        f"{', '.join(circular)} made the groups: adjusted for, such an effect can vanish or turn "
        "round. Adjust for what was there before and made no group, such as age, sex or site."
    )


def times_to_events(found: Associations) -> list[ColumnAssociation]:
    """The columns that are times to an event."""
    return [column for column in found.columns if column.variable.events is not None]


def survival_curves(found: Associations, labels: np.ndarray) -> list[Survival]:
    """Curves of every time to an event; incidences where another event may come first."""
    drawn = []
    for column in times_to_events(found):
        one, curves = column.variable, {}
        for group in (group for group, is_hidden in column.hidden.items() if not is_hidden):
            rows = labels == group
            if not rows.any():  # drawn with another group
                continue
            times, events = one.values[rows], one.events[rows]
            curves[group] = (
                kaplan_meier(times, events)
                if one.others is None
                else cumulative_incidence(times, events, one.others[rows])
            )
        if curves and not one.no_share:
            longest = max(curve.durations.max() for curve in curves.values())
            step = round_step(longest / NUMBERS_AT_RISK) if longest > 0 else 1.0
            ticks = np.arange(0.0, longest + step / 2, step)
            drawn.append(Survival(one.title, curves, ticks, one.others is not None))
    return drawn


def refused_shares(found: Associations) -> list[str]:
    """Why nothing is read from a curve, for every column of which that is so."""
    reasons = (column.variable.no_share for column in found.columns)
    return list(dict.fromkeys(filter(None, reasons)))


def follow_up_table(
    column: ColumnAssociation, labels: np.ndarray, titles: Sequence[str]
) -> pd.DataFrame:
    """Patients, events and median follow-up by group; hidden of those too small to describe."""
    one, lines = column.variable, []
    for group, is_hidden in column.hidden.items():
        line = {"Group": titles[group], "Patients": HIDDEN, "Events": HIDDEN}
        rows = (labels == group) & one.observed
        if not is_hidden:
            ended = one.events[rows].astype(bool)
            line |= {"Patients": f"{ended.size:,}", "Events": f"{int(ended.sum()):,}"}
            if one.others is not None:
                line["Another event first"] = f"{int(one.others[rows].sum()):,}"
                ended = ended | one.others[rows]
            middle = median_follow_up(one.values[rows], ended)
            line["Median follow-up"] = "not reached" if middle is None else in_digits(middle)
        lines.append(line)
    return pd.DataFrame(lines).fillna(HIDDEN)
