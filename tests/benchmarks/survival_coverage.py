"""How often the 95 % intervals of the effects on outcomes hold the truth.

    nice -n 19 python -m tests.benchmarks.survival_coverage [sets [words]]    # 1,000: 20 minutes

Two groups of 30, 60 and 150 patients, and 30 against 150. Times are censored for 30 or 60 %: with
proportional hazards (ratio 1.6) for the hazard ratio, with Weibull curves that cross for the
difference of restricted means, with another event as frequent as this one for the cause-specific
hazard ratio and the difference of cumulative incidences. Shares of sets without an interval stand
beside it: a group with hardly any event, or a column too skewed for its size.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import integrate, optimize

from mapdp_studio.core.statistics.compare import compare
from mapdp_studio.core.statistics.differences import Effect
from mapdp_studio.core.statistics.regression import ratio
from mapdp_studio.core.statistics.survival import (
    cumulative_incidence,
    difference,
    horizon,
    kaplan_meier,
)
from mapdp_studio.core.statistics.variables import Variable

SETS = 1_000
SIZES = ((30, 30), (60, 60), (150, 150), (30, 150))
CENSORED = (0.3, 0.6)
PAIR = (0, 1)
#: Discrete outcomes cannot reach exactly .95 from both sides.
LEAST, MOST = 0.93, 0.97


def _of(effect: Effect, truth: float) -> bool | None:
    """Whether an interval holds the truth; None where there is none."""
    return None if effect.low is None else effect.low <= truth <= effect.high


class Times:
    """Weibull times of two groups with one kind of censoring, and what is true of them."""

    def __init__(self, scales, shapes, censored: float, other: float = 0.0):
        self.scales, self.shapes, self.other = scales, shapes, other
        ends = optimize.brentq(lambda end: self._share(end) - censored, 1e-3, 1e3)
        self.end = ends

    def _share(self, end: float) -> float:
        """Patients censored, who leave evenly between 0 and ``end``."""
        grid = np.linspace(0.0, end, 400)
        return float(np.mean([self.free(k, grid) for k in PAIR]))

    def free(self, group: int, at: np.ndarray) -> np.ndarray:
        """Share without any event."""
        return np.exp(-((at / self.scales[group]) ** self.shapes[group]) - self.other * at)

    def mean(self, group: int, until: float) -> float:
        grid = np.linspace(0.0, until, 2_001)
        return float(integrate.trapezoid(self.free(group, grid), grid))

    def incidence(self, group: int, until: float) -> float:
        scale, shape = self.scales[group], self.shapes[group]
        grid = np.linspace(0.0, until, 20_001)[1:]
        hazard = shape / scale * (grid / scale) ** (shape - 1)
        return float(integrate.trapezoid(hazard * self.free(group, grid), grid))

    def draw(self, random: np.random.Generator, sizes) -> tuple[Variable, np.ndarray]:
        labels = np.repeat(PAIR, sizes)
        scale, shape = (np.array(v)[labels] for v in (self.scales, self.shapes))
        own = scale * random.weibull(shape)
        rest = np.full(own.size, np.inf)
        if self.other:
            rest = random.exponential(1 / self.other, own.size)
        left = random.uniform(0.0, self.end, own.size)
        times = np.minimum(np.minimum(own, rest), left)
        others = (times == rest) if self.other else None
        return Variable("t", "time to event", times, (), times == own, others), labels


def hazard_ratios(times: Times, random, sizes) -> bool | None:
    variable, labels = times.draw(random, sizes)
    truth = (times.scales[1] / times.scales[0]) ** times.shapes[0]
    return _of(ratio(variable, labels, PAIR), truth)


def differences(times: Times, random, sizes) -> bool | None:
    variable, labels = times.draw(random, sizes)
    until = horizon(variable, labels, PAIR)
    at = times.incidence if times.other else times.mean
    return _of(difference(variable, labels, PAIR, until), at(0, until) - at(1, until))


def curves(times: Times, random, sizes) -> bool | None:
    """One group's share at the end of what is compared."""
    variable, labels = times.draw(random, sizes)
    until, rows = horizon(variable, labels, PAIR), labels == 0
    if times.other:
        parts = variable.values, variable.events, variable.others
        curve = cumulative_incidence(*(part[rows] for part in parts))
        truth = times.incidence(0, until)
    else:
        curve = kaplan_meier(variable.values[rows], variable.events[rows])
        truth = float(times.free(0, np.array(until)))
    found = curve.at(until)
    return bool(found.low <= truth <= found.high)


