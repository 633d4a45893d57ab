"""Everything the studio offers to try, by key."""

from collections.abc import Mapping
from numbers import Integral
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..core.schema.infer import infer_schema
from ..core.schema.schema import ColumnSpec, Schema
from .generators import OF_LESSONS, SHAPES
from .parkinsonism import load_parkinsonism
from .scenarios import SCENARIOS
from .taught import Drawn, Taught

MIN_ROWS, MAX_ROWS = 30, 1_000_000
START_ROWS = 4000
#: Those that are examples on Data, too, by key.
EXAMPLES: Mapping[str, Drawn] = MappingProxyType({**SCENARIOS, SHAPES.key: SHAPES})
#: By key.
GENERATED: Mapping[str, Drawn] = MappingProxyType(
    {**EXAMPLES, **{drawn.key: drawn for drawn in OF_LESSONS}}
)


def load_scenario(
    key: str, n: int = START_ROWS, seed: int = 0, **knobs: float
) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw one of the six scenarios of R16 section 5, or another of ``GENERATED``.

    Parameters
    ----------
    key : str
        "5.1" to "5.6", "shapes", or what else ``GENERATED`` holds.
    n : int
        Rows, from 30 to 1,000,000; every cluster has its exact share of them.
    seed : int
        The same n, seed and knob give the same table.
    **knobs : float
        The scenario's own knob by name, such as ``radius_ratio=3.0``.

    Returns
    -------
    frame : DataFrame, shape (n, P)
        Columns "x" and "y", or those that the lesson is about; rows in random order.
    truth : ndarray of int64, shape (n,)
        Cluster of every row, in the order of ``GENERATED[key].names``.

    Raises
    ------
    ValueError
        An unknown scenario or knob, or a value out of range.

    Examples
    --------
    >>> frame, truth = load_scenario("5.3", n=304)
    >>> frame.shape, [int((truth == k).sum()) for k in range(5)]
    ((304, 2), [100, 100, 100, 2, 2])
    """
    if key not in GENERATED:
        raise ValueError(f"There is no scenario {key!r}; choose one of {', '.join(GENERATED)}.")
    value = GENERATED[key].turned(**knobs)
    whole = isinstance(n, Integral) and not isinstance(n, bool)
    if not whole or not MIN_ROWS <= n <= MAX_ROWS:
        raise ValueError(f"n must be a whole number from {MIN_ROWS} to {MAX_ROWS:,}, not {n!r}.")
    random = np.random.default_rng(seed)
    points, truth = GENERATED[key].draw(int(n), random, value)
    order = random.permutation(int(n))
    return GENERATED[key].frame(points[order], value), truth[order].astype(np.int64)


class Demo(NamedTuple):
    """One entry of the catalogue: drawn from a generator, simulated patients, or a real table."""

    title: str
    text: str


DEMOS: Mapping[str, Demo] = MappingProxyType(
    {
        **{
            key: Demo(f"Scenario {key}: {scenario.title}", scenario.text)
            for key, scenario in EXAMPLES.items()
        },
        "parkinsonism": Demo(
            "Simulated parkinsonism cohort",
            "527 made-up patients in five groups: 215 yes/no, rating, nominal and count columns "
            "with missing cells, and outcomes kept aside.",
        ),
        "wine": Demo("Wine", "178 Italian wines of three cultivars: 13 chemical measurements."),
        "iris": Demo(
            "Iris", "150 flowers of three species: length and width of sepals and petals."
        ),
        "breast cancer": Demo(
            "Breast cancer (Wisconsin, diagnostic)",
            "569 tumours, benign or malignant: 30 measurements of cell nuclei.",
        ),
    }
)


def load_demo(key: str) -> tuple[pd.DataFrame, Schema, str | None]:
    """Load an entry of ``DEMOS``: its table, schema, and the column with the known classes.

    The cohort has no such column.
    """
    if key not in DEMOS:
        raise ValueError(f"There is no demo {key!r}; choose one of {', '.join(DEMOS)}.")
    if key in GENERATED:
        return load_scenario_table(key)
    if key == "parkinsonism":
        frame, schema, _ = load_parkinsonism()
        return frame, schema, None
    from sklearn import datasets  # takes a second to import, and only these tables need it

    load, label = {
        "wine": (datasets.load_wine, "cultivar"),
        "iris": (datasets.load_iris, "species"),
        "breast cancer": (datasets.load_breast_cancer, "diagnosis"),
    }[key]
    bunch = load(as_frame=True)
    frame = bunch.data.assign(**{label: bunch.target_names[bunch.target]})
    return frame, infer_schema(frame, label=label), label


def load_scenario_table(
    key: str, n: int = START_ROWS, seed: int = 0, **knobs: float
) -> tuple[pd.DataFrame, Schema, str]:
    """As ``load_scenario``, with the truth as the label "truth", and a schema."""
    frame, truth = load_scenario(key, n, seed, **knobs)
    drawn = GENERATED[key]
    value = drawn.turned(**knobs)
    names, measured, specs = drawn.names(value), list(frame), drawn.specs(value)
    frame["truth"] = [names[group] for group in truth]
    columns = [ColumnSpec(name, **specs[name], reason=drawn.origin) for name in measured]
    reason = "The cluster each row was drawn from."
    columns.append(ColumnSpec("truth", "categorical", "label", reason, levels=names))
    schema = Schema(columns)
    if drawn.is_block:
        schema = schema.with_block(" and ".join(measured), columns=measured, family="gaussian")
    return frame, schema, "truth"


#: Of the wines, the two measurements that their lesson is about.
MEASUREMENTS = ("flavanoids", "color_intensity")
TAUGHT: Mapping[str, Taught] = MappingProxyType({**GENERATED, "wine": Taught.of("wine")})


def load_taught(key: str, **drawn: float) -> tuple[pd.DataFrame, Schema, str]:
    """A lesson's data, by a key of ``TAUGHT``; ``drawn`` are n, seed and knob of a scenario."""
    if key in GENERATED:
        return load_scenario_table(key, **drawn)
    frame, inferred, label = load_demo(key)
    frame = frame[[*MEASUREMENTS, label]]
    columns = [ColumnSpec(name, "normal", reason="Measured.") for name in MEASUREMENTS]
    schema = Schema([*columns, inferred[label]])
    block = {"columns": list(MEASUREMENTS), "family": "gaussian"}
    return frame, schema.with_block(" and ".join(MEASUREMENTS), **block), label
