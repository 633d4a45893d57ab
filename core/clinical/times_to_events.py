"""Times to events of a study: curves, follow-up by group, and both effects between every two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..exports.report import Report
from ..plots.validators import survival_figure
from ..statistics.compare import Associations, ColumnAssociation
from ..statistics.effect import Effect
from ..statistics.hazards import SCOPE
from ..statistics.survival import (
    Curve,
    Survival,
    cumulative_incidence,
    kaplan_meier,
    median_follow_up,
)
from ..statistics.variables import Variable
from ..ticks import round_step
from ..wording import in_digits, percent
from .small_counts import HIDDEN, Hidden, shown
from .subgroups import Subgroups
from .validation import effect_words

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
    """Curves for every time to an event: cumulative incidence where another event may come first.

    None of a column of which nobody said what its codes mean.
    """
    drawn = []
    for column in times_to_events(found):
        variable = column.variable
        if variable.no_share:
            continue
        shown = [summary.group for summary in column.groups if not summary.hidden]
        curves = {group: _curve(variable, labels == group) for group in shown}
        if curves:
            longest = max(curve.durations.max() for curve in curves.values())
            is_incidence = variable.others is not None
            drawn.append(Survival(variable.title, curves, _times(longest), is_incidence))
    return drawn


def _curve(variable: Variable, rows: np.ndarray) -> Curve:
    if variable.others is None:
        return kaplan_meier(variable.values[rows], variable.events[rows])
    return cumulative_incidence(variable.values[rows], variable.events[rows], variable.others[rows])


def _times(longest: float) -> np.ndarray:
    """Round times from 0 to about the longest."""
    step = round_step(longest / NUMBERS_AT_RISK) if longest > 0 else 1.0
    return np.arange(0.0, longest + step / 2, step)


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
        rows = (labels == summary.group) & variable.observed
        if summary.hidden:
            hidden = dict.fromkeys(("Patients", "Events", "Median follow-up"), HIDDEN)
            lines.append({"Group": titles[summary.group]} | hidden)
            continue
        ended = variable.events[rows].astype(bool)
        line = {
            "Group": titles[summary.group],
            "Patients": f"{summary.n:,}",
            "Events": f"{int(ended.sum()):,}",
        }
        if variable.others is not None:
            line["Another event first"] = f"{int(variable.others[rows].sum()):,}"
            ended = ended | variable.others[rows]
        middle = median_follow_up(variable.values[rows], ended)
        line["Median follow-up"] = "not reached" if middle is None else in_digits(middle)
        lines.append(line)
    return pd.DataFrame(lines).fillna(HIDDEN)


def effects_table(column: ColumnAssociation) -> pd.DataFrame:
    """Both effects between every two groups, with p."""
    pairs = column.pairs
    first = _heading([pair.effect for pair in pairs], "Effect")
    second = _heading([pair.second for pair in pairs], "Second effect")
    table = pd.DataFrame(
        [
            {
                "Groups": " and ".join(str(group + 1) for group in pair.groups),
                first: _words(pair.effect),
                second: _words(pair.second),
                "p": pair.test.p_text,
                "Test": pair.test.name or "none",
                "Remark": pair.remark,
            }
            for pair in pairs
        ]
    )
    return table.drop(columns="Remark") if pairs and not table["Remark"].any() else table


def _heading(effects: Sequence[Effect], otherwise: str) -> str:
    """What all pairs are compared by: the time up to which is one for all of them."""
    name = next((effect.name for effect in effects if effect.name), otherwise)
    return f"{name[0].upper()}{name[1:]} (95 % interval)"


def _words(effect: Effect) -> str:
    return effect_words("", effect.estimate, effect.low, effect.high)


def survival_table(survival: Survival, titles: Sequence[str]) -> pd.DataFrame:
    """Shares without the event, or with it, at fixed times by group, as far as the curves go."""
    return pd.DataFrame(
        [
            {"Group": titles[group]}
            | {f"at {tick:g}": _share_at(curve, tick) for tick in survival.ticks[1:]}
            for group, curve in survival.curves.items()
        ]
    )


def _share_at(curve: Curve, tick: float) -> str:
    if not curve.times.size or tick > curve.durations.max(initial=0.0):
        return ""
    return percent(float(curve.share[np.searchsorted(curve.times, tick, side="right") - 1]))


def add_times_to_events(
    report: Report, found: Associations, groups: Subgroups, hidden: Hidden, least: int
) -> None:
    """Curves, follow-up and effects of every time to an event, small counts hidden."""
    columns = times_to_events(found)
    if not columns:
        return
    report.heading("Times to events", 3)
    report.paragraph(f"{SCOPE} {INTERVALS}")
    for reason in refused_shares(found):
        report.note(reason)
    curves = {survival.name: survival for survival in survival_curves(found, groups.labels)}
    for column in columns:
        title, name = column.variable.title, column.variable.name
        away = hidden.figures.loc[name] | hidden.counts.loc[name]
        if title in curves:
            kept = {k: c for k, c in curves[title].curves.items() if not away[groups.titles[k]]}
            _add_curves(report, replace(curves[title], curves=kept), groups.titles, least)
        follow_up = follow_up_table(column, groups.labels, groups.titles)
        few = follow_up["Group"].map(away).astype(bool)
        follow_up.loc[few, follow_up.columns.drop("Group")] = HIDDEN
        report.table(
            follow_up,
            f"{title}: patients, events and median follow-up (Kaplan and Meier's curve the other "
            "way round) by group.",
        )
        effects = effects_table(column)
        if not effects.empty:
            said = column.hazards.sentence if column.hazards is not None else ""
            report.table(effects, f"{title}: every two groups. {said}")


def _add_curves(report: Report, survival: Survival, titles: Sequence[str], least: int) -> None:
    """Curves as far as ``least`` patients are at risk, and shares at fixed times."""
    curves = {
        group: _watched(curve, least)
        for group, curve in survival.curves.items()
        if curve.durations.size >= least
    }
    if not curves:
        return
    survival = replace(survival, curves=curves)
    figure = survival_figure(survival, titles, lambda n: shown(n, least))
    end = f" Each curve ends where fewer than {least} are at risk." if least else ""
    report.figure(
        figure.update_layout(template="plotly_white"),
        f"{survival.name}: {ESTIMATES[survival.is_incidence]}, with patients at risk.{end}",
    )
    of = "who have had" if survival.is_incidence else "without"
    report.table(
        survival_table(survival, titles),
        f"{survival.name}: share {of} the event at fixed times.{end}",
    )


def _watched(curve: Curve, least: int) -> Curve:
    """A curve up to the last time at which so many patients are at risk."""
    if not least:
        return curve
    end = np.sort(curve.durations)[-least]
    kept = curve.times <= end
    return replace(
        curve,
        times=curve.times[kept],
        share=curve.share[kept],
        low=curve.low[kept],
        high=curve.high[kept],
        durations=np.minimum(curve.durations, end),
    )