def plain(kind: str, draws, truth: float, random, sizes, **known) -> bool | None:
    """An outcome that is no time, each group drawn by its own function."""
    values = np.concatenate([draw(random, n) for draw, n in zip(draws, sizes, strict=True)])
    variable = Variable("x", kind, values.astype(np.float64), **known)
    return _of(compare(variable, np.repeat(PAIR, sizes), PAIR, 0).effect, truth)


def _normal(mean: float, sd: float) -> Callable:
    return lambda random, n: random.normal(mean, sd, n)


def _log_normal(mean: float, sd: float) -> Callable:
    return lambda random, n: np.exp(random.normal(mean, sd, n))


def _share(p: float) -> Callable:
    return lambda random, n: random.random(n) < p


def _counts(mean: float, size: float) -> Callable:
    return lambda random, n: random.negative_binomial(size, size / (size + mean), n)


def _steps(shares) -> Callable:
    return lambda random, n: random.choice(len(shares), n, p=shares)


LEFT, RIGHT = (0.35, 0.3, 0.2, 0.1, 0.05), (0.15, 0.25, 0.3, 0.2, 0.1)
MEANS = [float(np.arange(5) @ shares) for shares in (LEFT, RIGHT)]
OTHERS = {
    "mean difference, normal": ("measurement", (_normal(0, 1), _normal(0.5, 2)), -0.5, {}),
    "mean difference, log-normal": (
        "measurement",
        (_log_normal(0, 0.6), _log_normal(0.4, 0.8)),
        float(np.exp(0.18) - np.exp(0.72)),
        {},
    ),
    "ratio of geometric means": (
        "measurement",
        (_normal(0, 1), _normal(0.5, 0.6)),
        float(np.exp(-0.5)),
        {"log": True},
    ),
    "risk difference": ("yes/no", (_share(0.3), _share(0.15)), 0.15, {"levels": ("n", "y")}),
    "rate ratio": ("count", (_counts(2.0, 1.5), _counts(1.2, 1.5)), 2.0 / 1.2, {}),
    "rating": (
        "rating",
        (_steps(LEFT), _steps(RIGHT)),
        MEANS[0] - MEANS[1],
        {"levels": tuple(range(5))},
    ),
}


def cases() -> dict[str, Callable]:
    """Every interval that is judged, by its name."""
    found = {}
    for censored in CENSORED:
        said = f"{censored:.0%} censored"
        alike = Times((1.0, 1.6), (1.0, 1.0), censored)
        crossing = Times((1.0, 1.2), (0.7, 1.8), censored)
        either = Times((1.0, 1.6), (1.0, 1.0), censored, other=0.8)
        found |= {
            f"hazard ratio, {said}": partial(hazard_ratios, alike),
            f"cause-specific hazard ratio, {said}": partial(hazard_ratios, either),
            f"restricted means, {said}": partial(differences, crossing),
            f"cumulative incidences, {said}": partial(differences, either),
            f"one Kaplan-Meier share, {said}": partial(curves, crossing),
            f"one cumulative incidence, {said}": partial(curves, either),
        }
    for name, (kind, draws, truth, known) in OTHERS.items():
        found[name] = partial(plain, kind, draws, truth, **known)
    return found


def covered(case: Callable, sizes, sets: int, seed: int = 0) -> tuple[float, float]:
    """Share of the intervals that hold the truth, and of the sets without one."""
    found = [case(np.random.default_rng([seed, *sizes, k]), sizes) for k in range(sets)]
    made = [one for one in found if one is not None]
    return (float(np.mean(made)) if made else float("nan")), 1.0 - len(made) / len(found)


def main(sets: int = SETS, *words: str) -> None:
    """Print a line an interval, of those whose name has one of the words."""
    print(f"{sets:,} sets each; share of intervals that hold the truth (sets without one)")
    print(f"{'':44}" + "".join(f"{a:>8} and {b:<5}" for a, b in SIZES))
    for name, case in cases().items():
        if words and not any(word in name for word in words):
            continue
        cells = [covered(case, sizes, sets) for sizes in SIZES]
        line = "".join(
            f"{share:>9.3f}{'*' if not LEAST <= share <= MOST else ' '}({none:.0%})".ljust(18)
            for share, none in cells
        )
        print(f"{name:44}{line}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
