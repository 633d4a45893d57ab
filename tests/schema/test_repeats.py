"""Columns that say what another one says: found, left aside with one question, taken back."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.schema.dependence import find_copies

from .test_infer import DATA

EXPORTS = DATA.parent / "exports"


def suggested(frame, label=None):
    """As it is fitted while nobody says otherwise."""
    return infer_schema(frame, label=label)


def _columns(n=300, seed=0):
    """Columns of every kind that say nothing of each other."""
    r = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "height": r.normal(170, 9, n).round(1),
            "age": r.integers(18, 90, n),
            "site": r.choice(["north", "south", "west"], n),
            "smoker": r.choice(["no", "yes"], n, p=[0.8, 0.2]),
            "pain": r.integers(0, 6, n),
            "visits": r.poisson(4, n),
        }
    )


COPIES = {
    "code of a word": ("site", lambda f: f["site"].map({"north": 3, "south": 1, "west": 2})),
    "another word": ("smoker", lambda f: f["smoker"].map({"no": "never", "yes": "daily"})),
    "coarser": ("pain", lambda f: np.where(f["pain"] > 2, "much", "little")),
    "band": (
        "age",
        lambda f: pd.cut(f["age"], [0, 40, 60, 99], labels=["a", "b", "c"]).astype(str),
    ),
    "other unit": ("height", lambda f: (f["height"] / 2.54).round(2)),
    "logarithm": ("height", lambda f: np.log(f["height"]).round(5)),
    "logarithm of what may be 0": ("age", lambda f: np.log(f["age"] - 17.9).round(3)),
    "all but a few": ("site", lambda f: f["site"].mask(f.index < 2, "west").map(str.upper)),
}


@pytest.mark.parametrize("kind", COPIES)
def test_a_copy_is_left_aside_and_taken_back_by_one_answer(kind):
    source, copy = COPIES[kind]
    frame = _columns().assign(copied=lambda f: copy(f))
    schema = infer_schema(frame)
    assert all(schema[n] == spec for n, spec in infer_schema(_columns()).items())
    assert schema["copied"].role == "ignore"
    assert schema["copied"].reason.startswith(f"The same fact as “{source}”.")
    (question,) = [q for q in schema.questions if q.about == "repeat"]
    assert question.columns == ("copied",)
    assert source in question.text
    keep, both = question.answers
    assert keep(schema).completed(frame)["copied"].role == "ignore"
    assert both(schema).completed(frame)["copied"].role == "cluster"
    assert not keep(schema).questions


def test_a_total_is_left_aside():
    r = np.random.default_rng(1)
    frame = pd.DataFrame(r.integers(0, 5, (200, 6)), columns=[f"q{j}" for j in range(6)])
    schema = suggested(frame.assign(score=frame.sum(axis=1)))
    assert schema["score"].role == "ignore"
    assert "the sum of “q0” to “q5”" in schema["score"].reason
    assert (
        suggested(frame.assign(score=frame.sum(axis=1) + r.integers(0, 2, 200)))["score"].role
        == "cluster"
    )


def test_bands_and_logarithms_of_a_total_are_left_aside_with_it():
    r = np.random.default_rng(1)
    frame = pd.DataFrame(r.integers(0, 5, (200, 6)), columns=[f"q{j}" for j in range(6)])
    score = frame.sum(axis=1)
    for made in (np.where(score < 12, "low", "high"), np.log10(score)):
        frame["made"] = made
        assert suggested(frame)["made"].role == "cluster"
        schema = suggested(frame.assign(score=score))
        assert schema["made"].reason.startswith("The same fact as “score”.")


def test_another_scale_with_slips_is_one_and_a_likeness_none():
    r = np.random.default_rng(5)
    frame = pd.DataFrame({"dose": r.gamma(4.0, 20.0, 400).round(1), "age": r.normal(50, 9, 400)})
    dose = frame["dose"]
    for scaled in (np.log10(dose).round(5), (dose / 2.54).round(2), 1e200 * dose, 1e-200 * dose):
        for slips, role in ((0, "ignore"), (7, "ignore"), (40, "cluster")):
            wrong = scaled.where(frame.index >= slips, scaled.to_numpy()[::-1])
            assert suggested(frame.assign(z=wrong))["z"].role == role, slips
    alike = frame["dose"] + r.normal(0.0, 1.0, 400).round(1)
    assert suggested(frame.assign(z=alike))["z"].role == "cluster"


def test_a_total_with_slips_is_left_aside_and_has_its_rare_item():
    r = np.random.default_rng(6)
    frame = pd.DataFrame(r.poisson(9, (400, 3)), columns=["beef", "fish", "bread"])
    frame["rare"] = np.where(np.arange(400) % 100 == 60, 1, 0)
    frame["sum"] = frame.sum(axis=1)
    assert suggested(frame)["sum"].reason.startswith("The same fact as the sum of “beef” to “ra")
    frame.loc[:5, "sum"] += 10
    assert suggested(frame)["sum"].role == "ignore"
    frame.loc[:40, "sum"] += 10
    assert suggested(frame)["sum"].role == "cluster"


def test_a_score_with_slips_is_left_aside():
    r = np.random.default_rng(8)
    frame = pd.DataFrame(r.integers(0, 5, (300, 9)), columns=[f"q{k}" for k in range(9)])
    frame["score"] = frame[["q1", "q4", "q8"]].sum(axis=1) - frame["q6"]
    frame.loc[:3, "score"] += 3
    assert suggested(frame)["score"].role == "ignore"
    frame.loc[:30, "score"] += 3
    assert suggested(frame)["score"].role == "cluster"


def test_totals_may_stand_in_place_of_their_items():
    """Of a part's score and that of all parts the part's: nothing is told twice."""
    r = np.random.default_rng(4)
    items = pd.DataFrame({f"q{k}": r.integers(0, 5, 200) for k in range(8)})
    frame = items.assign(first=items.iloc[:, :4].sum(axis=1), total=items.sum(axis=1))
    frame["age"] = r.integers(18, 90, 200)
    schema = suggested(frame)
    (question,) = (q for q in schema.questions if "left aside" in q.text)
    aside, _, only = question.answers
    assert question.primary is aside
    after = only(schema)
    left = [f"q{k}" for k in range(4, 8)]
    assert {n for n in after if after[n].role == "cluster"} == {"first", "age", *left}
    assert "In \u201cfirst\u201d, as you said." in after["q0"].reason


def test_a_score_of_scattered_and_reversed_items_is_left_aside():
    r = np.random.default_rng(3)
    frame = pd.DataFrame(r.integers(1, 6, (200, 8)), columns=[f"q{j}" for j in range(8)])
    score = frame["q0"] + frame["q3"] + (6 - frame["q5"]) + frame["q7"]
    schema = suggested(frame.assign(z=r.normal(size=200), score=score))
    (question,) = [q for q in schema.questions if q.about == "repeat"]
    assert question.columns == ("score",)
    score[::10] += 1
    assert suggested(frame.assign(z=r.normal(size=200), score=score))["score"].role == "cluster"


def test_a_copy_that_somebody_set_settles_nothing_about_the_others():
    frame = _columns().assign(code=lambda f: f["site"].map({"north": 3, "south": 1, "west": 2}))
    frame["inches"] = (frame["height"] / 2.54).round(2)
    schema = infer_schema(frame).with_column("code", role="validator")
    assert not schema.questions
    assert (schema["code"].role, schema["inches"].role) == ("validator", "ignore")


def test_the_word_stays_and_not_its_code_wherever_it_stands():
    frame = _columns()[["smoker", "height"]]
    frame["code"] = (frame["smoker"] == "yes").astype(int)
    specs = {name: suggested(frame[[name]])[name] for name in frame}
    for names in (["code", "smoker", "height"], ["smoker", "height", "code"]):
        (repeat,) = find_copies(frame, {name: specs[name] for name in names})
        assert (repeat.name, repeat.of) == ("code", ("smoker",))


def test_what_is_only_related_is_no_copy():
    """Groups far apart, a rare trait that agrees by chance, names that hardly recur, a country."""
    r = np.random.default_rng(2)
    group = r.integers(3, size=300)
    country = r.integers(0, 40, 300)
    frame = pd.DataFrame(
        {
            "weight": r.normal(60 + 40 * group, 2).round(1),
            "length": r.normal(10 + 30 * group, 2).round(1),
            "kind": np.array(["u", "v", "w"])[group],
            "rare": np.where(np.arange(300) < 2, "yes", "no"),
            "rare too": np.where(np.arange(300) < 3, "yes", "no"),
            "country": [f"land {k}" for k in country],
            "continent": np.array(["A", "B", "C", "D"])[country % 4],
        }
    )
    assert find_copies(frame, suggested(frame)) == []
    for seed in range(20):
        few = _columns(60, seed)
        assert find_copies(few, suggested(few)) == []


@pytest.mark.skipif(not EXPORTS.is_dir(), reason=f"The exports are not at {EXPORTS}.")
def test_an_export_names_its_codes_in_one_question():
    schema = suggested(read_table(EXPORTS / "hr.csv"))
    (question,) = [q for q in schema.questions if "left aside" in q.text]
    repeated = ["MarriedID", "MaritalStatusID", "GenderID", "DeptID", "PerfScoreID", "Termd"]
    repeated.append("EmploymentStatus")
    assert set(repeated) == set(question.columns)
    assert all(name in question.text for name in (*repeated, "PerformanceScore", "Sex"))
    # What says the same as an outcome is asked about with it.
    (question,) = [q for q in schema.questions if q.about == "outcome"]
    assert set(question.columns) == {"Termd", "EmpStatusID", "TermReason", "EmploymentStatus"}


@pytest.mark.skipif(not DATA.is_dir(), reason=f"The twelve tables are not at {DATA}.")
def test_only_true_copies_are_left_aside_in_the_twelve_tables():
    """Two of voice measures are thrice another one by definition.

    No grams a day are no drinker, but of how many drinkers the grams are not known!
    """
    found = {}
    for folder in sorted(DATA.iterdir()):
        facts = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
        frame = read_table(folder / f"{folder.name}.csv")
        schema = suggested(frame, label=facts["class_column"])
        for question in schema.questions:
            if question.about == "repeat":
                found[folder.name] = question.columns
    assert found == {"parkinsons-voice": ("Jitter:DDP", "Shimmer:DDA")}


def test_a_column_that_is_known_where_its_copy_is_not_stays():
    frame = _columns()
    grams = np.where(frame["smoker"] == "yes", 3.0 + frame["age"] // 10, 0.0)
    for unknown, aside in ((4, False), (40, True)):
        cells = np.where(np.arange(300) % unknown == 0, np.nan, grams)
        schema = suggested(frame.assign(cigarettes=cells))
        assert (schema["smoker"].role == "ignore") == aside


def _orders(n=400):
    r = np.random.default_rng(9)
    frame = pd.DataFrame({"rent": r.gamma(5.0, 90.0, n).round(1), "area": r.integers(20, 150, n)})
    return frame.assign(men=r.poisson(40, n), women=r.poisson(30, n).astype(float))


COMPUTED = {
    "sum": ("the sum of \u201cmen\u201d and", lambda f: f["men"] + f["women"].fillna(0), 0),
    "ratio": ("\u201crent\u201d divided by \u201carea\u201d", lambda f: f["rent"] / f["area"], 2),
    "product": ("\u201carea\u201d times \u201cmen\u201d", lambda f: f["area"] * f["men"], 0),
}


@pytest.mark.parametrize("kind", COMPUTED)
def test_what_is_computed_from_two_columns_is_left_aside_if_it_agrees(kind):
    words, made, digits = COMPUTED[kind]
    frame = _orders()
    frame.loc[::7, "women"] = np.nan
    made = made(frame).round(digits)
    schema = suggested(frame.assign(made=made))
    assert schema["made"].reason.startswith(f"The same fact as {words}"), schema["made"].reason
    slipped = made.where(frame.index % 80 > 0, made * 3)
    assert suggested(frame.assign(made=slipped))["made"].role == "ignore"
    wrong = made.where(frame.index % 10 > 0, made * 3)
    assert find_copies(frame.assign(made=wrong), suggested(frame.assign(made=wrong))) == []


def test_a_band_of_one_row_proves_nothing():
    number = np.arange(25) ** 2
    for first, copies in ((1, []), (2, ["band"])):
        band = np.where(number < number[first], "low", np.where(number < 250, "mid", "high"))
        frame = pd.DataFrame({"number": number, "band": band})
        specs = {name: infer_schema(frame[[name]])[name] for name in frame}
        assert [copy.name for copy in find_copies(frame, specs)] == copies
