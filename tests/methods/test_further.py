"""Laws over the records of the methods that stand beside the five."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from core.methods import METHODS
from core.methods.further import FURTHER
from core.methods.settings import Settings

OTHERS = Settings(7.0, 9.0, 5, 4, False, 2, 11)


def test_no_name_or_title_stands_twice():
    assert not {*FURTHER} & {*METHODS}
    titles = [method.title for method in (*METHODS.values(), *FURTHER.values())]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("method", FURTHER.values(), ids=FURTHER)
def test_a_record_names_the_settings_that_its_arguments_depend_on(method):
    starts = (Settings(), OTHERS)
    touching = {
        setting.name
        for setting in fields(Settings)
        for start in starts
        for other in starts
        if method.arguments(start, 100)
        != method.arguments(replace(start, **{setting.name: getattr(other, setting.name)}), 100)
    }
    assert touching == {*method.reads}
    given = method.arguments(OTHERS, 100)
    assert given.items() <= method.estimator(**given).get_params().items()


@pytest.mark.parametrize("method", FURTHER.values(), ids=FURTHER)
def test_its_shortest_fit_is_remarked_on_and_explained(method):
    table = np.random.default_rng(0).normal(size=(24, 3))
    table[12:] += 6.0
    model = method.estimator(**method.quick).fit(table)
    assert model.n_clusters_ >= 1
    assert method.remark(model)
    assert method.explanation(model).endswith(".")
    assert model.result_.algorithm == method.name
