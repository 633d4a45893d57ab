"""How often the app is wrong: its tests, what it says of chance, and the naive t-test.

    python -m tests.benchmarks.error_rates --known error_rates.json

Every part is measured once and kept in the file that ``--known`` names; all parts together take
about an hour on one core. ``--share 0.1`` tries a tenth of the data sets.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from mapdp_studio.core import MAPDP, KMeansBIC
from mapdp_studio.core.clinical.verdict import traffic_light
from mapdp_studio.core.statistics import differences
from mapdp_studio.core.statistics.chance import chance
from mapdp_studio.core.statistics.compare import associate
from mapdp_studio.core.statistics.correct import adjust
from mapdp_studio.core.statistics.nulls import Search
from mapdp_studio.core.statistics.resampling import Protocol, assess
from mapdp_studio.core.statistics.variables import Variable
from tests.benchmarks.chance import LEVEL_TABLES, POWER, POWER_TABLES, verdicts
from tests.benchmarks.chance_tables import OTHERS, WITHOUT

#: Nominal level of everything here.
NOMINAL = 0.05
#: Data sets of the tests, and tables of noise of each family.
TESTED, REFERRED = 2_000, 100
#: Rearrangements here; the page makes ten times as many, which moves no error rate.
RESAMPLES = 999
SIZES = (45, 70, 120, 240)


# ---- the page's tests on groupings that mean nothing


def validators(n: int, random: np.random.Generator) -> Iterator[tuple[str, Variable]]:
    """Columns of every kind that have nothing to do with any grouping, a tenth of cells missing."""
    watched = random.uniform(0.2, 3.0, n)
    lifetime = random.exponential(1.0, n)
    rate = random.choice([0.1, 0.3, 1.0, 4.0])
    levels = int(random.integers(3, 6))
    shares = random.dirichlet(np.full(levels, 2.0))
    drawn = {
        "measurement, normal": ("measurement", random.normal(size=n)),
        "measurement, skewed": ("measurement", random.exponential(size=n)),
        "rating": ("rating", random.binomial(4, random.uniform(0.1, 0.9), n)),
        "yes/no": ("yes/no", random.random(n) < random.choice([0.03, 0.1, 0.3, 0.5])),
        "category": ("category", random.choice(levels, n, p=shares)),
        "count, Poisson": ("count", random.poisson(rate, n)),
        "count, overdispersed": ("count", random.poisson(rate * random.gamma(1.0, 1.0, n))),
        "time to event": ("time to event", np.minimum(lifetime, watched)),
    }
    for title, (kind, values) in drawn.items():
        cells = np.where(random.random(n) < 0.1, np.nan, values.astype(np.float64))
        width = {"yes/no": 2, "rating": 5, "category": levels}.get(kind, 0)
        events = lifetime <= watched if kind == "time to event" else None
        yield title, Variable(title, kind, cells, tuple(range(width)), events)


def forced_groups(n: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Noise of four columns, and two to four groups that K-means was told to find in it."""
    noise = random.normal(size=(n, 4))
    k = int(random.integers(2, 5))
    fitted = KMeansBIC(k_min=k, k_max=k, n_init=1, random_state=int(random.integers(2**31)))
    return noise, fitted.fit(noise).labels_


def tests_on_noise(n_sets: int) -> dict[str, dict[str, int]]:
    """Count, by kind of column, the tests made and those below the nominal level."""
    counts: Counter[tuple[str, str]] = Counter()
    differences.RESAMPLES = RESAMPLES
    for seed in range(n_sets):
        random = np.random.default_rng([1, seed])
        _, labels = forced_groups(int(random.choice(SIZES)), random)
        groups = range(int(labels.max()) + 1)
        family: list[float | None] = []
        for title, variable in validators(labels.size, random):
            found = associate(variable, labels, groups, seed)
            pairs = [pair.test.p for pair in found.pairs]
            _count(counts, f"{title}: pairs", pairs)
            _count(counts, f"{title}: largest pair", pairs[:1])
            if len(groups) > 2:
                _count(counts, f"{title}: all groups", [found.overall.test.p])
            family += pairs
        adjusted = [p for p in adjust(family, 8).p if p is not None]
        _count(counts, "any of a family after Holm", [min(adjusted, default=1.0)])
    return _nested(counts)


def _count(counts: Counter, title: str, p_values: list[float | None]) -> None:
    made = [p for p in p_values if p is not None]
    counts[title, "tests"] += len(made)
    counts[title, "rejected"] += sum(p <= NOMINAL for p in made)


def _nested(counts: Counter) -> dict[str, dict[str, int]]:
    nested: dict[str, dict[str, int]] = {}
    for (title, what), count in counts.items():
        nested.setdefault(title, {})[what] = int(count)
    return nested


