"""First answers: those of the sample, drawn where its rows lie, and of the same model."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.comparing import first_look
from mapdp_studio.core.comparing.comparison import known_truth, tasks
from mapdp_studio.core.comparing.first_look import FirstLook, is_long
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import nmi
from tests.tables.four_groups import FRAME, GROUP, SCHEMA


@pytest.fixture(scope="module")
def look():
    """Of a third of the rows, every method fitted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_look, "MOST_ROWS", len(FRAME) // 3)
        frame = FRAME.assign(known=GROUP.astype(str))
        schema = SCHEMA
        completed = schema.completed(frame)
        encoded = completed.encode(frame)
        view = choose_view(encoded)
        look = FirstLook.of(frame, completed, encoded, view, known_truth(frame, schema))
    wanted = tasks("digest", schema, Settings(), len(frame))
    for name in METHODS.first:
        look.fit(name, wanted, lambda progress: None)
    return look, view, wanted


def test_a_first_look_is_a_fit_to_the_sample_marked_so(look):
    look, view, wanted = look
    n = len(FRAME) // 3
    rows = view.rows[look.places]
    for name, method in METHODS.first.items():
        panel = look.panel(name, view, wanted)
        assert panel.title.startswith(f"{method.title}, K = ")
        assert panel.remark == f"first look: {n} rows"
        assert panel.labels.shape == panel.codes.shape == (n,)
    model = look.results.get(look._task(wanted["MAPDP"]))
    assert model.labels_.size == n
    assert nmi(GROUP[rows], model.labels_) > 0.5
    codes = look.panel("MAPDP", view, wanted).codes
    np.testing.assert_array_equal(codes, model.labels_)
    gibbs = look.results.get(look._task(wanted["CollapsedGibbs"]))
    assert gibbs.columns_.priors == model.columns_.priors


def test_its_points_lie_where_they_will_stay(look):
    look, view, _ = look
    seen = look.view(view)
    np.testing.assert_array_equal(seen.points, view.points[look.places])
    np.testing.assert_array_equal(seen.rows, view.rows[look.places])


def test_nothing_is_fitted_twice(look):
    look, _, wanted = look
    before = look.results.fitted.copy()
    for name in METHODS.first:
        look.fit(name, wanted, lambda progress: None)
    assert look.results.fitted == before == dict.fromkeys(METHODS.first, 1)


def test_only_long_tables_need_one():
    assert is_long(9_105, 48)
    assert is_long(100_000, 10)
    assert not is_long(4_000, 2)
    assert not is_long(300, 5_000)
