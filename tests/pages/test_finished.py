"""A finished search in parts, opened: each page says which rows it tells of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import MAPDPParts
from core.session.finished import work_on_finished
from pages import Session
from tests.pages.conftest import ready  # noqa: F401
from tests.parts.conftest import SCHEMA, make_frame

CLUSTERS = Path(__file__).parents[2] / "pages" / "clusters.py"
SCRIPT = """
import runpy
import streamlit as st
from pages import frame, session
from pages.parts.shared.part_of_table import sample_notice

sample_notice(session(), {page!r})
with frame():
    {body}
"""


@pytest.fixture(scope="module")
def fitted(tmp_path_factory) -> MAPDPParts:
    model = MAPDPParts(random_state=0, sample=200, prior="empirical")
    return model.fit(make_frame(1_500).drop(columns="truth"), SCHEMA, tmp_path_factory.mktemp("l"))


@pytest.fixture
def studio(fitted) -> Session:
    studio = Session()
    studio.take_work(work_on_finished(fitted.labels_path_))
    return studio


def captions(studio: Session, page: str, body: str = "pass") -> list[str]:
    at = AppTest.from_string(SCRIPT.format(page=page, body=body), default_timeout=60)
    at.session_state["studio"] = studio
    at.session_state["page_width_told"] = 1200
    at.run()
    assert not at.exception
    return [caption.value for caption in at.caption]


@pytest.mark.usefixtures("ready")
def test_the_cards_tell_the_sizes_of_all_rows(studio, fitted):
    told = captions(studio, "clusters", f"runpy.run_path({str(CLUSTERS)!r})")
    for _ in range(100):  # what is computed beside the page
        if any(caption.endswith(" %") for caption in told):
            break
        told = captions(studio, "clusters", f"runpy.run_path({str(CLUSTERS)!r})")
    sizes = [caption.split(" rows")[0] for caption in told if caption.endswith(" %")]
    assert sizes == [f"{cluster.size:,}" for cluster in fitted.clusters_]


def test_every_page_says_of_which_rows_it_tells(studio):
    n = f"{len(studio.table.frame):,}"
    (told,) = captions(studio, "stability")
    assert f"Groups of **1,500 rows**, shown by {n} of them. Whether groups come back" in told
    assert "A study looks for its groups anew" in captions(studio, "clinical")[0]
    assert not captions(studio, "teach")
    studio.settings = replace(studio.settings, concentration=9.0)
    (told,) = captions(studio, "stability")
    assert f"**{n} of 1,500 rows.** Under these settings groups are found in the rows shown" in told
