"""How many groups are said where there is one population, and how many blocks where none belongs?

    python -m tests.benchmarks.one_population [--rows 1000] [--seeds 20]

Five designs of one population: independent normals, one factor behind six measurements, t of 4
degrees of freedom, uniforms, and eight ratings of one trait. MAP-DP under the suggested schema
stands beside the model chosen by E (`choose_model`), and what Clusters shows of that: one group
where shuffled columns gain as much, else the number shown first, and whether it says that this is
one gradient. K counts clusters of five rows and of 1 %. At last twenty tables of 20 independent
columns of mixed kinds and 300 rows, of which at most one column block is to be made in all. Half an
hour for 300 rows.
"""

import argparse

import numpy as np
import pandas as pd

from mapdp_studio.core import MAPDP, choose_model, infer_schema
from mapdp_studio.core.profiling.how_many import how_many
from mapdp_studio.core.statistics.chance import chance
from mapdp_studio.core.statistics.nulls import GroupSearch
from tests.benchmarks.designs import as_read
from tests.benchmarks.labelled import counted

#: Of 20 tables of each design, how many are to be one group under the chosen model.
AIMS = {"normal": 19, "factor": 18, "heavy": 14, "uniform": 19, "likert": 14}


def one_population(design: str, n: int, seed: int) -> pd.DataFrame:
    """A table of one population."""
    random = np.random.default_rng(1000 * seed + n)

    def factor() -> np.ndarray:
        trait, loads = random.normal(size=(n, 1)), random.uniform(0.5, 0.9, (1, 6))
        return trait @ loads + 0.6 * random.normal(size=(n, 6))

    def likert() -> np.ndarray:
        trait = 0.7 * random.normal(size=(n, 1))
        return np.digitize(trait + 0.7 * random.normal(size=(n, 8)), [-1.2, -0.4, 0.4, 1.2]) + 1

    draws = {
        "normal": lambda: random.normal(size=(n, 6)),
        "factor": factor,
        "heavy": lambda: random.standard_t(4, (n, 6)),
        "uniform": lambda: random.uniform(size=(n, 6)),
        "likert": likert,
    }
    return as_read(draws[design]())


def independent_columns(seed: int, n: int = 300) -> pd.DataFrame:
    """Four columns each of normals, log-normals, counts, ratings and categories."""
    random = np.random.default_rng(seed)
    draws = {
        "normal": lambda: np.round(random.normal(50.0, 10.0, n), 2),
        "skewed": lambda: np.round(random.lognormal(1.0, random.uniform(0.4, 0.9), n), 3),
        "count": lambda: random.poisson(random.uniform(1.0, 9.0), n),
        "rating": lambda: random.binomial(4, random.uniform(0.3, 0.7), n) + 1,
        "category": lambda: random.choice(list("abcd"), n, p=random.dirichlet([4.0] * 4)),
    }
    return pd.DataFrame({f"{kind}{i}": draw() for kind, draw in draws.items() for i in range(4)})


def group_counts(frame: pd.DataFrame) -> dict[str, int | str]:
    """K under the suggested schema, under the model chosen by E, and as Clusters shows it."""
    schema = infer_schema(frame)
    model = choose_model(frame, schema).model
    return {
        "as suggested": counted(MAPDP(random_state=0).fit(frame, schema).labels_),
        "chosen by E": counted(model.labels_),
        "shown": shown(model),
    }


def shown(model: MAPDP) -> int | str:
    """K of the groups that Clusters shows first, or that they are one gradient."""
    if counted(model.labels_) == 1:
        return 1
    found, many = chance(GroupSearch.of(model)), how_many(model)
    first = many.first(found)
    gradient = many.gradient(model.columns_.encoded, first, found)
    return "a gradient" if gradient else counted(many.path.labels_at(first))


def blocks_made(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """The columns of every block that the chosen model has."""
    return [block.columns for block in choose_model(frame).schema.blocks.values()]


def main() -> None:
    """Print one line for each design and method, then the blocks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=20)
    args = parser.parse_args()
    for design, aim in AIMS.items():
        tables = (one_population(design, args.rows, seed) for seed in range(args.seeds))
        for method, numbers in pd.DataFrame(map(group_counts, tables)).items():
            tally = ", ".join(f"K = {k}: {m}" for k, m in numbers.value_counts().items())
            one = f"one group in {(numbers == 1).sum()} of {args.seeds}"
            print(f"{design:8s} {method:13s} {one} (aim {aim} of 20)   {tally}", flush=True)
    made = {seed: blocks_made(independent_columns(seed)) for seed in range(20)}
    print(f"20 tables of independent columns: {sum(map(len, made.values()))} blocks (aim 1)")
    print(*(f"  table {seed}: {blocks}" for seed, blocks in made.items() if blocks), sep="\n")


if __name__ == "__main__":
    main()
