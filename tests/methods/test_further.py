"""Laws over the records of the methods that stand beside the five."""

from __future__ import annotations

import numpy as np
import pytest

from core.methods import METHODS
from core.methods.further import FURTHER


def test_no_name_or_title_stands_twice():
    assert not {*FURTHER} & {*METHODS}
    titles = [method.title for method in (*METHODS.values(), *FURTHER.values())]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("method", FURTHER.values(), ids=FURTHER)
def test_its_shortest_fit_is_remarked_on_and_explained(method):
    table = np.random.default_rng(0).normal(size=(24, 3))
    table[12:] += 6.0
    model = method.estimator(**method.quick).fit(table)
    assert model.n_clusters_ >= 1
    assert method.remark(model)
    assert method.explanation(model).endswith(".")
    assert model.result_.algorithm == method.name
