"""The model chosen with the groups, beside every partition and every model of tiny tables.

Every partition is tried with every likelihood of each column and every set of blocks, under the
priors as suggested or those that any partition gives, as an alternation may keep old ones.
"""

from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, ColumnSpec, Schema, choose_model
from mapdp_studio.core.engine.packed import default_priors
from mapdp_studio.core.families import GaussianPrior
from mapdp_studio.core.models.choice.choose import State
from mapdp_studio.core.models.choice.model import Dataset, best_model, suggested
from mapdp_studio.core.models.priors import SCALES
from tests.benchmarks.designs import independent_columns, without_groups
from tests.benchmarks.labelled import counted
from tests.reference import partition_objective, set_partitions

#: How near to the lowest E a table is to end, in nats.
NEAR = 1e-6
#: N_0 of the tables, in turn.
CONCENTRATIONS = (0.2, 0.2, 1.0, 1.0, 3.0, 3.0)
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
    """E of every partition of a table and every model.

    A part of a model is a frozenset of columns with the candidate that each is: one or a block.
    """

    data: Dataset
    concentration: float
    #: Priors of the schema as suggested, which any column may keep.
    usual: Any
    #: Of cells in every set of rows: the same under every prior of a family.
    statistics: dict = field(default_factory=dict)

    @cached_property
    def partitions(self):
        """Labels of every partition, (P, N)."""
        return np.array(list(set_partitions(self.data.n_rows)))

    @cached_property
    def of_groups(self):
        """-ln p of every partition itself, (P,)."""
        return np.array([partition_objective([], z, self.concentration) for z in self.partitions])

    def cells(self, prior, values):
        """-ln p of a unit's cells in every partition, (P,); of each set of rows looked up once."""
        n, key = len(values), (type(prior), prior.size, values.tobytes())
        if key not in self.statistics:
            has = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1  # of a set by its bits, each row
            of, rows = np.nonzero(has)
            self.statistics[key] = prior.statistic(values[rows], of, len(has))
        inside = prior.log_marginal_of(self.statistics[key])
        return -np.where(self.sets > 0, inside[self.sets], 0.0).sum(axis=1)

    @cached_property
    def sets(self):
        """Rows of every cluster of every partition as the bits of a number, (P, K)."""
        bits = np.arange(self.data.n_rows)
        return ((self.partitions[:, :, None] == bits) * (1 << bits)[:, None]).sum(axis=1)

    @cached_property
    def parts(self):
        """What every part adds to E, (P, P): groups, and groups that its prior is from."""
        columns = [dict(self._under(labels)) for labels in self.partitions]
        return {part: np.column_stack([of[part] for of in columns]) for part in columns[0]}

    def _under(self, labels):
        """What every part adds to E in every partition, under its prior given these groups."""
        (fitted, (costs,)), candidates = self.data.given(labels), self.data.candidates
        for name, of in candidates.items():
            fits = [*enumerate(fitted[name]), (USUAL, of[0].given(labels, self.usual[name]))]
            for at, (prior, _, paid) in fits:
                pick = of[max(at, 0)]
                paid += pick.total_jacobian
                yield frozenset([(name, at)]), self.cells(prior, pick.values) + paid
        for size in range(2, len(candidates) + 1):
            for readings in combinations(range(len(costs.readings)), size):
                part = [costs.readings[r] for r in readings]
                if len(dict(part)) == size:
                    paid = costs.price(readings) + costs.jacobian[[*readings]].sum()
                    prior = GaussianPrior.of_pooled(costs.prior(readings))
                    values = np.column_stack([candidates[name][at].values for name, at in part])
                    yield frozenset(part), self.cells(prior, values) + paid

    def of_model(self, parts):
        """E of a model, (P, P): groups, and groups that its priors are from."""
        return self.of_groups[:, None] + sum(self.parts[part] for part in parts)

    @cached_property
    def lowest_of(self):
        """The lowest E of all models, (P, P): groups, and groups that the priors are from."""
        lowest, names = np.full((len(self.partitions),) * 2, np.inf), [*self.data.candidates]
        for labels in set_partitions(len(names)):
            sets = [{names[j] for j in np.flatnonzero(np.equal(labels, k))} for k in {*labels}]
            ways = [[self.parts[part] for part in self.parts if {*dict(part)} == of] for of in sets]
            if all(ways):  # every set by the way that is best for it
                each = sum(np.minimum.reduce(of) for of in ways)
                np.minimum(lowest, self.of_groups[:, None] + each, out=lowest)
        return lowest

    @cached_property
    def as_suggested(self):
        """The lowest E of the schema as it is under its default priors at every scale."""
        found = []
        for scale in SCALES:
            model = suggested(self.data, default_priors(self.data.encoded, scale))
            cells = sum(self.cells(model.priors[n], model.pick(n).values) for n in model.picks)
            jacobian = sum(model.pick(name).total_jacobian for name in model.picks)
            found.append(float((self.of_groups + cells).min()) + jacobian + model.price)
        return min(found)


@cache
def searched(seed: int, n: int, n_missing: int = 0):
    """What `choose_model` finds on one table, and all that there is."""
    frame, schema = tiny_table(seed, n, n_missing)
    concentration = CONCENTRATIONS[seed % len(CONCENTRATIONS)]
    found = choose_model(frame, schema, concentration=concentration)
    first = MAPDP(concentration, random_state=np.random.default_rng(0)).fit(frame, schema)
    data = Dataset.of(frame, schema)
    return found, Everything(data, concentration, suggested(data, first.prior_).priors)


@pytest.mark.parametrize(
    ("seed", "n", "n_missing"),
    [*((seed, 5, 0) for seed in range(6)), *((seed, 6, 1) for seed in (1, 4, 10, 13))],
)
def test_no_e_is_below_the_lowest_of_all_and_that_is_reached(seed, n, n_missing):
    choice, everything = searched(seed, n, n_missing)
    lowest = min(float(everything.lowest_of.min()), everything.as_suggested)
    assert choice.objective == pytest.approx(lowest, rel=0, abs=NEAR)
    assert choice.suggested_objective >= everything.as_suggested - NEAR


@pytest.mark.parametrize(("seed", "n", "n_missing", "every"), [(2, 5, 0, 3), (4, 6, 1, 9)])
def test_e_of_groups_and_their_model_is_that_of_the_enumeration(seed, n, n_missing, every):
    _, everything = searched(seed, n, n_missing)
    data, n_blocks = everything.data, 0
    for p in range(0, len(everything.partitions), every):
        model = best_model(data, everything.partitions[p], suggested(data))
        sets = [
            *model.blocks,
            *((n,) for n in model.picks if not any(n in b for b in model.blocks)),
        ]
        parts = [frozenset((name, model.picks[name]) for name in of) for of in sets]
        state = State.of(model, everything.concentration, everything.partitions[p])
        assert state.objective == pytest.approx(everything.of_model(parts)[p, p], abs=1e-8)
        assert state.objective >= everything.lowest_of[p, p] - 1e-8
        n_blocks += len(model.blocks)
    assert n_blocks  # or the cost of a block was never compared


@pytest.mark.parametrize("design", ["normal", "one factor"])
def test_one_population_is_one_group(design):
    assert counted(choose_model(without_groups(design, 1)).model.labels_) == 1  # of 300 rows


def test_independent_columns_of_many_kinds_make_no_block():
    frame = independent_columns(0, 100)
    assert not choose_model(frame).schema.blocks
    twin = frame.assign(twin=frame["normal0"] + frame["normal1"].round())
    assert choose_model(twin).schema.blocks  # as one that depends on two others does
