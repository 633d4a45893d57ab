"""The smallest difference that so many patients can show, before anyone knows the groups.

At 80 % power and two-sided .05: a standardised difference of means (t-test) and a difference of
risks from one half (arcsine), by statsmodels; a hazard ratio by Schoenfeld's formula (Biometrics
1983, 39:499), which needs the number of events and not the number of patients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats
from statsmodels.stats.power import NormalIndPower, TTestIndPower

POWER, LEVEL = 0.80, 0.05
#: Shares of the smaller of two groups, and of the patients who have an event.
GROUPS, EVENTS = (0.5, 0.25, 0.1), (0.1, 0.25, 0.5)


@dataclass(frozen=True)
class Detectable:
    """What two groups of given sizes can show."""

    #: Patients in the smaller group and in the other.
    sizes: tuple[int, int]
    #: Difference of means in standard deviations, and of risks from one half; None where the
    #: groups are too small for any.
    means: float | None
    risks: float | None
    #: By the number of events in both groups, the hazard ratio above 1.
    hazards: dict[int, float]


def detectable(n: int, smaller: float) -> Detectable:
    """What ``n`` patients can show in two groups, one of this share of them."""
    sizes = round(n * smaller), n - round(n * smaller)
    events = sorted({round(n * share) for share in EVENTS} - {0})
    hazards = {d: hazard_ratio(d, smaller) for d in events}
    if min(sizes) < 2:
        return Detectable(sizes, None, None, hazards)
    means = smallest_difference(*sizes)
    about = {"nobs1": sizes[0], "alpha": LEVEL, "power": POWER, "ratio": sizes[1] / sizes[0]}
    arcs = float(np.squeeze(NormalIndPower().solve_power(effect_size=None, **about)))
    # From one half, arcs of half pi end at a risk of 0 or 1.
    risks = float(np.sin(arcs) / 2) if arcs < np.pi / 2 else None
    return Detectable(sizes, means, risks, hazards)


def hazard_ratio(n_events: int, share: float) -> float:
    """The smallest hazard ratio above 1 that so many events show, by one group's share."""
    z = stats.norm.ppf(1 - LEVEL / 2) + stats.norm.ppf(POWER)
    return float(np.exp(z / np.sqrt(n_events * share * (1 - share))))


def smallest_difference(n_1: float, n_2: float) -> float:
    """The smallest difference of means, in SD, that a t-test of these sizes finds; NaN below 2."""
    if min(n_1, n_2) < 2:
        return np.nan
    about = {"nobs1": n_1, "alpha": LEVEL, "power": POWER, "ratio": n_2 / n_1}
    return float(np.squeeze(TTestIndPower().solve_power(effect_size=None, **about)))
