"""Random tables of every family, with missing cells and priors of general form."""

from dataclasses import replace

import numpy as np
import pandas as pd

from mapdp_studio.core import MAPDP
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.rows import Table
from mapdp_studio.core.families import FAMILIES, Prior
from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.core.schema.schema import Block, ColumnSpec, Schema
from tests.reference import lowest_partition

COLUMN_FAMILIES = [name for name, family in FAMILIES.items() if not family.is_block]
BLOCK_FAMILIES = [name for name, family in FAMILIES.items() if family.is_block]
#: Where a row has some cells of a block of this family, the engine fills the others.
FILLED = "gaussian"
#: The field of those whose priors know of which steps the values are multiples.
STEPS = {"normal": "step", "gaussian": "steps"}


def random_values(family: type[Prior], n: int, random: np.random.Generator, width: int = 3):
    """Values (n,) or (n, width) that the family can take, in two groups, and its options."""
    group = random.integers(2, size=n)
    if family.is_real:
        size = (n, width) if family.is_block else (n,)
        values = random.normal(size=size) + 3.0 * (group[:, None] if family.is_block else group)
        if family.is_block:
            values = values @ (np.eye(width) + random.normal(scale=0.4, size=(width, width)))
        return random.normal(scale=50.0) + np.exp(random.normal()) * values, {}
    if "trials" in family.prior_options:
        trials = int(random.integers(1, 7))
        return random.binomial(trials, 0.2 + 0.6 * group).astype(float), {"trials": trials}
    if "levels" in family.prior_options:
        size = 2 if family.name == "bernoulli" else int(random.integers(2, 6))
        codes = np.where(random.random(n) < 0.6, group, random.integers(size, size=n))
        return codes.astype(float), {"levels": tuple(range(size))}
    if not family.support.is_whole:
        return random.exponential(np.where(group, 8.0, 1.0)), {}
    least = float(family.support.is_open)
    return least + random.poisson(np.where(group, 7.0, 1.0)), {}


def random_prior(family: type[Prior], values, options: dict, random: np.random.Generator):
    """A prior that has seen two of the rows: none of its hyper-parameters is at its default."""
    prior = family.default_prior(values, float(random.choice([0.1, 0.3, 1.0])), **options)
    if family.name in STEPS and random.random() < 0.5:
        steps = random.uniform(0.1, 1.0) * values.std(axis=0)
        prior = replace(prior, **{STEPS[family.name]: steps})
    return prior.posterior(values[random.choice(len(values), min(2, len(values)), replace=False)])


def random_table(
    random: np.random.Generator,
    n: int,
    families: list[str],
    missing: float = 0.15,
    fill: bool = False,
) -> tuple[Encoded, tuple]:
    """A table with one unit of each named family, and its priors.

    Rows of a block whose missing cells the engine fills have all of its cells or none; ``fill``
    lets them have some.
    """
    units, priors, parts = [], [], []
    for u, name in enumerate(families):
        values, options = random_values(FAMILIES[name], n, random)
        priors.append(random_prior(FAMILIES[name], values, options, random))
        together = name == FILLED and not fill
        values[random.random(len(values) if together else values.shape) < missing] = np.nan
        width = values.shape[1] if values.ndim == 2 else 1
        columns = tuple(f"{name}{u}.{j}" for j in range(width))
        units.append(Unit(f"{name}{u}", name, columns, options))
        parts.append(values.reshape(n, width))
    return Encoded(np.ascontiguousarray(np.hstack(parts)), tuple(units)), tuple(priors)


def random_families(random: np.random.Generator, most: int = 4, blocks: float = 0.5) -> list[str]:
    """A few column families and, now and then, one block."""
    families = list(random.choice(COLUMN_FAMILIES, random.integers(1, most + 1)))
    if random.random() < blocks:
        families.append(str(random.choice(BLOCK_FAMILIES)))
    return [str(name) for name in families]


def plain_columns(packed: PackedTable, table: Table | None = None) -> list:
    """(family, prior, values) of every unit, as ``tests/reference.py`` takes them.

    ``table`` is a partition's own, with the cells it filled.
    """
    encoded = packed.encoded
    if table is not None:
        encoded = replace(encoded, values=packed.in_user_units(table))
    return [
        (unit.family, prior, encoded.unit_values(u))
        for u, (unit, prior) in enumerate(zip(encoded.units, packed.priors, strict=True))
    ]


def as_frame(encoded: Encoded) -> tuple[pd.DataFrame, Schema]:
    """The table as a user would hand it over."""
    specs, blocks = [], []
    for unit in encoded.units:
        if FAMILIES[unit.family].is_block:
            blocks.append(Block(unit.name, unit.family, unit.columns))
            specs += [ColumnSpec(name, "normal") for name in unit.columns]
        else:
            specs.append(ColumnSpec(unit.columns[0], unit.family, **unit.options))
    return pd.DataFrame(encoded.values, columns=encoded.names), Schema(specs, blocks)


def random_fit(seed, families=None, n=24, fill=True, **arguments):
    """A model of most rows of a random table, and the rows left out."""
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, n + 6, families or random_families(random), fill=fill)
    frame, schema = as_frame(encoded)
    arguments = {"prior": list(priors), "patience": 2, "random_state": seed} | arguments
    model = MAPDP(1.7, **arguments).fit(frame.iloc[:n], schema)
    return model, frame.iloc[n:], replace(encoded, values=encoded.values[n:])


def above_the_lowest(seed: int) -> float:
    """By how much E of a search lies above the lowest of all partitions of a random table."""
    random = np.random.default_rng(seed)
    families = [name for name in random_families(random) if name != FILLED] or ["poisson"]
    concentration = float(np.exp(random.uniform(-2, 2)))
    encoded, priors = random_table(random, 7, families, missing=float(random.choice([0, 0.2])))
    packed = plain_columns(PackedTable.pack(encoded, priors))
    model = MAPDP(concentration, prior=list(priors), random_state=0).fit(*as_frame(encoded))
    return model.objective_ - lowest_partition(packed, 7, concentration)
