"""Tables of one population, of gradients and of classes, each drawn from its number alone.

They are drawn as an export would hold them: the page reads what the columns are. Of those that
chance is judged by, numbers below ``OTHERS`` were looked at while its rule was made; those from
there on decide.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

Random = np.random.Generator
#: Cells of n rows, (n, M).
Cells = Callable[[int, Random], np.ndarray | pd.DataFrame]
#: Rows of chance's tables in turn, and from which number on they decide.
SIZES, OTHERS = (100, 300, 1_000), 1_000
#: Columns of chance's tables, and items of a battery or columns of the light's.
COLUMNS, ITEMS = 6, 8


def as_read(cells: np.ndarray | pd.DataFrame) -> pd.DataFrame:
    """Four decimals, under names."""
    return (
        cells if isinstance(cells, pd.DataFrame) else pd.DataFrame(cells.round(4)).add_prefix("q")
    )


def factor(n: int, random: Random, columns: int = COLUMNS) -> np.ndarray:
    """One Gaussian factor behind all columns, of variance 1."""
    loads = random.uniform(0.5, 0.9, columns)
    return random.normal(size=(n, 1)) * loads + np.sqrt(1 - loads**2) * random.normal(
        size=(n, columns)
    )


def heavy(n: int, random: Random) -> np.ndarray:
    """Student's t of 3 degrees: each cell its own spread, or one spread a row."""
    if random.integers(2):
        return random.standard_t(3, (n, COLUMNS))
    return random.normal(size=(n, COLUMNS)) / np.sqrt(random.chisquare(3, (n, 1)) / 3)


def with_factor(n: int, random: Random, columns: int) -> np.ndarray:
    """One factor in half of the tables."""
    if random.integers(2):
        return factor(n, random, columns)
    return random.normal(size=(n, columns))


def likert(n: int, random: Random) -> np.ndarray:
    """Items from 1 to 5 of one trait, each with its own easiness."""
    cells = factor(n, random, ITEMS) + random.normal(0.0, 0.5, ITEMS)
    return np.digitize(cells, [-1.2, -0.4, 0.4, 1.2]) + 1


def counts(n: int, random: Random, columns: int = COLUMNS) -> np.ndarray:
    """Skewed counts whose rates rise with one severity."""
    rates = np.exp(random.uniform(0.0, 1.0, columns) + 0.7 * random.normal(size=(n, 1)))
    return random.poisson(rates)


def mixed(n: int, random: Random) -> pd.DataFrame:
    """Columns of every kind, a tenth of the cells missing."""
    cells = with_factor(n, random, 9)
    table = pd.DataFrame(
        {
            "weight": np.round(70.0 + 12.0 * cells[:, 0], 1),
            "pressure": np.round(120.0 + 15.0 * cells[:, 1]),
            "protein": np.round(np.exp(1.0 + 0.8 * cells[:, 2]), 2),
            "visits": random.poisson(np.exp(0.5 + 0.5 * cells[:, 3])),
            "falls": random.poisson(np.exp(0.2 * cells[:, 4])),
            "smoker": np.where(cells[:, 5] > 0.5, "yes", "no"),
            "diabetes": np.where(cells[:, 6] > 1.0, "yes", "no"),
            "blood": random.choice(list("ABO"), n, p=[0.45, 0.15, 0.4]),
            "pain": np.digitize(cells[:, 7], [-1.0, -0.3, 0.3, 1.0]),
        }
    )
    return table.mask(random.random(table.shape) < 0.1)


WITHOUT: dict[str, Cells] = {
    "normal": lambda n, random: random.normal(size=(n, COLUMNS)),
    "one factor": factor,
    "t(3)": heavy,
    "uniform": lambda n, random: random.uniform(size=(n, COLUMNS)),
    "rounded": lambda n, random: np.rint(60.0 + 2.0 * with_factor(n, random, COLUMNS)),
    "Likert battery": likert,
    "skewed counts": counts,
    "mixed, 10 % missing": mixed,
}


def without_groups(design: str, number: int) -> pd.DataFrame:
    random = np.random.default_rng([52, list(WITHOUT).index(design), number])
    return as_read(WITHOUT[design](SIZES[number % len(SIZES)], random))


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


def crossed(n: int, random: Random, columns: int = COLUMNS) -> np.ndarray:
    """Three groups, each high by 1.5 SD in another third of the columns."""
    group = random.integers(3, size=n)
    high = 1.5 * (group[:, None] == np.arange(columns) % 3)
    return high + random.normal(size=high.shape)


def three_groups(number: int, n: int = 300) -> pd.DataFrame:
    return as_read(crossed(n, np.random.default_rng([53, number])))


def three_places(number: int) -> pd.DataFrame:
    """Places 30 SD apart on one column of six, which are all that there is."""
    random = np.random.default_rng([54, number])
    n = SIZES[number % len(SIZES)]
    cells = random.normal(size=(n, COLUMNS))
    cells[:, 2] += 30.0 * random.choice(3, n, p=[0.6, 0.3, 0.1])
    return as_read(cells)


