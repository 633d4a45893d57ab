"""Hostile tables for whole pipelines, by kinds, and the choices that a visitor makes about them."""

import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from mapdp_studio.core import SchemaError
from mapdp_studio.core.exports.tables import as_parquet
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.methods import Method
from mapdp_studio.core.methods.settings import K_MAX, Settings
from mapdp_studio.core.schema.spec import ROLES
from mapdp_studio.core.session.work import Work
from tests.hostile_inputs import Random, one_of
from tests.random_steps import random_frame

COLUMN_FAMILIES = [name for name, family in FAMILIES.items() if not family.is_block]
BLOCK_FAMILIES = [name for name, family in FAMILIES.items() if family.is_block]
SIZES = (0.0, 1e-320, 1e-160, 1e-30, 1.0, 1e8, 2.0**53, 1e30, 1e150, 1e200, 1e308)
#: Of a table of any shape.
MOST_CELLS, MOST_COLUMNS = 4_000, 200


def _groups(random: Random, n: int) -> np.ndarray:
    return random.integers(int(random.integers(1, 5)), size=n)


def _numbers(random: Random, n: int, m: int = 0) -> pd.DataFrame:
    """Columns of amounts in a few groups, two to five of them unless their number is given."""
    group, m = _groups(random, n), m or int(random.integers(2, 6))
    values = random.normal(size=(n, m)) + 5.0 * random.normal(size=(5, m))[group]
    return pd.DataFrame(values.round(3)).add_prefix("x")


def _mixed(random: Random, n: int) -> pd.DataFrame:
    frame = random_frame(random, max(n, 9))
    return frame[random.permutation(frame.columns.to_numpy(object))[: random.integers(2, 8)]]


def _sizes(random: Random, n: int) -> pd.DataFrame:
    """Tables of any shape, and numbers of any size, near the ends of floating point too.

    One number that cannot be squared refuses a table whole: most tables have none.
    """
    cells, rows = random.uniform(0.0, np.log(MOST_CELLS)), random.beta(2.0, 1.0)
    n = int(np.exp(rows * cells))  # none to thousands, of as few cells as many
    m, n = min(int(np.exp(cells) / n), MOST_COLUMNS), 0 if random.random() < 0.05 else n
    frame = _numbers(random, n, m)
    sizes = SIZES[: random.choice([8, 9, len(SIZES)], p=[0.7, 0.2, 0.1])]
    for name in frame.columns[random.random(m) < random.random()]:
        scale = random.choice(sizes, None if random.random() < 0.6 else n)
        with np.errstate(over="ignore"):
            frame[name] = frame[name] * scale + random.choice([0.0, 1.0, 1e9])
    return frame


def _sites(random: Random, n: int) -> pd.DataFrame:
    sites = random.integers(int(random.integers(1, 5)), size=n)
    return _numbers(random, n).assign(
        site=np.array(list("abcd"))[sites], weight=random.choice([0, 0.5, 1, 3, 1e6], n)
    )


TABLES: dict[str, Callable[[Random, int], pd.DataFrame]] = {
    "numbers": _numbers,
    "mixed": _mixed,
    "tiny": lambda random, n: _numbers(random, int(random.integers(2, 6))),
    "sizes": _sizes,
    "sites": _sites,
}


def table_of(kind: str, random: Random) -> bytes:
    """A file with a table of a kind, as CSV or Parquet."""
    frame = TABLES[kind](random, int(random.integers(6, 24)))
    if random.random() < 0.7:
        frame.to_csv(text := io.StringIO(), index=False)
        return text.getvalue().encode("utf-8", "replace")
    frame.columns = [f"{name}{'' if k == 0 else f' {k}'}" for k, name in enumerate(frame.columns)]
    return as_parquet(frame)


def settings_for(method: Method, random: Random) -> Settings:
    """Sliders anywhere within their bounds, and anything that the method alone is told."""

    def some(odd: object, usual: object) -> object:
        return odd if random.random() < 0.3 else usual

    start = Settings()
    settings = replace(
        start,
        concentration=some(float(np.exp(random.uniform(-13, 13))), start.concentration),
        penalty=some(float(np.exp(random.uniform(-20, 27))), None),
        n_clusters=int(random.integers(1, some(K_MAX, 5) + 1)),
        bic=bool(random.random() < 0.5),
        seed=int(random.integers(1000)),
        likelihood_power=one_of(random, (1.0, 1.0, 0.5, 0.1)),
    )
    for option in method.options:
        if random.random() < 0.4:
            told = one_of(random, option.choices or (0.0, 0.5, 3.0, 1e9))
            settings = settings.telling(method.name, option.name, told)
    return settings


def decide(work: Work, method: Method, random: Random) -> None:
    """Answer questions, change columns, join some: what does not fit is refused with a sentence."""
    for question in work.schema.questions[:2]:
        if question in work.schema.questions:  # an answer may settle another one
            work.answer(one_of(random, question.answers))
    names = list(work.schema)
    for name in random.permutation(np.array(names, dtype=object))[:2]:
        if random.random() < 0.4:
            work.change({name: {"family": one_of(random, COLUMN_FAMILIES)}})
        if random.random() < 0.25:
            work.change({name: {"role": one_of(random, ROLES)}})
    numbers = [name for name in names if work.schema[name].family == "normal"]
    if len(numbers) > 1 and random.random() < 0.25:
        work.join("block", numbers[:3], one_of(random, BLOCK_FAMILIES))
    if method.shares_clusters and random.random() < 0.9:
        work.change({"site" if "site" in names else one_of(random, names): {"role": "group"}})
    if any(not sentence for sentence in work.refused.values()):
        raise SchemaError("")
