"""How often the app is wrong: tests, intervals, what it says of chance, the light.

    python -m tests.benchmarks.error_rates [part ...] --known error_rates.json [--share 0.1]

Parts (all whose name begins so): *tests* of columns that have nothing to do with the groups;
*chance*, of 320 tables without groups of which at most 24 may be said to have more than chance
makes (5 of a design), of the others 18 of 20 at least, and how many are one group; *blocks* of 20
independent columns of mixed kinds, one in 20 tables; *light*, the full protocol on gradients and
classes: green is wrong on the first; *means* of small skewed groups that are equal; *intervals* of
effects on outcomes that do not hold the truth. Each is measured once and kept in the file; all
together take some hours on one core, the chance and the light most of them.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from mapdp_studio.core import MAPDP, KMeansBIC, choose_model, infer_schema
from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.clinical.t_tests import TTests, leave_out, read_columns
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.profiling.how_many import how_many
from mapdp_studio.core.statistics import differences
from mapdp_studio.core.statistics.chance import FULL, ONE_LINE, chance
from mapdp_studio.core.statistics.compare import associate
from mapdp_studio.core.statistics.correct import adjust
from mapdp_studio.core.statistics.nulls import GroupSearch
from mapdp_studio.core.statistics.resampling import Protocol, assess
from mapdp_studio.core.statistics.variables import Variable
from mapdp_studio.demo_datasets import load_parkinsonism
from tests.benchmarks import designs, intervals
from tests.benchmarks.labelled import counted

NOMINAL = 0.05
#: Rearrangements here; the page makes ten times as many, which moves no error rate.
RESAMPLES = 999
SIZES = (45, 70, 120, 240)
#: Lines of the table, and whether each came true; None: there was nothing to say.
Outcomes = Iterable[tuple[str, bool | None]]


def validators(n: int, random: np.random.Generator) -> Iterator[tuple[str, Variable]]:
    """Columns of every kind that have nothing to do with any grouping, a tenth of cells missing."""
    watched = random.uniform(0.2, 3.0, n)
    lifetime = random.exponential(1.0, n)
    rate = random.choice([0.1, 0.3, 1.0, 4.0])
    levels = int(random.integers(3, 6))
    shares = random.dirichlet(np.full(levels, 2.0))
    drawn = {
        "measurement, normal": random.normal(size=n),
        "measurement, skewed": random.exponential(size=n),
        "rating": random.binomial(4, random.uniform(0.1, 0.9), n),
        "yes/no": random.random(n) < random.choice([0.03, 0.1, 0.3, 0.5]),
        "category": random.choice(levels, n, p=shares),
        "count, Poisson": random.poisson(rate, n),
        "count, overdispersed": random.poisson(rate * random.gamma(1.0, 1.0, n)),
        "time to event": np.minimum(lifetime, watched),
    }
    for title, values in drawn.items():
        kind = title.partition(",")[0]
        cells = np.where(random.random(n) < 0.1, np.nan, values.astype(np.float64))
        width = {"yes/no": 2, "rating": 5, "category": levels}.get(kind, 0)
        events = lifetime <= watched if kind == "time to event" else None
        yield title, Variable(title, kind, cells, tuple(range(width)), events)


def _rejects(p: float | None) -> bool | None:
    return None if p is None else bool(p <= NOMINAL)


def tests(seed: int) -> Outcomes:
    """The page's tests on groups that K-means was told to find in noise, by kind of column."""
    differences.RESAMPLES = RESAMPLES
    random = np.random.default_rng([1, seed])
    noise = random.normal(size=(int(random.choice(SIZES)), 4))
    k = int(random.integers(2, 5))
    forced = KMeansBIC(k_min=k, k_max=k, n_init=1, random_state=int(random.integers(2**31)))
    labels = forced.fit(noise).labels_
    groups = range(int(labels.max()) + 1)
    family: list[float | None] = []
    for title, variable in validators(labels.size, random):
        found = associate(variable, labels, groups, seed)
        pairs = [pair.test.p for pair in found.pairs]
        yield from ((f"{title}: pairs", _rejects(p)) for p in pairs)
        yield f"{title}: largest pair", _rejects(pairs[0])
        if len(groups) > 2:
            yield f"{title}: all groups", _rejects(found.overall.test.p)
        family += pairs
    adjusted = [p for p in adjust(family, 8).p if p is not None]
    yield "any of a family after Holm", _rejects(min(adjusted, default=1.0))


def more_than_chance(draw: Callable[[int], pd.DataFrame], seed: int) -> Outcomes:
    """Of a table as Clusters comes to it: whether it is one group, and what chance makes of it.

    As suggested, under the model chosen by E, and as Clusters shows that.
    """
    frame = draw(seed + designs.OTHERS)
    schema = infer_schema(frame)
    model = choose_model(frame, schema).model
    found = chance(GroupSearch.of(model)) if model.n_clusters_ > 1 else None
    yield "more than chance makes", found is not None and found.are_real
    yield "one group, as suggested", counted(MAPDP(random_state=0).fit(frame, schema).labels_) == 1
    is_one = counted(model.labels_) == 1
    yield "one group, chosen by E", is_one
    if found is not None and not is_one:
        many = how_many(model)
        first = many.first(found)
        is_one = counted(many.path.labels_at(first)) == 1
        is_one |= bool(many.gradient(model.columns_.encoded, first, found))
    yield "one group or a gradient, shown", is_one


