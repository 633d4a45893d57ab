"""What the groups differ in, beside the paper's tables 3 and 4."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.groups import Distinctions
from mapdp_studio.demo_datasets.cohort_columns import cohort_columns
from tests.clinical.run_study import study_of


@pytest.mark.parametrize("family", ["bernoulli", "binomial"])
def test_tables_3_and_4_lie_within_sampling_error_of_the_published_values(cohort, family):
    """The published columns come first in the cohort; their rates are those printed in R16."""
    seen, labels = cohort["seen"], cohort["groups"].labels
    table = seen.yes if family == "bernoulli" else seen.scores
    published = [column for column in cohort_columns()[:12] if column.family == family]
    assert len(published) == (3 if family == "bernoulli" else 9)
    for column in published:
        observed = cohort["frame"][column.name].notna().to_numpy()
        trials = column.trials or 1
        for group in range(4):
            rate = column.rates[group]
            n = (observed & (labels == group)).sum()
            spread = trials * np.sqrt(rate * (1 - rate) / (n * trials))
            found = table.loc[column.name, group]
            assert abs(found - column.offset - trials * rate) < 3.5 * spread + 1.0 / n


def test_a_table_names_what_counts_as_yes_where_the_column_does_not():
    random, group = np.random.default_rng(2), np.repeat([0, 1], 30)
    frame = pd.DataFrame(
        {
            "sex": np.where(random.random(60) < 0.3, "m", "f"),
            "tremor": np.where(random.random(60) < 0.2 + 0.6 * group, "yes", "no"),
            "walk": random.normal(60.0 - 30.0 * group, 2.0),
        }
    )
    seen = Distinctions(study_of(frame, infer_schema(frame), restarts=1)[1])
    table = seen.printed(seen.yes).set_index("Column")
    assert table["Yes is"].to_dict() == {"tremor": "yes", "sex": "m"}
