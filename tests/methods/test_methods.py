"""A method is its estimator and its record: laws over all records, and one more that is planted."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio import core
from mapdp_studio.core.comparing.comparison import FitError, Results, Task, scoreboard, tasks
from mapdp_studio.core.comparing.panels import method_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.exports.script import from_demo, script_of
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.teaching.glossary import words
from mapdp_studio.core.teaching.steps import procedures, row_costs, walk
from tests.classroom import SETTINGS, fitted, room
from tests.planted_method import HALVES
from tests.tables.labelled import FRAME, SCHEMA

OTHERS = Settings(7.0, 9.0, 5, 4, False, 2, 11, 0.5)
OPTIONS = [(method, option) for method in METHODS.values() for option in method.options]


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_record_names_the_settings_that_its_arguments_depend_on(method):
    starts = (Settings(), OTHERS)
    touching = {
        setting.name
        for setting in fields(Settings)
        for start in starts
        for other in starts
        if method.arguments(start, 100)
        != method.arguments(replace(start, **{setting.name: getattr(other, setting.name)}), 100)
    }
    assert touching == {*method.reads}
    given = method.arguments(OTHERS, 100)
    assert given.items() <= method.estimator(**given).get_params().items()


@pytest.mark.parametrize(
    ("method", "option"), OPTIONS, ids=[f"{m.name}.{o.name}" for m, o in OPTIONS]
)
def test_what_a_method_alone_is_told_is_an_argument_with_its_own_default(method, option):
    stands = method.estimator(**method.told(Settings(), 100)).get_params()[option.name]
    assert stands == option.default
    assert isinstance(stands, str) or [*option.choices] == sorted(option.choices)
    for choice in option.choices:
        assert option.read(choice) == option.read(f"{choice}") == choice
        told = Settings().telling(method.name, option.name, choice)
        assert method.told(told, 100)[option.name] == choice
        assert METHODS["MAPDP"].told(told, 100) == METHODS["MAPDP"].told(Settings(), 100)
        assert told.telling(method.name, option.name, None) == Settings()
    for wrong in ("sine", float("nan"), True):
        with pytest.raises(ValueError, match="is no "):
            option.read(wrong)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_fit_is_remarked_on_and_explained(method):
    table = np.random.default_rng(0).normal(size=(24, 3))
    table[12:] += 6.0
    told = method.told(Settings(n_clusters=2), table.size)
    model = method.estimator(**told).fit(pd.DataFrame(table, columns=list("abc")))
    assert model.n_clusters_ >= 1
    assert method.remark(model)
    assert method.explanation(model).endswith(".")
    assert sum(other.title == method.title for other in METHODS.values()) == 1
    assert model.result_.algorithm == method.name


@pytest.mark.usefixtures("a_sixth")
def test_a_planted_method_stands_wherever_methods_are_listed():
    results, wanted = Results(), tasks("digest", SCHEMA, Settings(), len(FRAME))
    assert wanted["Halves"].arguments == (("turned", True),)
    for task in wanted.values():
        results.fit(task, FRAME, SCHEMA)
    view = choose_view(SCHEMA.encode(FRAME))
    panel = method_panel([*wanted][-1], view, results, wanted, wanted, None)
    assert panel.title.startswith("Halves, K = 2, NMI")
    assert panel.remark == "cut in two, by one column"
    assert panel.outlines == ()
    last = scoreboard(results, wanted, None).iloc[-1]
    assert (last.name, last["K"]) == ("Halves", 2)
    assert np.isfinite(last["E"])
    text = script_of(from_demo("iris"), wanted["Halves"], SCHEMA, "Cut")
    assert "from mapdp_studio.core import Halves, Schema" in text
    assert "model = Halves(turned=True).fit(frame, schema)" in text
    assert words()["Halves"] == "Cuts the rows in two."
    assert core.Halves is HALVES.estimator


@pytest.mark.usefixtures("a_sixth")
def test_a_planted_method_can_be_watched_and_asked_about_a_row():
    here = room("5.1", 150)
    results = fitted(here)
    found = row_costs(results, here.tasks, here.encoded, 3, here.truth.classes)
    assert [one.title for one in found] == [method.title for method in METHODS.first.values()]
    assert found[-1].words == "There is nothing to weigh."
    assert list(procedures())[-1] == "halves"
    run = walk("halves", here.encoded, here.view, here.truth.classes, SETTINGS, 0.1)
    assert [step.kind for step in run.steps] == ["cut at 0.25", "cut at 0.5"]
    assert "Halves" in here.methods


@pytest.mark.usefixtures("a_sixth")
def test_a_method_s_bound_on_rows_is_said_before_it_runs(monkeypatch):
    monkeypatch.setitem(METHODS, "Halves", replace(HALVES, is_first=True, most_rows=80))
    task = tasks("digest", SCHEMA, Settings(), len(FRAME))["Halves"]
    refused = Results().fit(task, FRAME, SCHEMA)
    assert isinstance(refused, FitError)
    with pytest.raises(ValueError, match="'Magic' is no method: there are MAPDP, DPMeans"):
        Results().fit(Task("digest", (), "Magic", ()), FRAME, SCHEMA)
    assert refused.reason == "Halves takes up to 80 rows and the table has 90: leave some out."
