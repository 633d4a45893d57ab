"""MAP-DP as it was published, under every prior scale."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.published import by_prior_scale, published_mapdp
from tests.classroom import fitted, room


def test_the_run_of_lowest_e_is_taken_and_need_not_find_the_truth():
    here = room("5.1", 2000, Settings(3.0, 6.56, 3, 3, bic=False))
    data = here.encoded, here.schema
    model = published_mapdp(*data, 3.0)
    table = by_prior_scale(*data, model, here.truth.classes)
    assert table["is_chosen"].sum() == 1
    chosen = table[table["is_chosen"]].iloc[0]
    assert chosen["objective"] == table["objective"].min() == model.objective_
    assert chosen["n_clusters"] == model.n_clusters_ > 3
    # The search of the panels, under the same model, finds the three.
    own = fitted(here).get(here.tasks["MAPDP"])
    assert own.n_clusters_ == 3
    assert nmi(here.truth.classes, own.labels_) > nmi(here.truth.classes, model.labels_) + 0.2


def test_it_takes_the_rows_in_their_order():
    here = room("5.4", 300, Settings(3.0, 4.0, 3, 3, bic=False))
    labels = [published_mapdp(here.encoded, here.schema, 3.0).labels_ for _ in range(2)]
    np.testing.assert_array_equal(*labels)
