"""Laws over the records of the methods that stand beside the five."""

from __future__ import annotations

import numpy as np
import pytest

from core import Agglomerative
from core.methods import METHODS
from core.methods.further import FURTHER
from core.methods.settings import Settings


def test_no_name_or_title_stands_twice():
    assert not {*FURTHER} & {*METHODS}
    titles = [method.title for method in (*METHODS.values(), *FURTHER.values())]
    assert len(set(titles)) == len(titles)


OPTIONS = [(method, option) for method in FURTHER.values() for option in method.options]


@pytest.mark.parametrize(
    ("method", "option"), OPTIONS, ids=[f"{m.name}.{o.name}" for m, o in OPTIONS]
)
def test_what_a_method_alone_is_told_is_an_argument_with_its_own_default(method, option):
    stands = method.estimator(**method.told(Settings(), 100)).get_params()[option.name]
    assert stands == option.default
    for choice in option.choices:
        assert option.read(choice) == option.read(f"{choice}") == choice
        told = Settings().telling(method.name, option.name, choice)
        assert method.told(told, 100)[option.name] == choice
        assert told.telling(method.name, option.name, None) == Settings()
    for wrong in ("sine", float("nan"), True):
        with pytest.raises(ValueError, match="is no "):
            option.read(wrong)


def test_only_what_is_told_changes_a_fit():
    table = np.random.default_rng(0).normal(size=(40, 2))
    told = Settings(n_clusters=4).telling("Agglomerative", "linkage", "ward")
    assert FURTHER["HDBSCAN"].told(told, 80) == FURTHER["HDBSCAN"].told(Settings(), 80)
    model = Agglomerative(**FURTHER["Agglomerative"].told(told, 80)).fit(table)
    assert np.array_equal(model.labels_, Agglomerative(4, "ward").fit(table).labels_)
    assert "ward" in FURTHER["Agglomerative"].explanation(model)


@pytest.mark.parametrize("method", FURTHER.values(), ids=FURTHER)
def test_its_shortest_fit_is_remarked_on_and_explained(method):
    table = np.random.default_rng(0).normal(size=(24, 3))
    table[12:] += 6.0
    model = method.estimator(**method.quick).fit(table)
    assert model.n_clusters_ >= 1
    assert method.remark(model)
    assert method.explanation(model).endswith(".")
    assert model.result_.algorithm == method.name
