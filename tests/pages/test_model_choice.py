"""The table chooses its model: asked for on Data, in one line, each change with its way back."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.schema.chosen import in_words
from mapdp_studio.core.session.project_file import load_project, save_project
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.plan import LOCK
from mapdp_studio.pages.parts.shared import chosen, loading
from tests.pages.conftest import endless, framed, run, shown, until, visit_of, words

STOP = f"stop {chosen.CHOOSING}"
RANDOM = np.random.default_rng(0)
GROUP = RANDOM.integers(2, size=150)
SHARED = 3.0 * RANDOM.normal(size=(150, 1)) + 5.0 * np.outer(GROUP, [1.0, 0.0, 0.0])
#: Three columns that rise together, beside a rating that is none.
FRAME = pd.DataFrame(SHARED + 0.5 * RANDOM.normal(size=(150, 3)), columns=list("abc")).round(2)
FRAME["rating"] = RANDOM.choice([1, 2, 3, 4, 5], 150, p=[0.25, 0.2, 0.1, 0.2, 0.25])
FRAME["visits"] = RANDOM.poisson(3.0, 150)
FRAME["noise"] = RANDOM.normal(size=150)


def undecided(asks: bool = True) -> Session:
    visit = visit_of(FRAME)
    visit.change({"noise": {"role": "ignore"}, "visits": {"family": "geometric"}})
    visit.asks_table = asks
    return visit


def test_a_table_chooses_its_model_at_a_click_and_each_change_can_be_taken_back(monkeypatch):
    visit = undecided(asks=False)
    before, at = visit.schema, shown("data", visit)
    with monkeypatch.context() as patched:
        patched.setattr(chosen, "choose_model", lambda *of, callback: endless(callback))
        run(at.button(key="choose_model").click())
        run(at.button(key=STOP).click())
        until(at, "Stopped: likelihoods and blocks are as suggested.")
    assert visit.schema is before
    run(at.button(key="choose_model").click())
    run(until(at, lambda at: visit.schema.priors))
    schema = visit.schema
    text = in_words(schema.chosen)
    assert "a, b, c together" in text
    assert "rating as category" in text
    assert escaped(text) in words(at)
    # What was set by hand.
    assert (schema["visits"].family, schema["noise"].role) == ("geometric", "ignore")
    worth = {change.words: change.worth for change in schema.chosen}
    table = at.dataframe[0].value.set_index("Column")
    assert table.loc["rating", "Why"].startswith("Chosen with the groups: as category (E falls by")
    assert table.loc["a", "Block"] == "a + b + c"
    at.session_state[f"detail-{visit.table.digest}"] = "rating"
    reason = f"Chosen with the groups: as category{worth['as category']}"
    assert escaped(reason) in words(run(at))
    assert any((b.key or "").endswith("-rating") for b in at.button), "no way back"
    at.session_state["column_options"] = "Joint blocks"
    run(run(at).button(key="apart-a + b + c").click())
    assert not visit.schema.blocks
    assert visit.schema["rating"].family == "categorical"
    assert set(visit.schema.priors) == {"rating", "visits"}
    at.session_state["column_options"] = "Model"
    run(run(at).button(key="keep_suggested").click())
    assert visit.schema == before.completed(FRAME)
    assert at.button(key="choose_model")


@pytest.mark.parametrize("name", ["compare", "views"])
def test_an_undecided_table_chooses_before_its_first_fit_and_anew_for_other_columns(name):
    visit = undecided()
    at = until(shown(name, visit), lambda at: visit.schema.priors)
    assert not visit.asks_table
    assert all(task.columns[-1] for task in visit.project.tasks().values())
    if name == "compare":
        until(at, lambda at: visit.results.fitted.total())
        (task,) = visit.project.tasks(("MAPDP",)).values()
        assert visit.results.get(task).prior_ == tuple(u.prior for u in visit.schema.units)
    visit.change({"rating": {"family": "binomial"}})
    assert not visit.project.is_undecided
    then = visit.project.decided
    visit.change({"visits": {"role": "validator"}})
    assert visit.project.is_undecided, "other columns ask for another choice"
    assert not visit.schema.priors
    visit.project.turn_to(then)
    assert not visit.project.is_undecided


def test_meanwhile_one_first_look_is_made_and_what_stops_or_fails_goes_on_as_suggested(monkeypatch):
    monkeypatch.setattr(chosen, "choose_model", lambda *of, callback: endless(callback))
    visit, looks, fit = undecided(), [], chosen.FirstLook.fit_quickly
    monkeypatch.setattr(chosen.FirstLook, "fit_quickly", lambda *of: (looks.append(1), fit(*of)))
    before = visit.schema
    until(shown("data", visit), lambda at: looks)
    at = framed("clusters", visit)
    assert not visit.results.fitted
    assert "several times as long as one clustering" in words(at)
    assert at.button(key="undo"), "the bar stays while the table chooses"
    until(at, "Meanwhile a first look: 150 rows")
    assert looks == [1]
    run(at.button(key=STOP).click())
    until(at, lambda at: visit.results.fitted)
    assert (visit.schema, visit.asks_table) == (before, False)

    def fails(frame, schema, callback):
        raise ValueError("No luck today.")

    monkeypatch.setattr(chosen, "choose_model", fails)
    visit = undecided()
    before, at = visit.schema, framed("clusters", visit)
    until(at, "As suggested: No luck today")
    until(at, lambda at: visit.results.fitted)
    assert (visit.schema, visit.asks_table) == (before, False)


def test_the_lock_waits_for_the_choice_says_so_and_locks_it(monkeypatch):
    def lock(at):
        return next(button for button in at.button if button.label == LOCK)

    visit = undecided()
    with monkeypatch.context() as patched:
        patched.setattr(chosen, "choose_model", lambda *of, callback: endless(callback))
        at = shown("clinical", visit)
        assert lock(at).disabled
        run(at.button(key=STOP).click())
        until(at, lambda at: not lock(at).disabled)
        assert lock(run(at.button(key="choose_model").click())).disabled
        run(at.button(key=STOP).click())
        until(at, lambda at: not lock(at).disabled)
    run(at.button(key="choose_model").click())
    at = run(until(at, lambda at: visit.schema.priors))
    text = in_words(visit.schema.chosen)
    assert escaped(text) in words(at)
    columns = next(table.value for table in at.dataframe if "Why" in table.value)
    assert columns["Why"].str.startswith("Chosen with the groups").any()
    run(lock(at).click())
    locked = visit.study.lock
    assert locked.schema.priors == visit.schema.priors
    assert locked.model.startswith(text)
    assert any(event.what.startswith(text) for event in visit.study.log)


def test_a_file_is_undecided_and_an_example_is_not(monkeypatch):
    visit = Session()
    monkeypatch.setattr(loading, "session", lambda: visit)
    loading.load_file("t.csv", FRAME.to_csv(index=False).encode())
    assert visit.project.is_undecided
    assert load_project(save_project(visit.project)).is_undecided
    at = shown("data", visit)
    assert "Before the first clustering, the table chooses its model." in words(at)
    run(at.button(key="keep_suggested").click())
    assert not visit.project.is_undecided
    assert "the table chooses its model" not in words(at)
    loading.load_example("iris")
    assert not visit.project.is_undecided
    assert "Examples keep the model that lessons and papers have." in words(shown("data", visit))


def test_a_choice_is_stopped_by_its_columns_and_keeps_what_is_said_of_others_and_settings_decide():
    visit = undecided()
    saved = visit.project.saved()
    assert visit.project.take_up(saved) == []
    assert not visit.project.is_undecided
    assert visit.schema == saved.schema
    for decide in (lambda: visit.change({"visits": {"role": "ignore"}}), visit.keep_suggested):
        job = chosen.begin_choice(visit)
        decide()
        assert chosen.choice_begun(visit) is None
        assert job.wait(60)
        assert job.result is None
    visit = undecided()
    job = chosen.begin_choice(visit)
    visit.change({"noise": {"role": "validator", "family": "normal"}})
    assert chosen.choice_begun(visit) is job
    assert job.wait(60)
    assert chosen.running_choice(visit) is None
    families = {name: visit.schema[name].family for name in ("rating", "noise")}
    assert families == {"rating": "categorical", "noise": "normal"}
    assert visit.schema["noise"].role == "validator"
