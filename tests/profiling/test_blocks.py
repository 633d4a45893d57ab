"""The blocks of a biclustering as they are drawn."""

import numpy as np
import pytest

from mapdp_studio.core import Biclusters
from mapdp_studio.core.plots.heat_maps import blocks_figure
from mapdp_studio.core.profiling import blocks as blocks_module
from mapdp_studio.core.profiling.blocks import Blocks
from mapdp_studio.core.schema.encoded import Encoded


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(3)
    rows, columns = np.repeat([0, 1], [40, 20]), np.tile([0, 1], 5)
    chance = np.where(rows[:, None] == columns, 0.95, 0.05)
    cells = (random.random(chance.shape) < chance).astype(float)
    places = random.permutation(60)
    cells = cells[places]
    cells[3, 4] = np.nan
    encoded = Encoded.from_array(cells, "bernoulli")
    return Biclusters(random_state=0).fit_encoded(encoded), encoded


def test_every_cell_stands_in_its_block(fitted):
    model, encoded = fitted
    blocks = Blocks.of(model, encoded)
    assert (blocks.row_ends, blocks.column_ends) == ((40, 60), (5, 10))
    np.testing.assert_array_equal(blocks.cells, encoded.values[np.ix_(blocks.rows, blocks.columns)])
    assert np.isnan(blocks.cells).sum() == 1
    for a, rows in enumerate(np.split(blocks.cells, blocks.row_ends[:-1])):
        for b, block in enumerate(np.split(rows, blocks.column_ends[:-1], axis=1)):
            share = model.blocks_[a][b].summary()["probability"]
            assert abs(np.nanmean(block) - share) < 0.03
    assert blocks.note == ""
    figure = blocks_figure(blocks)
    assert [(line.y0, line.x0) for line in figure.layout.shapes] == [(39.5, 0), (0, 4.5)]


def test_of_many_rows_every_cluster_shows_its_share(fitted, monkeypatch):
    monkeypatch.setattr(blocks_module, "MOST_LINES", 30)
    blocks = Blocks.of(*fitted)
    assert blocks.cells.shape == (30, 10)
    assert blocks.row_ends == (20, 30)
    assert blocks.note.startswith("30 rows of 60 and 10 columns of 10 are drawn")