# ---- what the page says and does not do: testing the columns that made the groups


def naive_tests(n_sets: int) -> dict[str, dict[str, int]]:
    """Student's t on the clustered columns themselves, between the two largest forced groups."""
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(n_sets):
        random = np.random.default_rng([2, seed])
        noise, labels = forced_groups(int(random.choice(SIZES)), random)
        a, b = noise[labels == 0], noise[labels == 1]
        if min(len(a), len(b)) > 1:
            p_values = stats.ttest_ind(a, b).pvalue.tolist()
            _count(counts, "Student's t on clustered columns of noise", p_values)
            kept_out = random.normal(size=labels.size)
            p = stats.ttest_ind(kept_out[labels == 0], kept_out[labels == 1]).pvalue
            _count(counts, "Student's t on a column kept out", [float(p)])
    return _nested(counts)


def noise_ends(n_sets: int) -> dict[str, dict[str, int]]:
    """How often noise does not end as "no groups found", by the family of the columns."""
    counts: Counter[tuple[str, str]] = Counter()
    draw: dict[str, Callable] = {
        "normal": lambda random, shape: random.normal(size=shape),
        "bernoulli": lambda random, shape: (
            random.random(shape) < random.uniform(0.1, 0.9, shape[1])
        ),
        "binomial": lambda random, shape: random.binomial(
            4, random.uniform(0.2, 0.8, shape[1]), shape
        ),
        "categorical": lambda random, shape: random.integers(4, size=shape),
        "poisson": lambda random, shape: random.poisson(random.uniform(0.3, 4.0, shape[1]), shape),
    }
    for family, of_noise in draw.items():
        for seed in range(n_sets):
            random = np.random.default_rng([3, seed])
            shape = (int(random.choice(SIZES)), int(random.choice([4, 12, 30])))
            values = of_noise(random, shape).astype(np.float64)
            model = MAPDP(likelihood=family, random_state=seed).fit(values)
            colour = "grey"
            if traffic_light(model.labels_, None, None).colour != "grey":
                judged = assess(model, Protocol.preview(seed)), chance(Search.of(model))
                colour = traffic_light(model.labels_, *judged).colour
            outcomes = {
                "more than one cluster": model.n_clusters_ > 1,
                "two groups of five patients or more": colour != "grey",
                "neither grey nor red after the preview": colour not in ("grey", "red"),
            }
            for outcome, came in outcomes.items():
                counts[f"noise, {family}: {outcome}", "tests"] += 1
                counts[f"noise, {family}: {outcome}", "rejected"] += came
    return _nested(counts)


# ---- chance


def said(n_tables: int, design: str) -> dict[str, dict[str, int]]:
    """Tables of one design that are said to have more groups than chance makes."""
    found = verdicts(design, range(OTHERS, OTHERS + n_tables))
    more = sum(line["said"] == "more" for line in found)
    return {f"more than chance makes, {design}": {"tests": n_tables, "rejected": more}}


# ---- together


def parts(share: float) -> dict[str, Callable[[], dict[str, dict[str, int]]]]:
    """What there is to measure, by name."""
    tested, referred = int(share * TESTED), int(share * REFERRED)
    every = {
        "tests": lambda: tests_on_noise(tested),
        "naive": lambda: naive_tests(tested),
        "noise": lambda: noise_ends(max(referred, 1)),
    }
    for design in WITHOUT:
        every[design] = partial(said, max(int(share * LEVEL_TABLES), 1), design)
    for design in POWER:
        every[design] = partial(said, max(int(share * POWER_TABLES), 1), design)
    return every


def as_table(known: dict[str, dict[str, dict[str, int]]]) -> pd.DataFrame:
    """Rates in percent, with the 95 % interval of each."""
    rows = []
    for part in known.values():
        for title, count in part.items():
            tests, rejected = count["tests"], count["rejected"]
            low, high = stats.binomtest(rejected, tests).proportion_ci(method="wilson")
            rows.append((title, tests, 100 * rejected / tests, 100 * low, 100 * high))
    return pd.DataFrame(rows, columns=["what", "tests", "rejected %", "low", "high"])


def main() -> None:
    """Measure what is not yet known, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--known", type=Path, default=Path("error_rates.json"))
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--only", nargs="*", help="parts to measure; all when absent")
    arguments = parser.parse_args()
    known = json.loads(arguments.known.read_text()) if arguments.known.exists() else {}
    for name, measure in parts(arguments.share).items():
        if name not in known and (not arguments.only or name in arguments.only):
            known[name] = measure()
            arguments.known.write_text(json.dumps(known, indent=1))
    print(as_table(known).round(1).to_string(index=False))


if __name__ == "__main__":
    main()
