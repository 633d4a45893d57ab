"""One call each: groups described, a study, outcomes corrected for errors, and the snippets."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from mapdp_studio import core
from mapdp_studio.core import (
    MAPDP,
    DPMeans,
    MixtureEM,
    SchemaError,
    Study,
    describe,
    load_model,
    save_model,
    stability,
    three_step,
)
from mapdp_studio.core.clinical import verdict
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.inference.contributions import column_contributions
from mapdp_studio.core.statistics.resampling import EFFORTS, Protocol
from tests.models.test_estimator import SMALL
from tests.tables.cohorts import table


@pytest.fixture
def cohort() -> pd.DataFrame:
    random = np.random.default_rng(0)
    group = random.integers(2, size=60)
    return pd.DataFrame(
        {
            "patient": [f"P{i:02d}" for i in range(60)],
            "age": random.normal([40.0, 70.0], 4.0, (60, 2))[range(60), group].round(1),
            "visits": random.poisson(np.array([2.0, 14.0])[group]),
            "pressure": random.normal([110.0, 150.0], 9.0, (60, 2))[range(60), group].round(),
            "died": np.where(random.random(60) < np.array([0.2, 0.6])[group], "yes", "no"),
        }
    )


@pytest.fixture
def few_draws(monkeypatch) -> None:
    monkeypatch.setitem(EFFORTS, "preview", Protocol(2, 2, 1))
    monkeypatch.setattr(verdict, "QUICK", 1)


@pytest.fixture
def no_checks(monkeypatch) -> None:
    monkeypatch.setattr(
        "mapdp_studio.core.clinical.study.run_checks",
        lambda frame, lock, found, is_full, callback: Checks(found),
    )


def test_the_steps_are_on_record_in_the_order_of_the_page(cohort, no_checks):
    study = Study(cohort, {"visits": "poisson"}, outcomes="died", controls=["pressure"], restarts=1)
    lock = study.lock
    assert (lock.columns("validator"), lock.columns("control")) == (("died",), ("pressure",))
    assert lock.schema["visits"].family == "poisson"
    with pytest.raises(AttributeError, match=r"call run\(\) first"):
        _ = study.groups
    study.run()
    assert not study.groups_seen
    assert study.groups["Patients"].sum() == len(cohort) == study.labels_.size
    assert study.groups_seen
    assert not study.validators_seen
    lines = study.t_tests
    assert {*lines["column"]} == {"age", "visits"}
    assert study.validators_seen
    assert study.verdict.provisional


def test_no_small_count_leaves_with_the_report_nor_with_a_notebook(cohort, no_checks, tmp_path):
    cohort["died"] = np.where(np.arange(60) < 3, "yes", "no")
    study = Study(cohort, outcomes=["died"], restarts=1).run()
    n_1, n_2 = np.bincount(study.labels_)
    assert re.search("yes: [123] of", " ".join(study.outcomes.iloc[0].astype(str)))
    assert "below 10" in study.report(tmp_path / "report.html", least=10)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{n_1:,}" in page
    assert (
        study.tables(least=10)["table-1"].set_index("Column").loc["died = yes", "All"] == "hidden"
    )
    shown = re.sub("<script.*?</script>", "", page, flags=re.DOTALL)
    assert not any(patient in shown for patient in cohort["patient"])
    _, after_the_time = repr(study).split(" UTC: ")  # a minute may be such a number
    assert not re.search(rf"\b({n_1}|{n_2})\b", after_the_time)


@pytest.mark.parametrize(
    ("name", "schema", "outcomes", "words", "validators"),
    [
        ("gbsg", {}, ["rfstime", "status"], "as a time to an event", ["rfstime"]),
        ("veteran", {}, [], "as a time to an event", ["time"]),  # and made no groups
        ("melanoma", {}, ["status"], "1 is the event, 3 rules it out", ["time"]),
        ("gbsg", {"rfstime": "validator"}, ["status"], "each by itself", ["rfstime", "status"]),
        ("gbsg", {"rfstime": "ignore"}, ["status"], "", ["status"]),
        ("rossi", {}, ["arrest"], "by “week”.*make one its time to the event", ["arrest"]),
    ],
)
def test_a_censored_time_is_no_measurement_without_a_word(
    name, schema, outcomes, words, validators, recwarn
):
    study = Study(table(name), schema, outcomes=outcomes)
    found = [str(warning.message) for warning in recwarn]
    assert [*study.lock.columns("validator")] == validators
    assert len(found) == bool(words)
    assert re.search(words, " ".join(found))
    assert found == [event.what for event in study.log[1:]]
    is_taken = study.lock.schema[validators[0]].event == "status"
    assert is_taken == ("event" in words and name != "rossi")
    assert not is_taken or not {"status", *validators} & {*study.lock.columns("cluster")}


def test_what_cannot_be_a_study_gets_a_sentence(cohort, tmp_path):
    with pytest.raises(SchemaError, match="There is no column 'dead'"):
        Study(cohort, outcomes=["dead"])
    twice = cohort.assign(patient=np.repeat(np.arange(30), 2))
    with pytest.raises(SchemaError, match="A row is not a patient here"):
        Study(twice, {"patient": "id"})
    with pytest.raises(ValueError, match="give preview or full"):
        Study(cohort).run("much")
    with pytest.raises(ValueError, match=r"end it in \.html"):
        Study(cohort).report(tmp_path / "report.pdf")


ROOM = np.random.default_rng(1)
GROUP = ROOM.integers(2, size=50)
FRAME = pd.DataFrame(
    {
        "size": ROOM.normal([0.0, 9.0], 1.0, (50, 2))[range(50), GROUP].round(2),
        "kind": np.where(GROUP == 1, "b", "a"),
        "visits": ROOM.poisson(np.array([1.0, 12.0])[GROUP]),
    }
).mask(ROOM.random((50, 3)) < 0.08)


@pytest.fixture(scope="module")
def model() -> MAPDP:
    return MAPDP(random_state=0, patience=2).fit(FRAME)


def test_a_description_says_what_the_rooms_say_in_the_user_s_words(model):
    found = describe(model)
    assert found.sentence.startswith("2 groups of 50 rows")
    assert [card.size for card in found.cards] == np.bincount(model.labels_).tolist()
    own = column_contributions(model.partition_)
    pd.testing.assert_frame_equal(found.contributions, own.loc[found.contributions.index])
    assert found.contributions["nats"].is_monotonic_decreasing
    assert (found.rules["right"] <= found.rules["named"]).all()
    assert found.rules.loc["Cluster 1", "right"] > 15
    assert list(found.table.columns) == ["Column", "All rows", "Cluster 1", "Cluster 2"]
    assert "<table" in found._repr_html_()
    pd.testing.assert_frame_equal(found.frame, FRAME, check_dtype=False)  # decoded, holes as holes
    pd.testing.assert_frame_equal(describe(model, FRAME).rules, found.rules)
    with pytest.raises(ValueError, match=r"fitted to 50 rows and the table has 3"):
        describe(model, FRAME.head(3))
    loaded = load_model(save_model(model))
    with pytest.raises(ValueError, match="holds no rows"):
        describe(loaded)
    with pytest.raises(AttributeError, match="holds no rows, and no labels_"):
        _ = loaded.labels_
    assert repr(model.result_).startswith("Fit of MAPDP: 2 clusters of 50 rows, objective ")


@pytest.mark.parametrize("name", SMALL)
def test_any_estimator_is_described_and_drawn(name):
    found = describe(getattr(core, name)(**SMALL[name]).fit(FRAME[["size"]].dropna().to_numpy()))
    assert "of 46 rows" in found.sentence
    assert "x0" in found.contributions.index
    assert "Cluster 1" in found.figure().to_json()


def test_stability_is_that_of_the_page(model, few_draws):
    found = stability(model)
    assert list(found.table["rows"]) == np.bincount(model.labels_).tolist()
    assert found.table["jaccard"].between(0.5, 1.0).all()
    assert found.settings["is_own"].sum() >= 1
    assert len(found.rows) == 50
    assert "2 of 2 restarts" in found.sentence
    with pytest.raises(TypeError, match="a fitted MAPDP tells it, not DPMeans"):
        stability(DPMeans(n_clusters_hint=2).fit(FRAME))


TEXT = (Path(__file__).parents[2] / ".docs" / "pages" / "tasks.md").read_text(encoding="utf-8")
BLOCK = r"^## (.*?)\n\n```python[^\n]*\n(.*?)```"
SNIPPETS = dict(re.findall(BLOCK, TEXT, re.MULTILINE | re.DOTALL))


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("task", SNIPPETS)
def test_every_task_takes_five_lines_of_public_names(task, cohort, tmp_path, monkeypatch, capsys):
    cohort.to_csv(tmp_path / "patients.csv", index=False)
    (tmp_path / "visits").mkdir()
    monkeypatch.chdir(tmp_path)
    assert len(SNIPPETS) == TEXT.count("```python") - 1 == 12  # the table is made first
    code = SNIPPETS[task]
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) <= 5
    names = re.findall(r"^from mapdp_studio import (.*)$", code, re.MULTILINE)[0].split(", ")
    assert {*names} <= {*core.__all__}
    exec(compile(code, task, "exec"), {})
    assert capsys.readouterr().out.strip()
    for page in re.findall(r'"(\w+\.html)"', code):
        assert "<html" in (tmp_path / page).read_text(encoding="utf-8")


#: Error of the best assignment, columns, and the outcomes of the two classes.
ERROR, M = 0.15, 4
MEANS, SHARES = (0.0, 1.0), (0.2, 0.6)


def draw(seed: int, n: int = 1_000, error: float = ERROR) -> tuple[np.ndarray, ...]:
    """Class, columns (n, M), a normal outcome and a yes/no outcome of every row."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    apart = 2.0 * norm.isf(error) / np.sqrt(M)
    rows = random.normal(size=(n, M)) + apart * group[:, None]
    amount = random.normal(np.array(MEANS)[group])
    yes = random.random(n) < np.array(SHARES)[group]
    return group, rows, amount, np.where(yes, "yes", "no")