def a_block(seed: int) -> Outcomes:
    """Whether columns that have nothing to do with each other are described together."""
    chosen = choose_model(designs.independent_columns(seed)).schema
    yield "a block of independent columns", bool(chosen.blocks)


def light(title: str, seed: int) -> Outcomes:
    """Whether the verdict is green.

    Other patients, other starts and the means can only take green away from what one line and the
    references leave green: they are asked where these do, and wherever there are real classes.
    """
    is_cohort = title == "the cohort"
    frame = load_parkinsonism(seed)[0] if is_cohort else designs.of_light(title, seed)
    schema = load_parkinsonism(seed)[1] if is_cohort else infer_schema(frame)
    first = MAPDP(3.0, random_state=0).fit(frame, schema)
    groups = Subgroups.of(first, how_many(first).n_groups)
    checks, colour, exceeded = Checks(groups), "grey", None
    in_full = title not in designs.GRADIENTS
    if groups.found_any and (in_full or (checks.rank_one or 0.0) < ONE_LINE):
        checks = replace(checks, reference=chance(GroupSearch.of(first), n_tables=FULL))
        exceeded = checks.reference.are_real
        if in_full or exceeded:
            made = read_columns(frame, schema), schema.names("cluster")
            left_out = leave_out(TTests(*made, groups.labels, groups.titles), groups)
            stable = assess(first, Protocol())
            colour = replace(checks, stability=stable, tests=left_out).light.colour
    yield "green", colour == "green"
    yield "more than all references", exceeded


def means(shape: str, sizes: tuple[int, int], seed: int) -> Outcomes:
    return intervals.equal_means(shape, np.random.default_rng([seed, *sizes]), sizes)


def misses(name: str, sizes: tuple[int, int], seed: int) -> Outcomes:
    random = np.random.default_rng([0, *sizes, seed])
    yield "", intervals.intervals()[name](random, sizes)


def parts() -> dict[str, tuple[Callable[[int], Outcomes], int]]:
    """What there is to measure: how one seed is, and the number of seeds."""
    every: dict[str, tuple[Callable[[int], Outcomes], int]] = {"tests": (tests, 2_000)}
    for design in designs.WITHOUT:
        draw = partial(designs.without_groups, design)
        every[f"chance, {design}"] = partial(more_than_chance, draw), 40
    every["blocks"] = a_block, 20
    every["chance, three groups 1.5 SD apart"] = partial(more_than_chance, designs.three_groups), 20
    every["chance, places 30 SD apart"] = partial(more_than_chance, designs.three_places), 20
    for title, (*_, n) in (designs.GRADIENTS | designs.CLASSES).items():
        every[f"light, {title}"] = partial(light, title), n
    every["light, the cohort"] = partial(light, "the cohort"), 1
    for shape in intervals.SHAPES:
        for a, b in intervals.SMALL:
            every[f"means, {shape}, {a} and {b}"] = partial(means, shape, (a, b)), 1_000
    for name in intervals.intervals():
        for a, b in intervals.SIZES:
            every[f"intervals, {name}, {a} and {b}"] = partial(misses, name, (a, b)), 1_000
    return every


def tally(trial: Callable[[int], Outcomes], n: int) -> dict[str, list[int]]:
    """Of every line, over n seeds: how often there was something to say, nothing, and it was so."""
    counts: dict[str, list[int]] = {}
    for seed in range(n):
        for line, came in trial(seed):
            count = counts.setdefault(line, [0, 0, 0])
            count[came is None] += 1
            count[2] += bool(came)
    return counts


def as_table(saved: dict[str, dict[str, list[int]]]) -> pd.DataFrame:
    """Rates in percent, with the 95 % interval of each."""
    rows = []
    for part, counts in saved.items():
        for line, (n, n_none, came) in counts.items():
            if n:
                low, high = stats.binomtest(came, n).proportion_ci(method="wilson")
                rates = 100 * came / n, 100 * low, 100 * high
                rows.append((part, line, n, 100 * n_none / (n + n_none), *rates))
    columns = ["part", "line", "n", "without %", "came true %", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def main() -> None:
    """Measure what is not yet known, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--known", type=Path, default=Path("error_rates.json"))
    parser.add_argument("--share", type=float, default=1.0, help="of the seeds")
    args = parser.parse_args()
    saved = json.loads(args.known.read_text()) if args.known.exists() else {}
    for name, (trial, n) in parts().items():
        if name not in saved and (not args.parts or name.startswith(tuple(args.parts))):
            saved[name] = tally(trial, max(round(args.share * n), 1))
            args.known.write_text(json.dumps(saved, indent=1))
    print(as_table(saved).round(1).to_string(index=False))


if __name__ == "__main__":
    main()
