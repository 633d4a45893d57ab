"""What each method weighs for a row."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import CollapsedGibbs
from mapdp_studio.core.comparing.comparison import matched
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import NormalKnownVariancePrior
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.row_costs import COUNT, NEW, OTHER, PREDICTIVE
from mapdp_studio.core.plots.teaching import costs_figure
from mapdp_studio.core.teaching.row_costs import row_costs
from tests.classroom import SETTINGS
from tests.reference import set_partitions


def test_mapdps_costs_are_the_changes_of_e(ellipses):
    here, results = ellipses
    model = results.get(here.tasks["MAPDP"])
    numbers = np.full(model.n_clusters_, NEW)
    numbers[model.labels_] = matched(here.truth.classes, model.labels_)
    for row in (0, 17, 311):
        found = row_costs(results, here.tasks, here.encoded, row, here.truth.classes)[0]
        energies = []
        for cluster in found.clusters:
            labels = model.labels_.copy()
            labels[row] = (
                len(numbers) if cluster == NEW else int(np.flatnonzero(numbers == cluster)[0])
            )
            energies.append(Partition(model.columns_, model.concentration, labels).objective())
        np.testing.assert_allclose(
            found.totals - found.totals[0], np.array(energies) - energies[0], atol=1e-6
        )
        assert found.clusters[found.winner] == numbers[model.labels_[row]]
        gaps = found.totals - found.totals[found.winner]
        assert f"{np.sort(gaps)[1]:.1f} log units below" in found.words
        second = int(np.argsort(found.totals)[1])
        gain = {name: term[second] - term[found.winner] for name, term in found.terms.items()}
        decides = PREDICTIVE if gain[PREDICTIVE] >= gain[COUNT] else COUNT
        assert f"The {decides} decides" in found.words


def test_the_others_choose_as_their_labels_say(ellipses):
    here, results = ellipses
    for row in (3, 200):
        found = row_costs(results, here.tasks, here.encoded, row, here.truth.classes)
        assert [one.title for one in found] == [method.title for method in METHODS.first.values()]
        for one, task in zip(found[:4], here.tasks.values(), strict=False):
            labels = matched(here.truth.classes, results.get(task).labels_)
            assert one.clusters[one.winner] == labels[row], one.title
        for one in found[3:]:
            assert one.totals.sum() == pytest.approx(1.0)
        assert np.isclose(found[1].totals[-1], SETTINGS.penalty)
        assert len(costs_figure(found).data) == 6


def test_gibbs_bars_are_the_posterior_that_every_partition_gives():
    # Two rows, four that go now with them and now with the others, and those two others: the four
    # outnumber either core, so where most of a row's companions are shown says nothing.
    x = np.array([-0.1, 0.1, 2.6, 2.7, 2.8, 2.9, 5.5, 5.7])[:, None]
    prior = [NormalKnownVariancePrior(2.5, 100.0, 1.0)]
    model = CollapsedGibbs(
        0.1,
        likelihood="normal_known_variance",
        prior=prior,
        n_sweeps=4000,
        n_kept=2000,
        random_state=0,
        read_out="centre",
    ).fit(x)
    assert model.labels_.tolist() == [0, 0, 0, 0, 0, 0, 1, 1]
    partitions = np.array(list(set_partitions(len(x))))
    energies = [Partition(model.columns_, 0.1, labels).objective() for labels in partitions]
    chances = np.exp(min(energies) - np.array(energies))
    chances /= chances.sum()
    for row in (2, 3, 4, 5):
        of = partitions[:, row, None]
        first, second = ((of == partitions[:, core]).any(axis=1) for core in ([0, 1], [6, 7]))
        exact = [chances[first].sum(), chances[second & ~first].sum()]
        assert exact[1] > 0.3
        found = METHODS["CollapsedGibbs"].row_costs(model, None, row, np.arange(2))
        np.testing.assert_allclose(found.totals[:2], exact, atol=0.05)
        assert found.clusters == (0, 1, OTHER, NEW)
