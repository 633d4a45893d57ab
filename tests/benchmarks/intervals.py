"""Outcomes of two groups whose effects are known: tests and intervals are judged by them.

Two groups of 30, 60 and 150 patients, and 30 against 150. Times are censored for 30 or 60 %: with
proportional hazards (ratio 1.6) for the hazard ratio, with Weibull curves that cross for the
difference of restricted means, with another event as frequent as this one for the cause-specific
hazard ratio and the difference of cumulative incidences. Skewed groups of equal means are told
apart by our test of means and by Welch's alone; its rule was chosen on other shapes and sizes.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
from scipy import integrate, optimize, stats

from mapdp_studio.core.statistics.compare import compare
from mapdp_studio.core.statistics.differences import Effect, compare_means
from mapdp_studio.core.statistics.regression import ratio
from mapdp_studio.core.statistics.survival import (
    cumulative_incidence,
    difference,
    horizon,
    kaplan_meier,
)
from mapdp_studio.core.statistics.variables import Variable

Random = np.random.Generator
Draw = Callable[[Random, int], np.ndarray]
Sizes = tuple[int, int]
PAIR = (0, 1)
SIZES = ((30, 30), (60, 60), (150, 150), (30, 150))


def _misses(effect: Effect, truth: float) -> bool | None:
    """Whether an interval does not hold the truth; None where there is none."""
    return None if effect.low is None else not effect.low <= truth <= effect.high


class Times:
    """Weibull times of two groups with one kind of censoring, and what is true of them."""

    def __init__(self, scales: Sizes, shapes: Sizes, censored: float, other: float = 0.0) -> None:
        self.scales, self.shapes, self.other = scales, shapes, other

        def share(end: float) -> float:
            """Patients censored, who leave evenly between 0 and ``end``."""
            return float(np.mean([self.free(k, np.linspace(0.0, end, 400)) for k in PAIR]))

        self.end = optimize.brentq(lambda end: share(end) - censored, 1e-3, 1e3)

    def free(self, group: int, at: np.ndarray) -> np.ndarray:
        """Share without any event."""
        return np.exp(-((at / self.scales[group]) ** self.shapes[group]) - self.other * at)

    def area(self, group: int, until: float) -> float:
        """Restricted mean; of competing events the cumulative incidence."""
        scale, shape = self.scales[group], self.shapes[group]
        grid = np.linspace(0.0, until, 20_001)[1:]
        height = shape / scale * (grid / scale) ** (shape - 1) if self.other else 1.0
        return float(integrate.trapezoid(height * self.free(group, grid), grid))

    def draw(self, random: Random, sizes: Sizes) -> tuple[Variable, np.ndarray]:
        labels = np.repeat(PAIR, sizes)
        scale, shape = (np.array(v)[labels] for v in (self.scales, self.shapes))
        own = scale * random.weibull(shape)
        competing = np.full(own.size, np.inf)
        if self.other:
            competing = random.exponential(1 / self.other, own.size)
        left = random.uniform(0.0, self.end, own.size)
        times = np.minimum(np.minimum(own, competing), left)
        others = (times == competing) if self.other else None
        return Variable("t", "time to event", times, (), times == own, others), labels


def of_ratio(times: Times, random: Random, sizes: Sizes) -> bool | None:
    variable, labels = times.draw(random, sizes)
    truth = (times.scales[1] / times.scales[0]) ** times.shapes[0]
    return _misses(ratio(variable, labels, PAIR), truth)


def of_difference(times: Times, random: Random, sizes: Sizes) -> bool | None:
    variable, labels = times.draw(random, sizes)
    until = horizon(variable, labels, PAIR)
    truth = times.area(0, until) - times.area(1, until)
    return _misses(difference(variable, labels, PAIR, until), truth)


def of_curve(times: Times, random: Random, sizes: Sizes) -> bool:
    """One group's share at the end of what is compared."""
    variable, labels = times.draw(random, sizes)
    until, rows = horizon(variable, labels, PAIR), labels == 0
    if times.other:
        parts = variable.values, variable.events, variable.others
        curve, truth = cumulative_incidence(*(part[rows] for part in parts)), times.area(0, until)
    else:
        curve = kaplan_meier(variable.values[rows], variable.events[rows])
        truth = float(times.free(0, np.array(until)))
    found = curve.at(until)
    return not found.low <= truth <= found.high


def of_values(
    kind: str, draws: tuple[Draw, Draw], truth: float, random: Random, sizes: Sizes, **more
) -> bool | None:
    """An outcome that is no time, each group drawn by its own function."""
    values = np.concatenate([draw(random, n) for draw, n in zip(draws, sizes, strict=True)])
    variable = Variable("x", kind, values.astype(np.float64), **more)
    return _misses(compare(variable, np.repeat(PAIR, sizes), PAIR, 0).effect, truth)


def normal(mean: float, sd: float) -> Draw:
    return lambda random, n: random.normal(mean, sd, n)


