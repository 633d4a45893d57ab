"""The table chooses its model: asked for on Data, in one line, each change with its way back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.schema.chosen import in_words
from mapdp_studio.core.session.project_file import load_project, save_project
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared import loading, model_choice
from mapdp_studio.pages.parts.shared.model_choice import begin_choice, choice_under_way
from mapdp_studio.pages.parts.visit.reload_settings import apply_settings
from tests.pages.conftest import PAGES, studio_of, until

pytestmark = pytest.mark.usefixtures("ready")


def _frame(n=150) -> pd.DataFrame:
    random = np.random.default_rng(0)
    group = random.integers(2, size=n)
    x = 3.0 * random.normal(size=(n, 1)) + 0.5 * random.normal(size=(n, 3))
    x[:, 0] += 5.0 * group
    frame = pd.DataFrame(np.round(x, 2), columns=list("abc"))
    frame["rating"] = random.choice([1, 2, 3, 4, 5], n, p=[0.25, 0.2, 0.1, 0.2, 0.25])
    frame["visits"] = random.poisson(3.0, n)
    frame["aside"] = random.normal(size=n)
    return frame


def _studio(asks: bool = False) -> Session:
    studio = studio_of(_frame())
    studio.change({"aside": {"role": "ignore"}, "visits": {"family": "geometric"}})
    studio.asks_table = asks
    return studio


def _page(name: str, studio: Session) -> AppTest:
    at = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=60)
    at.session_state["studio"] = studio
    at.run()
    assert not at.exception
    return at


def _lines(at: AppTest) -> str:
    return " ".join(text.value for text in (*at.markdown, *at.caption, *at.info))


def _option(at: AppTest, tab: str) -> AppTest:
    at.session_state["column_options"] = tab
    return at.run()


def test_a_table_chooses_its_model_at_a_click_and_each_change_can_be_taken_back():
    studio = _studio()
    at = _page("data", studio)
    at.button(key="choose_model").click().run()
    until(at, lambda at: studio.schema.priors)
    at.run()
    schema = studio.schema
    said = in_words(schema.chosen)
    assert "a, b, c together" in said
    assert "rating as category" in said
    assert escaped(said) in _lines(at)
    assert schema["visits"].family == "geometric"  # set by hand
    assert schema["aside"].role == "ignore"
    worth = {change.words: change.worth for change in schema.chosen}
    table = at.dataframe[0].value.set_index("Column")
    assert table.loc["rating", "Why"].startswith("Chosen with the groups: as category (E falls by")
    assert table.loc["a", "Block"] == "a + b + c"
    reason = f"Chosen with the groups: as category{worth['as category']}"
    at.session_state[f"detail-{studio.table.digest}"] = "rating"
    at.run()
    assert escaped(reason) in _lines(at)
    assert any((b.key or "").endswith("-rating") for b in at.button), "no way back"
    _option(at, "Joint blocks").button(key="apart-a + b + c").click().run()
    assert not studio.schema.blocks
    assert studio.schema["rating"].family == "categorical"
    assert set(studio.schema.priors) == {"rating", "visits"}
    _option(at, "Model").button(key="keep_suggested").click().run()
    assert studio.schema == _studio().schema.completed(_frame())
    assert at.button(key="choose_model")


def never(frame, schema, callback):
    while True:
        callback(None)


@pytest.mark.parametrize("by_itself", [True, False])
def test_the_lock_waits_for_the_choice(monkeypatch, by_itself):
    with monkeypatch.context() as patched:
        patched.setattr(model_choice, "choose_model", never)
        at = _page("clinical", _studio(by_itself))
        if not by_itself:
            assert not _lock(at).disabled
            at.button(key="choose_model").click().run()
        assert _lock(at).disabled
        at.button(key=f"stop {model_choice.LABEL}").click().run()
        until(at, lambda at: not _lock(at).disabled)


def _lock(at):
    return next(b for b in at.button if b.label == "Lock and find groups")


def test_a_choice_can_be_stopped_and_undone(monkeypatch):
    studio = _studio()
    before = studio.schema
    with monkeypatch.context() as patched:
        patched.setattr(model_choice, "choose_model", never)
        at = _page("data", studio)
        at.button(key="choose_model").click().run()
        at.button(key=f"stop {model_choice.LABEL}").click().run()
        until(at, lambda at: "Stopped: likelihoods and blocks are as suggested." in _lines(at))
    assert studio.schema is before
    at.button(key="choose_model").click().run()
    until(at, lambda at: studio.schema.priors)


@pytest.mark.parametrize("name", ["compare", "clusters", "views"])
def test_an_undecided_table_chooses_before_its_first_fit(name):
    studio = _studio(asks=True)
    at = _page(name, studio)
    until(at, lambda at: studio.schema.priors)
    until(at, lambda at: studio.results.fitted.total() or name == "views")
    assert not studio.asks_table
    assert all(task.columns[-1] for task in studio.work.tasks().values())
    fitted = [studio.results.get(task) for task in studio.work.tasks(("MAPDP",)).values()]
    if name != "views":
        assert fitted[0].prior_ == tuple(unit.prior for unit in studio.schema.units)


def test_a_choice_before_the_first_fit_can_be_stopped_for_what_was_suggested(monkeypatch):
    studio = _studio(asks=True)
    before = studio.schema
    monkeypatch.setattr(model_choice, "choose_model", never)
    at = _page("clusters", studio)
    assert not studio.results.fitted
    assert "several times as long as one clustering" in _lines(at)
    at.button(key=f"stop {model_choice.LABEL}").click().run()
    until(at, lambda at: studio.results.fitted)
    assert studio.schema == before
    assert not studio.asks_table


def test_a_choice_that_fails_says_why_and_goes_on_as_suggested(monkeypatch):
    def fails(frame, schema, callback):
        raise ValueError("No luck today.")

    monkeypatch.setattr(model_choice, "choose_model", fails)
    studio = _studio(asks=True)
    at = _page("clusters", studio)
    until(at, lambda at: any("As suggested: No luck today" in w.value for w in at.warning))
    until(at, lambda at: studio.results.fitted)


def test_other_columns_make_the_table_choose_anew_and_another_likelihood_does_not():
    studio = _studio(asks=True)
    at = _page("clusters", studio)
    until(at, lambda at: studio.schema.priors)
    at.run()
    studio.change({"rating": {"family": "binomial"}})
    assert not studio.work.is_undecided
    chosen = studio.work.decided
    studio.change({"visits": {"role": "validator"}})
    assert studio.work.is_undecided
    assert not studio.schema.priors
    studio.work.turn_to(chosen)
    assert not studio.work.is_undecided


def test_a_file_is_undecided_and_an_example_is_not(monkeypatch):
    studio = Session()
    monkeypatch.setattr(loading, "session", lambda: studio)
    loading.load_file("t.csv", _frame().to_csv(index=False).encode())
    assert studio.work.is_undecided
    again = load_project(save_project(studio.work)).work()
    assert again.is_undecided
    loading.load_example("iris")
    assert not studio.work.is_undecided
    at = _page("data", studio)
    assert "Examples keep the model that lessons and papers have." in _lines(at)


def test_data_says_that_an_undecided_table_chooses_first():
    studio = _studio(asks=True)
    at = _page("data", studio)
    assert "Before the first clustering, the table chooses its model." in _lines(at)
    at.button(key="keep_suggested").click().run()
    assert not studio.work.is_undecided
    assert "the table chooses its model" not in _lines(at)


def test_clusters_says_in_one_line_what_a_chosen_model_does_not_describe():
    frame = _frame(200)[["visits"]]
    frame["visits"] = np.random.default_rng(0).choice([20, 21, 22], 200)
    frame["other"] = np.random.default_rng(1).normal(size=200).round(1)
    schema = infer_schema(frame).with_column("visits", family="poisson")
    studio = studio_of(frame, "odd", schema)
    at = _page("clusters", studio)
    until(at, lambda at: "Not quite as its likelihood expects: visits" in _lines(at))
    prior = studio.results.get(studio.work.tasks()["MAPDP"]).prior_[0]
    studio.take_choice(studio.schema.with_choice({"visits": prior}))
    at.run()
    until(at, lambda at: "Not quite as the chosen model expects: visits" in _lines(at))
    assert not at.warning


def test_a_study_chooses_its_model_before_the_lock_says_so_and_locks_it():
    studio = _studio(asks=True)
    at = _page("clinical", studio)
    assert "as suggested" not in _lines(at)
    until(at, lambda at: studio.schema.priors)
    at.run()
    said = in_words(studio.schema.chosen)
    assert escaped(said) in _lines(at)
    columns = next(table.value for table in at.dataframe if "Why" in table.value)
    assert columns["Why"].str.startswith("Chosen with the groups").any()
    _lock(at).click().run()
    lock = studio.study.lock
    assert lock.schema.priors == studio.schema.priors
    assert lock.model.startswith(said)
    assert any(event.what.startswith(said) for event in studio.study.log)
    assert not studio.work.is_undecided
    studio.jobs.clear()


def test_saved_settings_decide_about_the_model_too():
    studio = _studio(asks=True)
    saved = studio.work.saved()
    assert apply_settings(studio, saved) == []
    assert not studio.work.is_undecided
    assert studio.schema == saved.schema


def test_a_choice_for_columns_as_they_were_is_stopped():
    studio = _studio(asks=True)
    job = begin_choice(studio)
    studio.change({"visits": {"role": "ignore"}})
    assert choice_under_way(studio) is None
    assert job.stopped