def t_cloud(n: int, random: Random) -> np.ndarray:
    """Multivariate t of 3 degrees, one spread a row; every second table with a common factor."""
    load = 0.6 * random.integers(2)
    cloud = load * random.normal(size=(n, 1)) + random.normal(size=(n, ITEMS))
    return cloud * np.sqrt(3.0 / random.chisquare(3.0, size=(n, 1)))


def skewed_factor(n: int, random: Random) -> np.ndarray:
    """One factor of a gamma distribution (skewness 2), rising or falling."""
    loadings = random.uniform(0.4, 1.2, ITEMS) * random.choice([-1.0, 1.0], ITEMS)
    return np.outer(random.gamma(1.0, 1.0, n), loadings) + random.normal(size=(n, ITEMS))


def several_factors(n: int, random: Random) -> np.ndarray:
    """Three skewed factors, each column on one mostly and a little on the others."""
    factors = random.gamma(2.0, 1.0, (n, 3)) / np.sqrt(2.0)
    loadings = np.where(np.arange(ITEMS) % 3 == np.arange(3)[:, None], 1.0, 0.3)
    return factors @ loadings + random.normal(0.0, 0.7, (n, ITEMS))


def ageing(n: int, random: Random) -> np.ndarray:
    """What changes with age: it grows until maturity, peaks in between, or fails late."""
    age, turn = random.uniform(0.0, 1.0, (n, 1)), random.uniform(0.2, 0.7, ITEMS)
    grows, peaks = np.minimum(age / turn, 1.0), 1.0 - np.abs(age - turn) * 2.0
    fails = np.minimum(turn - age, 0.0) / (1.0 - turn)
    course = np.choose(np.arange(ITEMS) % 3, [grows, peaks, fails])
    return 3.0 * course + random.normal(size=(n, ITEMS)) * (0.5 + 0.5 * age)


def following(means: Callable[[int, Random], np.ndarray]) -> Cells:
    """Fourteen mixed columns that follow latent means (n, 14) in their own ways."""

    def cells(n: int, random: Random) -> pd.DataFrame:
        mean = means(n, random)
        chance = 1 / (1 + np.exp(-mean))
        parts = {
            "measured": mean[:, :6] + random.normal(size=(n, 6)),
            "rated": random.binomial(4, chance[:, 6:10]),
            "had": random.binomial(1, chance[:, 10:12]),
            "counted": random.poisson(np.exp(0.5 + 0.4 * mean[:, 12:])),
        }
        named = [pd.DataFrame(part).add_prefix(name) for name, part in parts.items()]
        return pd.concat(named, axis=1)

    return cells


def _severity(draw: Callable[[int, Random], np.ndarray]) -> Cells:
    return following(lambda n, random: np.outer(draw(n, random), random.uniform(0.5, 1.5, 14)))


def _bending(n: int, random: Random) -> np.ndarray:
    """A course along which half of the columns rise and the others rise and fall."""
    at = random.uniform(-1.5, 1.5, n)
    return np.column_stack([1.3 * at, 1.3 * (at**2 - 0.75)])[:, np.arange(14) % 2]


def _crossing(reach: float) -> Cells:
    """Three classes, each high in another third of the columns."""

    def means(n: int, random: Random) -> np.ndarray:
        group = random.integers(3, size=n)
        return np.where(group[:, None] == np.arange(14) % 3, reach, -reach)

    return following(means)


def _separated(n: int, random: Random) -> np.ndarray:
    """Two classes that do not cross, 2.5 SD apart in every column."""
    return np.repeat(2.5 * random.integers(2, size=n)[:, None] - 1.25, 14, axis=1)


#: By title: cells, numbers of rows in turn, and number of tables; those without classes first.
GRADIENTS: dict[str, tuple[Cells, tuple[int, ...], int]] = {
    "t cloud": (t_cloud, (300, 400), 20),
    "one skewed factor": (skewed_factor, (300, 400), 20),
    "several factors": (several_factors, (300, 400), 20),
    "ageing": (ageing, (300, 400), 20),
    "Likert battery": (likert, (300, 400), 20),
    "skewed counts": (lambda n, random: counts(n, random, ITEMS), (300, 400), 20),
    "exponential severity": (_severity(lambda n, r: r.exponential(size=n) - 1.0), (240, 400), 40),
    "Gaussian severity": (_severity(lambda n, r: r.normal(size=n)), (240,), 20),
    "bending course": (following(_bending), (240,), 10),
}
CLASSES: dict[str, tuple[Cells, tuple[int, ...], int]] = {
    "three groups": (lambda n, random: crossed(n, random, ITEMS), (400,), 20),
    "three crossing classes, 1 SD": (_crossing(1.0), (240,), 8),
    "three crossing classes, .6 SD": (_crossing(0.6), (240,), 8),
    "two separated classes": (following(_separated), (240,), 8),
}


def of_light(title: str, number: int) -> pd.DataFrame:
    cells, sizes, _ = (GRADIENTS | CLASSES)[title]
    return as_read(cells(sizes[number % len(sizes)], np.random.default_rng([31, number])))
