"""Views as the pages show them, on a table of two independent groupings and noise."""

import numpy as np
import pytest

from mapdp_studio.core import MAPDP, infer_schema
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.profiling.view_results import ViewsFound, find_views
from tests.several_groupings import as_written, three_groupings


@pytest.fixture(scope="module")
def table():
    encoded, of_column, truths = three_groupings(4, n=100, widths=(4, 3), n_noise=2)
    frame = as_written(encoded)
    return frame, infer_schema(frame), of_column, truths


@pytest.fixture(scope="module")
def progress() -> list[float]:
    return []


@pytest.fixture(scope="module")
def found(table, progress) -> ViewsFound:
    frame, schema, _, _ = table

    def note(step) -> None:
        progress.append(step.done / step.total)

    return find_views(frame, schema, Settings(), "digest", 1.0, note)


def test_both_groupings_are_shown_with_their_columns(table, found):
    frame, _, of_column, truths = table
    assert len(found.telling) == 2
    for grouping, truth in enumerate(truths):
        view = max(found.telling, key=lambda v: ari(v.model.labels_, truth))
        assert ari(view.model.labels_, truth) > 0.75
        told = [j for j, name in enumerate(frame) if name in view.columns]
        assert np.isin(np.flatnonzero(of_column == grouping), told).all()
    assert sorted(found.names) == sorted(frame)
    assert sum(len(view.columns) for view in found.telling) + len(found.silent) == frame.shape[1]


def test_a_view_opens_as_it_is_shown(table, found):
    frame, _, _, _ = table
    for view in found.telling:
        again = MAPDP(**dict(view.task.arguments)).fit(frame, view.schema)
        assert np.array_equal(again.labels_, view.model.labels_)
        assert [card.size for card in view.cards] == np.bincount(again.labels_).tolist()


def test_sentences_say_what_was_found(found):
    n = len(found.silent)
    assert found.sentence.startswith("2 groupings of the same rows")
    assert (f"{n} column" in found.sentence) == bool(n)
    assert found.gain > 0
    assert f"by {found.gain:,.0f} log units" in found.beside_one
    assert found.agreement()[0, 1] < 0.2
    assert list(found.labels()) == ["view_1", "view_2"]


def test_progress_never_falls(found, progress):
    assert progress == sorted(progress)
    assert 0.9 < progress[-1] <= 1.0
