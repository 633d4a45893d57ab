"""What each column tells by itself, before anyone has seen groups.

A likelihood changed after the groups were seen is a choice that they may have steered; one changed
for its column's own histogram is none. Groups widen a histogram, too: a mixture of binomials is
never narrower than one, nor one of Poissons. What could be groups is said to be so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ..families.family import COUNT, MEASUREMENT, RATING
from ..schema.changes import in_words
from ..schema.encode import complete, encode_column
from ..schema.evidence import best_of_counts, evidence_of_counts, gain_as_category
from ..schema.facts import spelled
from ..schema.repeats import find_repeats
from ..schema.schema import Schema
from ..schema.spec import ColumnSpec, SchemaError
from ..schema.transforms import back, rescaled_in_words
from ..wording import listed, percent

#: Cells without which a histogram tells nothing.
LEAST = 30
#: How many times the variance that its likelihood expects is worth a word, or what part of it; and
#: the p-value up to which chance did not do it.
WIDER, NARROWER, CHANCE = 1.5, 0.67, 0.001
#: Nats by which another likelihood must fit the column by itself better.
CLEARLY = 10.0
#: A value is a spike from this share on, and this many times as frequent as the next.
SPIKE, TIMES = 0.1, 5.0
#: Share of whole numbers that end in 0 or 5, of which a fifth is expected.
HEAPED, EXPECTED = 0.4, 0.2
#: Steps of the scale in standard deviations, and skewness, from which on a normal fits badly.
COARSE, SKEWED = 0.5, 1.0


@dataclass(frozen=True)
class Margin:
    """Something that a column tells by itself."""

    column: str
    text: str
    #: Whether real groups would show in the same way.
    may_be_groups: bool
    #: What to try, for ``Schema.with_column``; empty where it is no matter of the likelihood.
    change: Mapping[str, Any] = field(default_factory=dict)

    @property
    def remedy(self) -> str:
        """The change in words."""
        return in_words(self.change) if self.change else ""


def margins(frame: pd.DataFrame, schema: Schema) -> list[Margin]:
    """What the columns that are to make the groups tell, each by itself, in the table's order.

    And which of them say the same as another. Nothing here looks at groups.
    """
    in_blocks = {name for block in schema.blocks.values() for name in block.columns}
    specs = {name: schema[name] for name in schema.names("cluster") if name in frame.columns}
    found = [
        margin
        for name, spec in specs.items()
        if name not in in_blocks
        for margin in _of_column(frame[name], spec)
    ]
    for repeat in find_repeats(frame, specs):
        text = f"says the same as {repeat.words}, so that one fact counts twice"
        found.append(Margin(repeat.name, text, False, {"role": "ignore"}))
    return found


def as_frame(found: list[Margin]) -> pd.DataFrame:
    """One row a finding, ready to print."""
    return pd.DataFrame(
        [
            {
                "Column": margin.column,
                "By itself": margin.text,
                "Could real groups do that?": "yes" if margin.may_be_groups else "no",
                "To try": margin.remedy or "nothing",
            }
            for margin in found
        ]
    )


def _of_column(column: pd.Series, spec: ColumnSpec) -> Iterator[Margin]:
    try:
        spec = complete(column, spec)
        values = encode_column(column, spec, new_rows=True)
    except SchemaError:  # told when the roles are locked
        return
    values = values[~np.isnan(values)]
    if values.size < LEAST or np.ptp(values) == 0:
        return
    if spec.kind == RATING:
        yield from _rating(values, spec)
    elif spec.kind == COUNT:
        yield from _count(values, spec)
    elif spec.kind == MEASUREMENT:
        yield from _measurement(values, spec)


def _rating(values: np.ndarray, spec: ColumnSpec) -> Iterator[Margin]:
    """A binomial's mean fixes its spread."""
    trials = spec.trials
    if not trials or spec.family != "binomial":
        return
    share = values.mean() / trials
    ratio, by_chance = _spread(values, trials * share * (1 - share))
    counts = np.bincount(values.astype(np.int64), minlength=trials + 1)
    better = gain_as_category(counts) >= CLEARLY
    change = {"family": "categorical"} if better else {}
    if ratio >= WIDER and not by_chance:
        yield Margin(spec.name, f"{ratio:.1f} times as spread as a binomial", True, change)
    elif ratio <= NARROWER and not by_chance:
        text = f"closer together than a binomial, {ratio:.2f} times its variance"
        yield Margin(spec.name, text, False, change)


