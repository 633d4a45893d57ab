"""Tables whose columns tell several independent groupings of the same rows."""

import numpy as np
import pandas as pd

from mapdp_studio.core.schema.encoded import Encoded, Unit

KINDS = ("normal", "bernoulli", "categorical", "poisson")
LEVELS = {
    "bernoulli": {"levels": ("no", "yes")},
    "categorical": {"levels": ("a", "b", "c", "d")},
}


def three_groupings(
    seed: int,
    n: int = 300,
    widths: tuple[int, ...] = (8, 6, 6),
    n_noise: int = 6,
    missing: float = 0.1,
) -> tuple[Encoded, np.ndarray, list[np.ndarray]]:
    """Columns of four families that tell groupings into 3, 4 and 3, then columns of noise."""
    random = np.random.default_rng(seed)
    truths = [random.integers(3 + g % 2, size=n) for g in range(len(widths))]
    columns, units = [], []
    of_column = np.repeat(np.arange(len(widths) + 1), (*widths, n_noise))
    for j, g in enumerate(of_column):
        truth = truths[g] if g < len(widths) else np.zeros(n, dtype=int)
        kind = KINDS[j % len(KINDS)]
        columns.append(_cells(kind, truth, random))
        units.append(Unit(f"{kind} {j}", kind, (f"{kind} {j}",), LEVELS.get(kind, {})))
    values = np.column_stack(columns)
    values[random.random(values.shape) < missing] = np.nan
    return Encoded(np.ascontiguousarray(values), tuple(units)), of_column, truths


def as_written(encoded: Encoded) -> pd.DataFrame:
    """The table as somebody would hand it over: words for levels, nothing for a missing cell."""
    columns = {}
    for u, unit in enumerate(encoded.units):
        values = pd.Series(encoded.unit_values(u))
        levels = unit.options.get("levels")
        columns[unit.name] = values if levels is None else values.map(dict(enumerate(levels)))
    return pd.DataFrame(columns)


def _cells(kind: str, truth: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A column whose distribution differs from group to group."""
    k = truth.max() + 1
    place = random.permutation(k)  # which group is where, so that columns tell different pairs
    if kind == "normal":
        return 3.0 * place[truth] + random.normal(size=truth.size)
    if kind == "bernoulli":
        return (random.random(truth.size) < np.where(place % 2, 0.9, 0.1)[truth]).astype(float)
    if kind == "categorical":
        likely = random.random(truth.size) < 0.75
        return np.where(likely, place[truth], random.integers(4, size=truth.size)).astype(float)
    return random.poisson(np.array([1.0, 5.0, 12.0, 24.0])[place][truth]).astype(float)
