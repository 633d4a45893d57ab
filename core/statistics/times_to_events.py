"""Groups on a time to an event: a test and hazards, then the effect that needs no constant ratio.

Late entry and recurrent events are not told: every patient is taken to be watched from time 0 to
the first event or the last visit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import hypothesis_tests
from .competing_risks import compare_incidence, incidence_difference
from .cox import hazard_ratio, proportionality
from .effects import Effect
from .hypothesis_tests import Test, no_test
from .restricted_means import horizon, restricted_mean_difference
from .variables import Variable

#: P-values of the test of proportional hazards up to it let the other effect lead.
DOUBT = 0.05
SCOPE = (
    "Times are read from 0 to the first event or the last visit: patients who enter late, and "
    "events that recur, are out of scope."
)


@dataclass(frozen=True)
class Hazards:
    """What is known of a time to an event before its groups are compared two by two."""

    #: Of all groups at once.
    proportional: Test
    #: Time up to which means and shares are compared.
    until: float
    #: Whether another event may come first.
    is_competing: bool

    @property
    def ratio_leads(self) -> bool:
        """Whether hazard ratios are the first effect shown."""
        p = self.proportional.p
        return not self.is_competing and (p is None or p > DOUBT)

    @property
    def sentence(self) -> str:
        """What the check of proportional hazards found, and what leads for that."""
        test = self.proportional
        if test.p is None:
            said = f"Proportional hazards were not checked. {test.reason}"
        elif test.p <= DOUBT:
            said = f"Hazards are not proportional ({test.name}, p {test.p_text})"
            if not self.is_competing:
                return (
                    f"{said}: a hazard ratio is an average over time, and the difference of "
                    "restricted means leads."
                )
            said += ": a hazard ratio is an average over time."
        else:
            said = f"No sign that hazards are not proportional ({test.name}, p {test.p_text})."
        if self.is_competing:
            said += (
                " Another event may come first: cumulative incidences lead, and hazard ratios "
                "compare how fast this event comes among those still without either."
            )
        return said


def hazards(variable: Variable, labels: np.ndarray, groups: Sequence[int]) -> Hazards:
    """Check proportional hazards in all groups that are compared, and how far they are watched."""
    until = horizon(variable, labels, groups)
    is_competing = variable.others is not None
    if len(groups) < 2:
        return Hazards(no_test("Fewer than two groups are compared."), until, is_competing)
    rows = np.isin(labels, list(groups)) & variable.observed
    inputs = (labels[rows, None] == np.array(groups[1:])).astype(np.float64)
    times, events = variable.values[rows], variable.events[rows].astype(bool)
    return Hazards(proportionality(times, events, inputs), until, is_competing)


def ratio(variable: Variable, labels: np.ndarray, pair: Sequence[int]) -> Effect:
    """Hazard of the first group over that of the second; cause-specific beside another event."""
    rows = np.isin(labels, list(pair)) & variable.observed
    first = labels[rows] == pair[0]
    return hazard_ratio(variable.values[rows], variable.events[rows], first, variable.hazard)


def difference(variable: Variable, labels: np.ndarray, pair: Sequence[int], until: float) -> Effect:
    """Difference of restricted means; of cumulative incidences where another event may come."""
    if variable.others is not None:
        return incidence_difference(variable, labels, pair, until)
    return restricted_mean_difference(variable, labels, pair, until)


def compare_times(
    variable: Variable, labels: np.ndarray, groups: Sequence[int], few: bool, seed: int
) -> Test:
    """Log-rank test; Gray's of cumulative incidences where another event may come first."""
    rows = [(labels == group) & variable.observed for group in groups]
    parts = [variable.values[of_group] for of_group in rows]
    events = [variable.events[of_group] for of_group in rows]
    if variable.others is None:
        random = hypothesis_tests.stream(seed, [*parts, *events])
        return hypothesis_tests.compare_survival(parts, events, few, random)
    kinds = [variable.events[one] + 2 * variable.others[one] for one in rows]
    random = hypothesis_tests.stream(seed, [*parts, *kinds])
    group = np.repeat(np.arange(len(groups)), [part.size for part in parts])
    return compare_incidence(np.concatenate(parts), np.concatenate(kinds), group, few, random)