def _count(values: np.ndarray, spec: ColumnSpec) -> Iterator[Margin]:
    """A Poisson's mean is its variance."""
    levels, counts = np.unique(values, return_counts=True)
    evidence = evidence_of_counts(levels, counts)
    best = best_of_counts(evidence)
    better = spec.family in evidence and evidence[best] - evidence[spec.family] >= CLEARLY
    ratio, by_chance = _spread(values, values.mean())
    if spec.family == "poisson" and ratio <= NARROWER and not by_chance:
        text = f"closer together than a Poisson, {ratio:.2f} times its variance"
        yield Margin(spec.name, text, False, {"family": "normal"})
    elif better:
        said = f"{ratio:.1f} times as spread as a Poisson" if spec.family == "poisson" else ""
        gain = evidence[best] - evidence[spec.family]
        text = said or f"fits another likelihood by {gain:,.0f} log units better"
        yield Margin(spec.name, text, True, {"family": best})


def _spread(values: np.ndarray, expected: float) -> tuple[float, bool]:
    """The variance in units of what is expected, and whether chance does as much."""
    freedom = values.size - 1
    ratio = float(values.var(ddof=1) / expected)
    law = stats.chi2(freedom)
    return ratio, min(law.sf(freedom * ratio), law.cdf(freedom * ratio)) > CHANCE


def _measurement(values: np.ndarray, spec: ColumnSpec) -> Iterator[Margin]:
    """Spikes, rounding and skewness, which no normal has."""
    natural = back(values, spec.transform)
    # Logarithms taken back miss a round number by the last digits.
    levels, counts = np.unique(np.round(natural, 9), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    if counts.size > 2 and counts[order[0]] >= max(SPIKE * values.size, TIMES * counts[order[1]]):
        share, value = percent(counts[order[0]], values.size), spelled(levels[order[0]])
        yield Margin(spec.name, f"{share} of its cells are {value}, apart from the rest", False)
    whole = levels == np.round(levels)
    if whole.all() and np.ptp(levels) >= 30:
        heaped = counts[levels % 5 == 0].sum() / values.size
        if (
            heaped >= HEAPED
            and stats.binom.sf(heaped * values.size - 1, values.size, EXPECTED) <= CHANCE
            and not (levels % 5 == 0).all()
        ):
            text = f"rounded: {percent(heaped)} end in 0 or 5 ({percent(EXPECTED)} expected)"
            yield Margin(spec.name, text, False)
    step = float(np.min(np.diff(levels))) / natural.std() if spec.transform is None else 0.0
    if step >= COARSE:
        text = f"coarse: only {levels.size} values, {step:.1f} standard deviations apart"
        yield Margin(spec.name, text, False)
    yield from _skewness(values, natural, spec)


def _skewness(values: np.ndarray, natural: np.ndarray, spec: ColumnSpec) -> Iterator[Margin]:
    """A tail to one side, under the scale that is set, and whether the other scale has less."""
    skew = float(stats.skew(values))
    if abs(skew) < SKEWED:
        return
    other = np.nan
    if spec.transform is not None:
        other = float(stats.skew(natural))
    elif (natural > 0).all():
        other = float(stats.skew(np.log(natural)))
    set_to = None if spec.transform is not None else "log"
    change = {"transform": set_to} if abs(other) < abs(skew) / 2 else {}
    side = "right" if skew > 0 else "left"
    scale = "" if spec.transform is None else f" {rescaled_in_words(spec.transform)}"
    yield Margin(spec.name, f"a long tail to the {side}{scale} (skewness {skew:.1f})", True, change)


def sentence(found: list[Margin]) -> str:
    """What was looked at and found, in a sentence or two."""
    if not found:
        return (
            "Each column by itself looks as its likelihood expects: no rating, count or "
            "measurement stands out, and no two columns say the same."
        )
    names = list(dict.fromkeys(margin.column for margin in found))
    return (
        f"Of {listed(names, 6, quotes='“”')} the histogram alone says that its likelihood may not "
        "fit."
    )