def corrected(seed: int, n: int = 800) -> dict[str, float]:
    """Differences of the two classes over the true ones, and whether intervals and tests err."""
    _, rows, amount, answer = draw(seed, n)
    model = MixtureEM(2, prior=None, random_state=seed).fit(rows)
    upward = np.argsort(model.parameters_["x0"]["mean"])
    noise, facts = np.random.default_rng([seed, 1]).normal(size=n), {}
    found = three_step(model, pd.Series(amount).where(np.arange(n) > 9))
    assert found.n_observed == n - 10
    shares = three_step(model, answer).table.xs("yes", level="level")
    for name, of_groups, truth in (("amount", found.table, MEANS), ("share", shares, SHARES)):
        for column in ("naive", "estimate"):
            gap = np.diff(of_groups[column].to_numpy()[upward])[0]
            facts[f"{name}, {column}"] = float(gap / (truth[1] - truth[0]))
    difference = abs(float(np.diff(found.table["estimate"])[0]))
    error = np.sqrt(np.array([-1.0, 1.0]) @ found.covariance @ [-1.0, 1.0])
    assert found.chi2 == pytest.approx((difference / error) ** 2)
    facts["covered"] = abs(difference - 1.0) < 1.96 * error
    facts["rejected"] = three_step(model, noise).p < 0.05
    return facts


