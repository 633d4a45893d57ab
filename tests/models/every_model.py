"""The lowest E of all groups and models, of tables so small that all can be tried.

Every partition is tried with every likelihood of each column and every set of blocks, under the
priors as suggested or those that any partition gives, as an alternation may keep old ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from mapdp_studio.core import MAPDP, ColumnSpec, Schema, choose_model
from mapdp_studio.core.engine.columns import default_priors
from mapdp_studio.core.families import GaussianPrior, Prior
from mapdp_studio.core.models.choice.choose import ModelChoice
from mapdp_studio.core.models.choice.model import Ground, Model, best_model, set_costs, suggested
from mapdp_studio.core.models.priors import SCALES
from tests.reference import partition_objective, set_partitions

#: How near to the lowest E a table is to end, in nats.
NEAR = 1e-6
#: N_0 of the tables, in turn.
CONCENTRATIONS = (0.2, 0.2, 1.0, 1.0, 3.0, 3.0)
#: Columns with the candidate that each is: one alone, or a block.
Part = tuple[tuple[str, int], ...]
#: In place of a candidate: the first, under the prior of the schema as suggested.
USUAL = -1


def tiny_table(seed: int, n: int, n_missing: int = 0) -> tuple[pd.DataFrame, Schema]:
    """Two measurements, missing in some rows, and a count or a rating, in one or two groups."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n) * random.integers(2)
    shared = random.normal(size=n) * random.choice([0.0, 1.0, 3.0])
    logs = np.column_stack([shared, shared]) + 0.3 * random.normal(size=(n, 2))
    logs[:, 0] += random.uniform(0.0, 3.0) * group
    sizes = np.exp(logs) if random.random() < 0.5 else 10.0 + 2.0 * logs
    frame = pd.DataFrame(np.round(np.maximum(sizes, 0.01), 2), columns=["length", "weight"])
    frame.iloc[:n_missing] = np.nan
    if random.random() < 0.5:
        frame["visits"] = random.poisson(np.where(group, 9.0, 3.0))
        third = ColumnSpec("visits", "poisson")
    else:
        frame["rating"] = 1 + random.binomial(4, np.where(group, 0.8, 0.4))
        third = ColumnSpec("rating", "binomial", trials=4, offset=1)
    return frame, Schema([ColumnSpec("length", "normal"), ColumnSpec("weight", "normal"), third])


