"""What columns tell by themselves: found where it was planted, and nothing of what fits."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core import ColumnSpec, Schema
from mapdp_studio.core.profiling.margins import margins, sentence

RANDOM = np.random.default_rng(0)
N = 400


def found_in(values, family: str, **options) -> list[tuple[str, bool, dict]]:
    frame = pd.DataFrame({"x": values, "other": RANDOM.normal(size=len(values))})
    schema = Schema([ColumnSpec("x", family, **options), ColumnSpec("other", "normal")])
    told = margins(frame, schema)
    return [(margin.text, margin.may_be_groups, dict(margin.change)) for margin in told]


def test_a_rating_wider_or_narrower_than_its_binomial_is_told():
    ((wide, by_groups, change),) = found_in(
        RANDOM.choice([0, 1, 9, 10], N), "binomial", trials=10, offset=0
    )
    assert "times as spread as a binomial" in wide
    assert by_groups
    assert change == {"family": "categorical"}
    ((narrow, by_groups, _),) = found_in(
        RANDOM.choice([4, 5, 6], N), "binomial", trials=10, offset=0
    )
    assert "closer together than a binomial" in narrow
    assert not by_groups
    assert found_in(RANDOM.binomial(10, 0.4, N), "binomial", trials=10, offset=0) == []


def test_a_count_that_is_no_poisson_is_told():
    ((wide, by_groups, change),) = found_in(RANDOM.geometric(0.2, N) - 1, "poisson")
    assert "as spread as a Poisson" in wide
    assert by_groups
    assert change == {"family": "geometric"}
    ((_, by_groups, _),) = found_in(RANDOM.choice([3, 4, 5], N), "poisson")
    assert not by_groups
    assert found_in(RANDOM.poisson(4, N), "poisson") == []
    assert found_in(RANDOM.geometric(0.2, N) - 1, "geometric") == []


def test_spikes_rounding_coarse_steps_and_tails_are_told():
    spiked = np.where(np.arange(N) < 80, 7.5, RANDOM.normal(10, 3, N))
    assert "20 % of its cells are 7.5" in found_in(spiked, "normal")[0][0]
    pressure = RANDOM.normal(130, 20, N).round()
    rounded = np.where(RANDOM.random(N) < 0.6, (pressure / 5).round() * 5, pressure)
    assert "end in 0 or 5" in found_in(rounded, "normal")[0][0]
    assert found_in(pressure, "normal") == []
    assert "coarse: only" in found_in(RANDOM.normal(0, 1.2, N).round(), "normal")[0][0]
    ((tail, _, change),) = found_in(np.exp(RANDOM.normal(size=N)), "normal")
    assert "long tail to the right" in tail
    assert change == {"transform": "log"}
    assert found_in(np.exp(RANDOM.normal(size=N)), "normal", transform="log") == []


def test_columns_that_say_the_same_are_told_and_outcomes_are_not_looked_at():
    age = RANDOM.normal(60, 10, N)
    frame = pd.DataFrame({"age": age, "months": 12 * age, "cost": np.exp(RANDOM.normal(size=N))})
    specs = [ColumnSpec(name, "normal") for name in ("age", "months")]
    told = margins(frame, Schema([*specs, ColumnSpec("cost", "normal", "validator")]))
    assert [(margin.column, margin.remedy) for margin in told] == [("months", "left out")]
    assert "months" in sentence(told)
