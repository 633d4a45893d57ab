"""Three groups that no normal model describes: many clusters at power 1, three that stay."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import MAPDP, tolerance_path
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.demo_datasets.misfit import DISTANCE, NOISES, load_misfit


@pytest.mark.parametrize("noise", NOISES)
def test_every_deviation_makes_a_group_and_the_plateau_finds_three(noise):
    frame, truth = load_misfit(noise)
    model = MAPDP(random_state=0).fit(frame)
    path = tolerance_path(model)
    assert model.n_clusters_ >= 7
    assert path.n_clusters[path.proposed] == 3
    assert nmi(truth, path.labels[path.proposed]) > 0.9


@pytest.mark.parametrize("noise", NOISES)
def test_groups_are_as_wide_and_as_far_apart_as_said(noise):
    frame, truth = load_misfit(noise, 90_000, 1)
    assert frame.groupby(truth).std().to_numpy() == pytest.approx(1.0, abs=0.05)
    centers = frame.groupby(truth).mean().to_numpy()
    gaps = np.linalg.norm(centers[[0, 1, 2]] - centers[[1, 2, 0]], axis=1)
    assert gaps == pytest.approx(DISTANCE, abs=0.05)


@pytest.mark.parametrize(("arguments", "said"), [({"noise": "x"}, "no noise"), ({"n": 5}, "30 to")])
def test_what_cannot_be_drawn_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        load_misfit(**arguments)