@dataclass(frozen=True)
class Everything:
    """E of every partition of a table and every model."""

    ground: Ground
    concentration: float
    #: Priors of the schema as suggested, which any column may keep.
    usual: Mapping[str, Prior]
    #: Of cells in every set of rows: the same under every prior of a family.
    statistics: dict[tuple[type, int, bytes], Any] = field(default_factory=dict)

    @cached_property
    def partitions(self) -> np.ndarray:
        """Labels of every partition, (P, N)."""
        return np.array(list(set_partitions(self.ground.n_rows)))

    @cached_property
    def of_groups(self) -> np.ndarray:
        """-ln p of every partition itself, (P,)."""
        return np.array(
            [partition_objective([], labels, self.concentration) for labels in self.partitions]
        )

    def cells(self, prior: Prior, values: np.ndarray) -> np.ndarray:
        """-ln p of a unit's cells in every partition, (P,); of each set of rows looked up once."""
        n, key = len(values), (type(prior), prior.size, values.tobytes())
        has = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1  # of a set by its bits, each row
        if key not in self.statistics:
            of, rows = np.nonzero(has)
            self.statistics[key] = prior.statistic(values[rows], of, len(has))
        inside = prior.log_marginal_of(self.statistics[key])
        each = self.partitions[:, :, None] == np.arange(n)  # (P, N, K)
        sets = (each * (1 << np.arange(n))[:, None]).sum(axis=1)
        return -np.where(sets > 0, inside[sets], 0.0).sum(axis=1)

    @cached_property
    def parts(self) -> Mapping[Part, np.ndarray]:
        """What every part adds to E, (P, P): groups, and groups that its prior is from."""
        columns = [dict(self._under(labels)) for labels in self.partitions]
        return {part: np.column_stack([of[part] for of in columns]) for part in columns[0]}

    def _under(self, labels: np.ndarray) -> Iterator[tuple[Part, np.ndarray]]:
        """What every part adds to E in every partition, under its prior given these groups."""
        fitted = self.ground.fitted(labels)
        for name, candidates in self.ground.candidates.items():
            for at, (pick, fit) in enumerate(zip(candidates, fitted[name], strict=True)):
                paid = fit.price + pick.total_jacobian
                yield ((name, at),), self.cells(fit.prior, pick.values) + paid
            prior, _, paid = candidates[0].given(labels, self.usual[name])
            paid += candidates[0].total_jacobian
            yield ((name, USUAL),), self.cells(prior, candidates[0].values) + paid
        (costs,) = set_costs(self.ground, labels, fitted)
        for size in range(2, len(self.ground.candidates) + 1):
            for readings in combinations(range(len(costs.readings)), size):
                part = tuple(costs.readings[r] for r in readings)
                if len(dict(part)) == size:
                    paid = costs.price(readings) + costs.jacobian[[*readings]].sum()
                    prior = GaussianPrior.of_pooled(costs.prior(readings))
                    yield part, self.cells(prior, self._values(part)) + paid

    def _values(self, part: Part) -> np.ndarray:
        return np.column_stack([self.ground.candidates[name][at].values for name, at in part])

    def models(self) -> Iterator[list[Part]]:
        """Every model: each column in one part."""
        names = list(self.ground.candidates)
        for labels in set_partitions(len(names)):
            sets = [
                {name for name, k in zip(names, labels, strict=True) if k == part}
                for part in range(max(labels) + 1)
            ]
            ways = [[part for part in self.parts if set(dict(part)) == of] for of in sets]
            yield from map(list, product(*ways))

    def of_model(self, parts: list[Part]) -> np.ndarray:
        """E of a model, (P, P): groups, and groups that its priors are from."""
        return self.of_groups[:, None] + sum(self.parts[part] for part in parts)

    @cached_property
    def lowest_of(self) -> np.ndarray:
        """The lowest E of all models, (P, P): groups, and groups that the priors are from."""
        lowest = np.full((len(self.partitions),) * 2, np.inf)
        for parts in self.models():
            np.minimum(lowest, self.of_model(parts), out=lowest)
        return lowest

    @cached_property
    def as_suggested(self) -> float:
        """The lowest E of the schema as it is under its default priors at every scale."""
        found = []
        for scale in SCALES:
            model = suggested(self.ground, default_priors(self.ground.encoded, scale))
            cells = sum(self.cells(model.priors[n], model.pick(n).values) for n in model.picks)
            jacobian = sum(model.pick(name).total_jacobian for name in model.picks)
            found.append(float((self.of_groups + cells).min()) + jacobian + model.price)
        return min(found)

    @property
    def lowest(self) -> float:
        """The lowest E where priors may also be those of other groups, as an alternation's are."""
        return min(float(self.lowest_of.min()), self.as_suggested)

    def best_given(self, p: int) -> tuple[Model, list[Part]]:
        """The model that `best_model` gives one partition, and its parts."""
        model = best_model(self.ground, self.partitions[p], suggested(self.ground))
        inside = {name for block in model.blocks for name in block}
        single = [((name, at),) for name, at in model.picks.items() if name not in inside]
        (panel,) = self.ground.panels
        places = {reading: r for r, reading in enumerate(panel)}
        blocks = [
            tuple(sorted(((name, model.picks[name]) for name in block), key=places.__getitem__))
            for block in model.blocks
        ]
        return model, single + blocks


def searched(seed: int, n: int, n_missing: int = 0) -> tuple[ModelChoice, Everything]:
    """What `choose_model` finds on one table, and all that there is."""
    frame, schema = tiny_table(seed, n, n_missing)
    concentration = CONCENTRATIONS[seed % len(CONCENTRATIONS)]
    found = choose_model(frame, schema, concentration=concentration)
    first = MAPDP(concentration, random_state=np.random.default_rng(0)).fit(frame, schema)
    ground = Ground.of(frame, schema)
    return found, Everything(ground, concentration, suggested(ground, first.prior_).priors)
