"""Clusters without a browser: how many groups are shown first, their cards, and what if."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import Progress
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.work import CHANCE, HOW_MANY
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.statistics.nulls import SHUFFLED
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.groups.how_many import PATH
from tests.pages.conftest import PAGES, page, settle, studio_of, until

RANDOM = np.random.default_rng(0)
CENTERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]])
#: Four groups and three rows that are like no others.
FRAME = pd.DataFrame(
    np.vstack(
        [
            (CENTERS[:, None, :] + RANDOM.normal(size=(4, 50, 2))).reshape(-1, 2),
            [[40.0, 40.0], [41.0, 40.5], [40.2, 41.0]],
        ]
    ),
    columns=["x", "y"],
)
FITTED, FIRST = 6, 5
OTHER = np.random.default_rng(4)
GROUP = np.repeat([0, 1, 2], [80, 40, 40])
THREE = pd.DataFrame(
    {
        name: (np.array([0.0, 100.0, 140.0])[GROUP] + OTHER.normal(0.0, 2.0, 160)).round(1)
        for name in ("height", "mass", "age")
    }
)
THREE["doctor"] = OTHER.choice(
    ["Ann Smith", "Bo Lee", "Carl Vogt", "Eva Nunez", "Ida Noyes", "Jan Kok"], 160
)
pytestmark = pytest.mark.usefixtures("ready")


def whole(name: str, studio: Session) -> AppTest:
    """A page once chance is known, too."""
    at = page(name, studio)
    until(
        at, lambda at: CHANCE not in studio.jobs._newest or not studio.jobs._newest[CHANCE].running
    )
    return settle(at)


def said(at: AppTest, text: str) -> bool:
    return any(text in line.value for line in at.markdown)


def test_the_groups_that_come_back_are_shown_first_on_every_page():
    studio = studio_of(FRAME, "digest")
    at = whole("clusters", studio)
    assert said(at, f"**K = {FIRST} (of {FITTED} fitted)**")
    assert said(at, f"**{FIRST} groups** ({FITTED} clusters as fitted); ")
    assert said(at, f"**{FIRST} groups**, put together from the {FITTED} of the fit."), "why"
    assert at.slider[0].value == FIRST
    assert not studio.naming, "nobody decided anything yet"
    assert said(whole("take_away", studio), f"**K = {FIRST} (of {FITTED} fitted)**")
    assert not studio.work.saved().namings, "another table would have its own number"
    at.slider[0].set_value(FITTED).run(timeout=60)
    assert said(at, f"**K = {FITTED}**")
    assert said(whole("snapshots", studio), f"**K = {FITTED}**"), "the visitor's number stays"


def test_an_example_is_shown_as_fitted_and_measured_when_asked():
    studio = studio_of(FRAME, "example of our own")
    at = whole("clusters", studio)
    assert said(at, f"**K = {FITTED}**")
    assert studio.results.known(HOW_MANY, studio.work.tasks()[JUDGE]) is None
    assert not {HOW_MANY, CHANCE} & {*studio.jobs._newest}


def test_one_group_is_shown_where_chance_makes_as_many():
    studio = studio_of(FRAME, "digest")
    whole("clusters", studio)
    task = studio.work.tasks()[JUDGE]
    as_much = Chance(np.array([0.0, 5.0]), {SHUFFLED: (np.array([0.0, 6.0]),)})
    studio.results.note(CHANCE, task, as_much)
    at = whole("clusters", studio)
    assert said(at, f"**K = 1 (of {FITTED} fitted)**")
    assert said(at, "**One group** (6 clusters as fitted); no more groups than chance makes")
    assert any(f"up to {FITTED} groups" in line.value for line in at.info)
    at.slider[0].set_value(2).run(timeout=60)
    assert said(at, as_much.caution), "that they come back is none"
    at = whole("compare", studio)
    assert said(at, "**Take none of them for real.** No more groups than")


def test_what_chance_makes_changes_the_cards_in_the_moment_it_is_known():
    studio = studio_of(FRAME, "digest")
    task = studio.work.tasks()[JUDGE]
    as_much = Chance(np.array([0.0, 5.0]), {SHUFFLED: (np.array([0.0, 6.0]),)})
    studio.jobs.start(CHANCE, task, lambda job: as_much).wait(10)
    assert said(whole("clusters", studio), f"**K = 1 (of {FITTED} fitted)**")


def test_a_stop_goes_on_with_the_groups_as_fitted():
    def stopped(job: Job) -> None:
        job.stop()
        job(Progress(0, 1, 0.0, 1))

    studio = studio_of(FRAME, "digest")
    task = studio.work.tasks()[JUDGE]
    studio.jobs.start(HOW_MANY, task, stopped).wait(10)
    at = whole("clusters", studio)
    assert said(at, f"**K = {FITTED}**")
    assert said(at, f"**{FITTED} groups**")


@pytest.mark.parametrize("tab", ["Columns", "Merge and name"])
def test_merges_that_take_long_are_followed_in_one_place(monkeypatch, tab):
    go_on, followed = threading.Event(), JudgedPartition.merge_path_.func
    slow = property(lambda groups: go_on.wait(60) and followed(groups))
    monkeypatch.setattr(JudgedPartition, "merge_path_", slow)
    studio = studio_of(FRAME, "slow")
    studio.algorithm = "DPMeans"
    at = AppTest.from_file(str(PAGES / "clusters.py"), default_timeout=60)
    at.session_state["studio"], at.session_state["clusters_tab"] = studio, tab
    at.run()
    until(at, lambda at: any(PATH in name for name in studio.jobs._newest))
    at.run()
    assert not at.exception
    assert [b.key for b in at.button if "merges" in (b.key or "")] == ["stop Following the merges"]
    go_on.set()
    until(at, lambda at: at.subheader)


# ---- cards


def test_each_card_has_its_sentence_and_its_rule():
    studio = studio_of(THREE, "three")
    at = page("clusters", studio)
    said = [m.value for m in at.markdown]
    assert sum(text.startswith("Like Cluster") for text in said) == 3
    rules = [code.value for code in at.code]
    assert len(rules) == 3
    assert any("right for 80 of 80 left out" in caption.value for caption in at.caption)
    assert any("doctor may hold names of persons" in caption.value for caption in at.caption)


def test_two_cards_that_begin_alike_can_be_merged():
    studio = studio_of(THREE, "three")
    at = page("clusters", studio)
    (merge,) = (button for button in at.button if (button.key or "").startswith("twins-"))
    merge.click().run(timeout=60)
    (naming,) = studio.naming.values()
    assert len(naming.merged) == 1
    assert not any((button.key or "").startswith("twins-") for button in at.button)


def test_the_rules_are_taken_away():
    studio = studio_of(THREE, "three")
    at = page("take_away", studio)
    texts = [code.value for code in at.code]
    (rules,) = (text for text in texts if "def group_of(row)" in text)
    assert "        return 'Cluster " in rules
    assert any("100\u00a0% are given their own group" in caption.value for caption in at.caption)
