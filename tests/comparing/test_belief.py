"""The sentence under the panels: which answer to take."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, infer_schema
from mapdp_studio.core.comparing.comparison import Results, tasks, which_to_take
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.settings import Settings

RANDOM = np.random.default_rng(0)
APART = pd.DataFrame(np.repeat([[0.0, 0.0], [30.0, 0.0], [0.0, 30.0]], 40, axis=0)).add(
    RANDOM.normal(size=(120, 2))
)
#: A narrow group beside a wide one, which K-means cuts.
UNLIKE = pd.DataFrame(
    np.vstack([RANDOM.normal(0.0, 8.0, (160, 2)), RANDOM.normal([14.0, 0.0], 0.3, (40, 2))])
)


def judged(frame: pd.DataFrame, names: tuple[str, ...]) -> tuple[Results, dict]:
    frame = frame.set_axis(["x", "y"], axis=1)
    schema, results = infer_schema(frame), Results()
    wanted = tasks("digest", schema, Settings(), len(frame), names)
    for task in wanted.values():
        results.fit(task, frame, schema)
    return results, wanted


def test_of_methods_that_agree_any_can_be_taken():
    said = which_to_take(*judged(APART, ("KMeansBIC", "MixtureEM")))
    assert said.startswith("**It matters little which you take**")


def test_the_most_probable_partition_is_taken_and_it_is_said_whose_model_judges():
    results, wanted = judged(UNLIKE, ("KMeansBIC",))
    said = which_to_take(results, wanted)
    assert said.startswith("**Take MAP-DP's**")
    assert "which is MAP-DP's own" in said
    assert METHODS["KMeansBIC"].title in said
    assert "furthest" not in said
    assert "said on **Clusters**" in said
    known = which_to_take(results, wanted, "As chance makes.")
    assert "As chance makes." in known
    assert "said on **Clusters**" not in known


def test_a_partition_more_probable_than_mapdp_s_own_is_taken():
    results, wanted = judged(APART, ("KMeansBIC",))
    judge = results.get(wanted[JUDGE])
    together = Partition(judge.columns_, judge.concentration, np.zeros(120, dtype=np.int64))
    poor = Results()
    poor.keep(wanted[JUDGE], MAPDP(prior=list(judge.prior_)).adopt(together, None))
    poor.keep(wanted["KMeansBIC"], results.get(wanted["KMeansBIC"]))
    assert which_to_take(poor, wanted).startswith("**Take K-means")


@pytest.mark.parametrize("names", [(), ("KMeansBIC",)])
def test_one_answer_is_not_compared(names):
    results, wanted = judged(APART, names)
    alone = Results()
    alone.keep(wanted[JUDGE], results.get(wanted[JUDGE]))
    assert which_to_take(alone, wanted) == ""
