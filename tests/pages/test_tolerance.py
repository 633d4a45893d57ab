"""The tolerance for misfit on Compare and Clusters, run without a browser."""

from __future__ import annotations

import pytest

from mapdp_studio.core.methods import METHODS
from mapdp_studio.pages.parts.compare.settings import TOLERANCES
from tests.misfit_tables import load_misfit
from tests.pages.conftest import page, settle, studio_of

FRAME, _ = load_misfit("heavy tails", 300)
pytestmark = pytest.mark.usefixtures("ready")


def test_the_slider_touches_what_reads_it_and_measures_its_strip_once():
    studio = studio_of(FRAME)
    at = page("compare", studio)
    assert "tolerance" not in studio.jobs._newest, "measured where it is looked at"
    at.session_state["compare_tab"] = "K against a setting"
    settle(at)
    job = studio.jobs._newest["tolerance"]
    assert job.result.n_clusters[job.result.proposed] == 3
    settle(at.select_slider(key="tolerance").set_value(0.45).run(timeout=60))
    assert studio.settings.likelihood_power == 0.45
    twice = {"MAPDP": 2, "MixtureEM": 2, "CollapsedGibbs": 2}
    assert studio.results.fitted == dict.fromkeys(METHODS.first, 1) | twice
    assert studio.jobs._newest["tolerance"] is job


def test_a_number_in_the_address_goes_to_the_nearest_position():
    studio = studio_of(FRAME)
    assert (len({*TOLERANCES}), TOLERANCES[0], TOLERANCES[-1]) == (40, 1.0, 0.02)
    page("compare", studio, tolerance=".3")
    assert studio.settings.likelihood_power == 0.3
