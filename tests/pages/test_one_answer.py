"""One answer: number, names and colours of the groups are the same on every page."""

import json
import re
from base64 import b64decode

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import Study, infer_schema
from mapdp_studio.core.clinical import study, verdict
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.session.project import CHANCE, HOW_MANY
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.statistics.nulls import SHUFFLED
from mapdp_studio.core.statistics.resampling import EFFORTS, Protocol
from mapdp_studio.pages.parts.clinical.study import CHECKS, GROUPS, checks_of, planned
from mapdp_studio.pages.parts.compare import answers, panels
from tests.misfit_tables import load_misfit
from tests.pages.conftest import page, run, settle, shown, until, visit_of, words
from tests.tables import labelled

RANDOM = np.random.default_rng(3)


def blobs(n_groups: int, apart: float, n_each: int = 30) -> pd.DataFrame:
    group = np.repeat(np.arange(n_groups), n_each)
    middles = apart * RANDOM.normal(size=(n_groups, 3))
    values = middles[group] + RANDOM.normal(size=(group.size, 3))
    return pd.DataFrame(values.round(2), columns=list("abc"))


STRAYS = pd.concat([blobs(3, 8.0), blobs(1, 0.0, 3) + 60.0], ignore_index=True)
#: A table, and whether chance makes as many groups.
TABLES = {
    "three groups and strays": (STRAYS, infer_schema(STRAYS), False),
    "heavy tails": (load_misfit("heavy tails", 200)[0], None, False),
    "overlapping": (blobs(4, 1.5), None, False),
    "mixed, with known groups and holes": (labelled.FRAME, labelled.SCHEMA, False),
    "as chance makes": (blobs(3, 6.0), None, True),
}


def marks(traces: list[dict]) -> dict[int, tuple[str, str]]:
    """Colour and symbol of every row in a panel."""
    found = {}
    for trace in traces:
        rows = trace.get("customdata", [])
        if isinstance(rows, dict):  # as Plotly packs numbers
            rows = np.frombuffer(b64decode(rows["bdata"]), rows["dtype"])
        for row in rows:
            found[int(row)] = trace["marker"]["color"], trace["marker"]["symbol"]
    return found


def in_study(visit, groups, n_fitted, found, monkeypatch) -> None:
    """A study of the same table has the same groups, on the page and in a script."""
    monkeypatch.setattr(verdict, "chance", lambda search, **args: found)
    monkeypatch.setitem(EFFORTS, "full", Protocol(2, 2, 1))
    lock = Study(visit.table.frame, visit.schema).lock
    visit.study.lock_in(visit.table.frame, visit.schema, lock.plan)
    at = shown("clinical", visit)
    at.session_state["clinical_section"] = "groups"
    until(settle(run(at)), lambda at: visit.results.peek(GROUPS, visit.study.lock))
    if job := visit.jobs.get(CHECKS, visit.study.lock):
        assert job.wait(60)
        settle(run(at))
    text = words(at)
    assert ("No groups found" in text) == (groups.n_groups == 1)
    assert planned(visit) == lock.plan
    script = Study(visit.table.frame, visit.schema)
    monkeypatch.setattr(study, "leave_out", lambda tests, *args: tests)
    script.run()
    seen = checks_of(visit, visit.results.peek(GROUPS, visit.study.lock)).groups
    for one in (seen, script._checks.groups):
        assert one.labels.tolist() == groups.labels.tolist()
        assert (one.titles, one.colours) == (groups.titles, groups.colours)
    if groups.n_groups == 1:
        return
    fitted = f" ({n_fitted} clusters as fitted)" if n_fitted > groups.n_groups else ""
    assert f"**{groups.n_groups} groups{fitted}**" in text
    heads = [name for name in at.table[0].value if "patients" in name][1:]
    large = [title for title, n in zip(groups.titles, groups.sizes, strict=True) if n > 4]
    assert [head.split("**")[1] for head in heads] == large


@pytest.mark.parametrize("name", TABLES)
def test_number_names_and_colours_agree_on_all_pages(name, monkeypatch):
    frame, schema, is_chance = TABLES[name]
    drawn = []
    monkeypatch.setattr(panels, "chart", lambda figure, *args: drawn.append(json.loads(figure)))
    visit = visit_of(frame, schema=schema)
    page("compare", visit)
    task = visit.project.tasks()[JUDGE]
    gained = np.array([6.0 if is_chance else 1.0])
    found = Chance(
        np.array([5.0]), {SHUFFLED: tuple([gained] * 19)}, valley="" if is_chance else "Two."
    )
    visit.results.store(CHANCE, task, found)
    compare = page("compare", visit)
    assert visit.results.peek(HOW_MANY, task) is not None
    groups = visit.project.naming_of(task).apply(visit.results.get(task).labels_)
    n_groups, n_fitted = groups.n_groups, visit.results.get(task).n_clusters_
    assert (n_groups == 1) == is_chance
    headings = [one["text"] for one in drawn[-1]["layout"]["annotations"]]
    place, heading = next((i, text) for i, text in enumerate(headings) if "<b>MAP-DP" in text)
    axis = f"x{place + 1}" if place else "x"
    traces = [trace for trace in drawn[-1]["data"] if trace["xaxis"] == axis]
    if n_groups < n_fitted:
        assert re.search(rf"MAP-DP, {n_groups} groups?\b", heading), heading
        assert f"{n_fitted:,} clusters as fitted" in heading
    else:
        assert f"MAP-DP, K = {n_groups}" in heading
    says = f"K = {n_groups}" + (f" (of {n_fitted} fitted)" if n_groups < n_fitted else "")
    clusters = page("clusters", visit)
    for at in (clusters, page("take_away", visit), page("missing", visit)):
        assert f"**{says}**" in words(at)
    cut = []
    monkeypatch.setattr(answers, "chart", lambda figure, *args: cut.append(json.loads(figure)))
    if n_fitted > 1:
        page("compare", visit, "Tree")
        assert marks(cut[-1]["data"]) == marks(traces)
    in_study(visit, groups, n_fitted, found, monkeypatch)
    if is_chance:
        assert "Take none of them for real" in words(compare)
        return
    named = [text.value for text in clusters.markdown if text.value.strip("*") in groups.titles]
    assert named == [f"**{title}**" for title in groups.titles]
    spec = next(
        json.loads(chart.proto.spec)
        for chart in clusters.get("plotly_chart")
        if "Where the rows lie" in chart.proto.spec
    )
    assert marks(spec["data"]) == marks(traces)