def test_the_classification_table_holds_every_row_and_the_expected_error():
    _, rows, amount, _ = draw(1)
    weights = np.where(np.arange(len(rows)) < 500, 2.0, 1.0)
    model = MixtureEM(2, random_state=0).fit(rows, sample_weight=weights)
    found = three_step(model, amount)
    assert found.classification.to_numpy().sum() == pytest.approx(1_500.0)
    for k, naive in enumerate(found.table["naive"]):
        own = model.responsibilities_.argmax(axis=1) == k
        assert naive == pytest.approx(np.average(amount[own], weights=weights[own]))
    # Of what the classes have by the estimates, the error gives each assigned class what it has.
    counts = found.classification.to_numpy()
    error = counts / counts.sum(axis=1, keepdims=True)
    sums = np.bincount(model.responsibilities_.argmax(axis=1), weights * amount)
    by_class = counts.sum(axis=1) * found.table["estimate"].to_numpy()
    np.testing.assert_allclose(by_class @ error, sums)
    surest = model.responsibilities_.max(axis=1)
    assert found.classification_error == pytest.approx(1.0 - weights @ surest / 1_500.0)
    assert found.classification_error == pytest.approx(ERROR, abs=0.03)
    surely = MAPDP(random_state=0).fit(np.repeat([[0.0], [99.0]], 9, axis=0))
    assert three_step(surely, np.arange(18.0)).classification_error == pytest.approx(0.0)
    outcome = np.tile([-1.0, 0.0, 1.0], 6) + np.repeat([0.0, 10.0], 9)  # variance 2 / 3
    found = three_step(surely, outcome).covariance
    np.testing.assert_allclose(found, np.eye(2) * 2 / 27, atol=1e-9)
    with pytest.raises(TypeError, match="DPMeans has no likelihood"):
        three_step(DPMeans(penalty=4.0).fit(rows), amount)


def test_three_steps_give_back_what_wrong_assignments_take_and_say_how_sure():
    sets = pd.DataFrame([corrected(seed) for seed in range(25)])
    mean = sets.mean()
    assert mean.filter(like="naive").between(0.62, 0.76).all()
    assert mean.filter(like="estimate").between(0.92, 1.08).all()
    assert mean["covered"] >= 0.8
    assert mean["rejected"] <= 0.2


def test_groups_of_map_dp_are_corrected_for_their_own_error():
    found, stated, true = [], [], []
    for seed in range(8):
        group, rows, amount, _ = draw(seed, error=0.1)
        model = MAPDP(random_state=0, patience=2).fit(rows)
        corrected = three_step(model, amount)
        stated.append(corrected.classification_error)
        wrong = np.mean(model.labels_ != group)
        true.append(min(wrong, 1.0 - wrong))
        found.append(np.abs(np.diff(corrected.table[["naive", "estimate"]], axis=0))[0])
    assert np.mean(stated) == pytest.approx(np.mean(true), abs=0.01)
    naive, estimate = np.mean(found, axis=0)
    assert 0.75 < naive < 0.85
    assert 0.95 < estimate < 1.05


@pytest.mark.parametrize(
    ("k", "outcome", "why"),
    [
        (2, np.ones(59), "has 59 values where the model was fitted to 60 rows"),
        (1, np.ones(60), "one class only"),
        (2, np.full(60, np.nan), "fewer than two rows with a known outcome"),
        (2, ["yes"] * 60, "fewer than two different values"),
    ],
)
def test_what_cannot_be_corrected_gets_a_sentence(k, outcome, why):
    with pytest.raises(ValueError, match=why):
        three_step(MixtureEM(k, random_state=0).fit(draw(0, 60)[1]), outcome)