def log_normal(mean: float, sd: float) -> Draw:
    return lambda random, n: np.exp(random.normal(mean, sd, n))


def counts(mean: float, size: float) -> Draw:
    return lambda random, n: random.negative_binomial(size, size / (size + mean), n)


def chances(*shares: float) -> Draw:
    """Steps from 0 on."""
    return lambda random, n: random.choice(len(shares), n, p=shares)


LEFT, RIGHT = (0.35, 0.3, 0.2, 0.1, 0.05), (0.15, 0.25, 0.3, 0.2, 0.1)
#: Kind, the groups, the true effect and what else is known of the column.
OUTCOMES = {
    "mean difference, normal": ("measurement", (normal(0, 1), normal(0.5, 2)), -0.5, {}),
    "mean difference, log-normal": (
        "measurement",
        (log_normal(0, 0.6), log_normal(0.4, 0.8)),
        float(np.exp(0.18) - np.exp(0.72)),
        {},
    ),
    "ratio of geometric means": (
        "measurement",
        (normal(0, 1), normal(0.5, 0.6)),
        float(np.exp(-0.5)),
        {"log": True},
    ),
    "risk difference": (
        "yes/no",
        (chances(0.7, 0.3), chances(0.85, 0.15)),
        0.15,
        {"levels": ("n", "y")},
    ),
    "rate ratio": ("count", (counts(2.0, 1.5), counts(1.2, 1.5)), 2.0 / 1.2, {}),
    "rating": (
        "rating",
        (chances(*LEFT), chances(*RIGHT)),
        float(np.arange(5) @ np.subtract(LEFT, RIGHT)),
        {"levels": tuple(range(5))},
    ),
}


@cache
def intervals() -> dict[str, Callable[[Random, Sizes], bool | None]]:
    """Every interval that is judged, by its name."""
    found: dict[str, Callable] = {}
    for censored in (0.3, 0.6):
        alike = Times((1.0, 1.6), (1.0, 1.0), censored)
        crossing = Times((1.0, 1.2), (0.7, 1.8), censored)
        either = Times((1.0, 1.6), (1.0, 1.0), censored, other=0.8)
        for name, of, times in (
            ("hazard ratio", of_ratio, alike),
            ("cause-specific hazard ratio", of_ratio, either),
            ("restricted means", of_difference, crossing),
            ("cumulative incidences", of_difference, either),
            ("one Kaplan-Meier share", of_curve, crossing),
            ("one cumulative incidence", of_curve, either),
        ):
            found[f"{name}, {censored:.0%} censored"] = partial(of, times)
    for name, (kind, draws, truth, more) in OUTCOMES.items():
        found[name] = partial(of_values, kind, draws, truth, **more)
    return found


SMALL = ((200, 28), (70, 22), (30, 30), (100, 50), (45, 45), (300, 90), (150, 13), (22, 14))


def of_mean_one(sd: float) -> Draw:
    return log_normal(-(sd**2) / 2, sd)


def gamma(shape: float) -> Draw:
    return lambda random, n: random.gamma(shape, 1 / shape, n)


def costs(share: float, sd: float) -> Draw:
    amounts = of_mean_one(sd)
    return lambda random, n: np.where(random.random(n) < share, amounts(random, n) / share, 0.0)


def lomax(random: Random, n: int) -> np.ndarray:
    return 5.0 * random.pareto(6.0, n)


SHAPES: dict[str, tuple[Draw, Draw]] = {
    "log-normal .6 and .6": (of_mean_one(0.6), of_mean_one(0.6)),
    "log-normal 1.3 and 1.3": (of_mean_one(1.3), of_mean_one(1.3)),
    "log-normal .5 and 1.1": (of_mean_one(0.5), of_mean_one(1.1)),
    "log-normal 1.1 and .5": (of_mean_one(1.1), of_mean_one(0.5)),
    "log-normal .35 and .9": (of_mean_one(0.35), of_mean_one(0.9)),
    "gamma 3 and .8": (gamma(3.0), gamma(0.8)),
    "gamma .8 and 3": (gamma(0.8), gamma(3.0)),
    "Lomax 6": (lomax, lomax),
    "costs of .6 and .3": (costs(0.6, 0.5), costs(0.3, 0.6)),
    "costs of .3 and .6": (costs(0.3, 0.6), costs(0.6, 0.5)),
    "normal 1 and 3": (normal(0.0, 1.0), normal(0.0, 3.0)),
}


def equal_means(shape: str, random: Random, sizes: Sizes) -> Iterator[tuple[str, bool]]:
    """Whether our test and Welch's reject at .05."""
    groups = [draw(random, n) for draw, n in zip(SHAPES[shape], sizes, strict=True)]
    yield "", compare_means(groups)[0].p <= 0.05
    yield ", Welch's test alone", stats.ttest_ind(*groups, equal_var=False).pvalue <= 0.05
