"""What is asked about a table, what is not, and what the answers do."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import Schema, infer_schema, read_table
from tests.odd_tables import ODD_TABLES
from tests.planted_codes import CODES, is_asked, planted

from .test_infer import DATA

RANDOM = np.random.default_rng(0)
ROOMS = (0.01, 0.07, 0.24, 0.45, 0.16, 0.04, 0.02, 0.01)


def grouped(n=200, seed=0):
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    return pd.DataFrame({f"m{j}": random.normal(3 * group, 1) for j in range(4)}), group


def about(schema, what):
    return [question for question in schema.questions if question.about == what]


@pytest.mark.parametrize("name", ["Klasse", "tumour_type", "Diagnóstico", "zzz", "column 5"])
def test_the_answer_is_asked_about_and_set_aside(name):
    frame, group = grouped()
    frame[name] = np.where(group, "ill", "well")
    if name == "column 5":
        frame.columns = [f"column {j}" for j in range(1, 6)]
    schema = infer_schema(frame)
    (question,) = about(schema, "label")
    assert question.columns == (name,)
    assert schema[name].role == "cluster"
    answered = question.answers[0](schema)
    assert answered.label_column == name
    assert about(answered, "label") == []
    assert about(question.answers[-1](schema), "label") == []
    assert question.text in repr(schema)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"The twelve tables are not at {DATA}.")
def test_tables_without_class_and_outcomes_are_not_asked():
    false = []
    for folder in sorted(DATA.iterdir()):
        facts = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
        away = {facts["class_column"], *facts["outcome_columns"]} - {None}
        schema = infer_schema(read_table(folder / f"{folder.name}.csv").drop(columns=list(away)))
        false += [q.text for q in schema.questions if q.about in ("label", "outcome")]
    assert len(false) <= 1, false


@pytest.mark.skipif(not DATA.is_dir(), reason=f"The twelve tables are not at {DATA}.")
def test_a_class_is_asked_about_whatever_its_name():
    missed = []
    for folder in sorted(DATA.iterdir()):
        facts = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
        if (name := facts["class_column"]) is None:
            continue
        frame = read_table(folder / f"{folder.name}.csv").drop(columns=facts["outcome_columns"])
        tables = [frame.rename(columns={name: "zzz"})]
        if name != frame.columns[-1]:
            tables.append(frame.set_axis([f"column {j}" for j in range(frame.shape[1])], axis=1))
        place = frame.columns.get_loc(name)
        for table in tables:
            asked = {n for q in about(infer_schema(table), "label") for n in q.columns}
            if table.columns[place] not in asked:
                missed.append((folder.name, table.columns[place]))
    assert missed == []


@pytest.mark.parametrize("kind", ["panel", "items", "before copies", "count", "marital"])
def test_what_only_stands_where_answers_stand_is_not_asked_about(kind):
    frame, group = grouped(200)
    if kind == "panel":
        frame = frame.assign(year=np.tile(np.arange(1990, 2010), 10))
        frame = frame.assign(firm=np.repeat([f"firm {k}" for k in range(10)], 20))
        frame["m0"] += np.repeat(np.arange(10) * 4, 20)
    elif kind == "items":
        random = np.random.default_rng(1)
        others = {f"feat.{k}": random.integers(0, 2, 200) for k in "ab"}
        frame = frame.assign(**others, **{"feat.c": group})
    elif kind == "before copies":
        ride = group + (group & (frame["m0"] > 3))
        frame = frame.assign(ride=ride, ride1=ride == 0, ride2=ride == 1, ride3=ride == 2)
    elif kind == "count":
        frame["n_visits"] = group + 1
    else:
        frame["married"] = group
    assert about(infer_schema(frame), "label") == []


def test_what_each_of_several_offers_costs_is_no_outcome():
    random = np.random.default_rng(7)
    prices = {f"price.{k}": random.gamma(9, 2, 300).round(2) for k in ("ant", "bee", "cat")}
    frame = pd.DataFrame({"age": random.integers(18, 80, 300), **prices})
    assert about(infer_schema(frame), "outcome") == []
    whole = frame.assign(**{"total cost": random.gamma(9, 7, 300).round(2)})
    (question,) = about(infer_schema(whole), "outcome")
    assert set(question.columns) == {*prices, "total cost"}


def test_what_a_raw_table_was_made_to_predict_is_asked_about():
    random = np.random.default_rng(3)
    features = random.normal(size=(300, 4))
    price = features @ [3, 1, 0, 1] + random.normal(size=300)
    frame = pd.DataFrame(np.column_stack([features, price])).round(2)
    schema = infer_schema(frame.rename(columns="column {}".format))
    (question,) = about(schema, "outcome")
    assert question.columns == ("column 4",)
    assert about(infer_schema(frame.rename(columns="m{}_".format)), "outcome") == []


def test_outcomes_with_a_time_are_proposed_as_survival():
    frame, group = grouped()
    frame["days to progression"] = np.random.default_rng(1).integers(3, 2000, 200)
    frame["gestorben"] = group
    schema = infer_schema(frame)
    (question,) = about(schema, "outcome")
    survival = question.answers[0](schema)
    spec = survival["days to progression"]
    assert (spec.family, spec.event, spec.event_codes) == ("time_to_event", "gestorben", (1,))
    assert survival["gestorben"].role == "ignore"  # read together with the time


@pytest.mark.parametrize(
    ("column", "code"),
    [
        (lambda r: r.binomial(4, 0.5, 300) + 1.0, 9),
        (lambda r: r.integers(18, 90, 300) * 1.0, 999),
        (lambda r: r.normal(120, 12, 300).round(), 0),
        (lambda r: r.poisson(3, 300) * 1.0, -1),
        (lambda r: np.exp(r.normal(1, 1, 300)).round(2), 99),
        (lambda r: r.integers(1, 6, 300) * 1.0, 0),
        (lambda r: r.integers(0, 2, 300) * 1.0, 9),
        (lambda r: r.normal(70, 9, 300).round(1), 999.9),
        (lambda r: r.normal(12, 2, 300).round(2), -99.99),
    ],
)
def test_a_code_among_numbers_is_asked_about(column, code):
    random = np.random.default_rng(5)
    values = column(random)
    assert infer_schema(pd.DataFrame({"c": values})).questions == ()
    planted = pd.DataFrame({"c": np.where(random.random(300) < 0.05, code, values)})
    schema = infer_schema(planted)
    (question,) = about(schema, "missing")
    assert f"Does {code} in" in question.text
    by_text = {answer.text: answer(schema)["c"] for answer in question.answers}
    assert code in by_text["Missing"].missing_codes
    assert by_text["Missing"].special == ()
    assert by_text["Keep apart"].special_codes == (code,)
    plain = by_text["A plain value"]
    assert (plain.missing_codes, plain.special) == ((), ())
    for answer in question.answers:  # each with a likelihood that suits it
        codes = answer(schema).encode(planted)
        assert np.isfinite(codes.values[:, 0]).any()


def test_the_codes_of_one_column_are_one_question():
    random = np.random.default_rng(5)
    scale = random.integers(1, 6, 300) * 1.0
    frame = pd.DataFrame({"c": np.where(random.random(300) < 0.9, scale, 99)})
    frame.loc[::20, "c"] = -1
    schema = infer_schema(frame)
    (question,) = about(schema, "missing")
    assert question.text.startswith("Do -1 and 99 in “c”")
    by_text = {answer.text: answer(schema)["c"] for answer in question.answers}
    assert by_text["Missing"].missing_codes == (-1, 99)
    assert by_text["Keep apart"].special_codes == (-1, 99)
    assert (by_text["Plain values"].missing_codes, by_text["Plain values"].special) == ((), ())


def test_a_zero_beside_codes_can_stand_apart_while_they_are_missing():
    random = np.random.default_rng(6)
    values = np.where(random.random(300) < 0.6, random.normal(150, 12, 300).round(1), 0)
    schema = infer_schema(pd.DataFrame({"dose": np.where(random.random(300) < 0.1, 9999, values)}))
    (question,) = about(schema, "missing")
    assert question.answers[0].text == "Keep 0 apart, 9999 missing"
    spec = question.answers[0](schema)["dose"]
    assert (spec.missing_codes, spec.special) == ((9999,), ("zero",))


@pytest.mark.parametrize("seed", range(4))
def test_prices_have_no_codes_however_many_are_whole(seed):
    random = np.random.default_rng(seed)
    price = np.exp(random.normal(4.6, 0.4, 3000))
    whole = random.random(3000) < 0.5
    frame = pd.DataFrame({"price": np.where(whole, price.round(), price.round(2))})
    assert about(infer_schema(frame), "missing") == []
    frame.loc[random.random(3000) < 0.05, "price"] = 99  # as often as fifteen others together
    assert len(about(infer_schema(frame), "missing")) == 1


def test_codes_are_asked_about_in_mixed_tables_and_only_where_they_are():
    tables = range(24)
    asked = [is_asked(planted(seed, CODES[seed % len(CODES)])) for seed in tables]
    without = [infer_schema(planted(seed).frame) for seed in tables]
    assert sum(asked) >= 23
    assert sum(any(about(schema, "missing")) for schema in without) <= 1


def test_a_date_that_is_none_is_asked_about():
    days = pd.Series(pd.date_range("2015-01-01", periods=100, freq="9D"))
    days[::10] = pd.Timestamp("1900-01-01")
    for column in (days, days.dt.strftime("%d.%m.%Y")):
        schema = infer_schema(pd.DataFrame({"seen": column, "x": np.arange(100.0) ** 2}))
        (question,) = about(schema, "missing")
        assert "1900" in question.text


def test_numbers_that_tell_rows_apart_are_asked_about():
    frame, _ = grouped()
    frame["hospital"] = np.random.default_rng(2).permutation(np.arange(530_000, 930_000, 2000))
    (question,) = about(infer_schema(frame), "identifier")
    assert question.columns == ("hospital",)
    assert question.answers[0](infer_schema(frame))["hospital"].role == "id"


def test_amounts_of_one_size_number_no_rows():
    frame, _ = grouped()
    random = np.random.default_rng(2)
    jobs = {f"{k} jobs": random.permutation(np.arange(53_000, 93_000, 199))[:200] for k in "xyz"}
    assert about(infer_schema(frame.assign(**jobs)), "identifier") == []


def test_codes_put_together_from_digits_are_asked_about_and_squares_and_waits_are_not():
    random = np.random.default_rng(6)
    sites = [0, *(1000 * random.integers(1, 10, 20) + 100 * random.integers(0, 4, 20) + 5)]
    ages, waits = random.integers(18, 66, 300), np.exp(random.normal(5, 1, 40)).round()
    frame = pd.DataFrame(
        {
            "lesion": random.choice(sites, 300),
            "age2": ages**2,
            "wait": random.choice([*waits, 2700], 300),
            "m": random.normal(size=300),
        }
    )
    (question,) = about(infer_schema(frame), "identifier")
    assert question.columns == ("lesion",)


def test_questions_are_saved_renamed_and_settled_by_hand():
    frame, group = grouped()
    frame["type"] = np.where(group, "ill", "well")
    schema = infer_schema(frame)
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again.questions == schema.questions
    renamed = schema.renamed({"type": "kind"})
    assert renamed.questions[0].answers[0](renamed).label_column == "kind"
    assert schema.with_column("type", role="validator").questions == ()
    assert schema.with_column("m0", family="exponential").questions == schema.questions
    assert about(infer_schema(frame.set_axis([f"column {j}" for j in range(5)], axis=1)), "headers")


def test_letters_are_no_grades_unless_the_name_says_so():
    frame = pd.DataFrame({"group code": list("ABCD") * 30, "grade": list("ADCB") * 30})
    schema = infer_schema(frame.assign(x=np.arange(120.0)))
    assert about(schema, "order") == []
    assert schema["grade"].levels == ("D", "C", "B", "A")


def test_the_coloured_answer_throws_nothing_away():
    """Whatever is asked: what makes cells missing or keeps a column out is a plain button."""
    tables = [planted(seed, CODES[seed % len(CODES)]).frame for seed in range(6)]
    tables += [survey(), staff(), *ODD_TABLES.values()]
    asked = [question for table in tables for question in infer_schema(table).questions]
    assert {question.about for question in asked} >= {"outcome", "missing", "order", "weight"}
    for question in asked:
        if (primary := question.primary) is None:
            continue
        for changes in primary.changes.values():
            assert changes.get("role") in (None, "cluster", "weight"), question.text
            assert not changes.get("missing_codes"), question.text
    again = Schema.from_dict(infer_schema(survey()).to_dict())
    assert [q.primary for q in again.questions] == [
        q.primary for q in infer_schema(survey()).questions
    ]


def survey(n=400):
    """Answers with the codes of a survey, words in order and a weight for every row."""
    random = np.random.default_rng(3)
    steps = ["very bad", "bad", "neither good nor bad", "good", "very good"]
    return pd.DataFrame(
        {
            "wt": random.gamma(4, 0.25, n).round(4) + 0.01,
            "trust": random.choice([1, 2, 3, 4, 5, 8, 9], n, p=[0.2] * 4 + [0.1, 0.05, 0.05]),
            "income": np.where(random.random(n) < 0.1, 998, random.integers(20, 90, n)),
            "age": np.where(random.random(n) < 0.1, 999, random.integers(18, 90, n)),
            "economy now": random.choice(steps, n),
            "economy then": random.choice(steps, n),
            "party": random.choice(["left", "right", "green", "Unknown"], n),
            "home": random.choice(["flat", "house", "farm", "Prefer not to say"], n),
        }
    )


def staff(n=300):
    """What a firm knows of its staff, with why and whether they left."""
    random = np.random.default_rng(4)
    left = random.random(n) < 0.4
    reasons = random.choice(["pay", "moved", "study"], n)
    return pd.DataFrame(
        {
            "salary": (random.normal(60_000, 9_000, n)).round(),
            "Position": random.choice(["clerk", "driver", "cook"], n),
            "StatusCode": np.where(left, 5, random.choice([1, 2], n, p=[0.9, 0.1])),
            "Terminated": left.astype(int),
            "TermReason": np.where(left, reasons, "N/A - still here"),
            "Offer1": random.integers(0, 2, n),
            "Offer2": random.integers(0, 2, n),
            "Accepted3": random.integers(0, 2, n),
            "Accepted4": random.integers(0, 2, n),
        }
    )


def test_the_codes_of_a_survey_are_one_question_for_all_columns():
    frame = survey()
    schema = infer_schema(frame)
    codes, words = about(schema, "missing")
    assert codes.columns == ("trust", "income", "age")
    missing = next(answer for answer in codes.answers if answer.text == "Missing")(schema)
    assert missing["trust"].missing_codes == (8, 9)
    assert missing["income"].missing_codes == (998,)
    assert missing["age"].missing_codes == (999,)
    assert words.columns == ("party", "home")
    assert words.primary is words.answers[0]
    assert not words.primary.changes
    answered = words.answers[1](schema)
    assert answered["home"].missing_codes == ("Prefer not to say",)
    assert "Unknown" not in answered["party"].levels
    assert (
        np.isnan(answered.encode(frame).codes_of("party")).sum() == (frame.party == "Unknown").sum()
    )


def test_words_in_order_are_asked_about_as_a_set():
    frame = survey()
    (question,) = about(infer_schema(frame), "order")
    assert question.columns == ("economy now", "economy then")
    answered = question.answers[0](infer_schema(frame))
    assert answered["economy then"].levels[::2] == ("very bad", "neither good nor bad", "very good")


@pytest.mark.parametrize(
    ("name", "values", "others", "asked"),
    [
        ("Weight", lambda r: r.gamma(4, 0.25, 200) + 0.01, (), True),
        ("weight", lambda r: r.gamma(1, 3000, 200).round(1) + 1, (), True),
        ("sampling_weight", lambda r: r.integers(80, 900, 200), (), True),
        ("weight", lambda r: r.normal(75, 12, 200).round(1), ("height",), False),
        ("Weight", lambda r: r.integers(1600, 4100, 200), (), False),
        ("wt", lambda r: r.normal(3.2, 0.9, 200).clip(1).round(2), (), False),
    ],
)
def test_a_weight_of_rows_is_offered_and_that_of_a_body_is_not(name, values, others, asked):
    random = np.random.default_rng(5)
    frame = pd.DataFrame({name: values(random), "score": random.normal(size=200)})
    frame = frame.assign(**{other: random.normal(170, 9, 200) for other in others})
    schema = infer_schema(frame)
    questions = about(schema, "weight")
    assert [question.columns for question in questions] == [(name,)] * asked
    if asked:
        weighed = questions[0].answers[0](schema)
        assert weighed.weights_of(frame) is not None


def test_what_is_known_afterwards_is_one_question_with_what_says_the_same():
    schema = infer_schema(staff())
    (question,) = about(schema, "outcome")
    came = {"StatusCode", "Terminated", "TermReason", "Accepted3", "Accepted4"}
    assert set(question.columns) == came
    assert about(schema, "label") == []  # of numbered offers none is the answer


def test_the_last_column_is_the_answer_where_it_is_named_so():
    random = np.random.default_rng(6)
    frame = pd.DataFrame({f"AcceptedOffer{j}": random.integers(0, 2, 300) for j in range(1, 6)})
    frame = frame.assign(type=random.choice(list("uvw"), 300), spent=random.gamma(1, 90, 300))
    frame["Response"] = random.integers(0, 2, 300)
    (question,) = about(infer_schema(frame), "label")
    assert question.columns == ("Response",)
    (replies,) = about(infer_schema(frame), "outcome")
    assert replies.columns == tuple(f"AcceptedOffer{j}" for j in range(1, 6))
    assert about(infer_schema(frame.iloc[:, :6]), "outcome") == [], "they are the whole table"
    assert about(infer_schema(frame.drop(columns="Response")), "label") == []


def test_what_follows_from_a_finer_category_is_asked_about():
    random = np.random.default_rng(8)
    jobs = np.array([f"job {letter}" for letter in "abcdefghi"])
    job = random.integers(0, 9, 300)
    branch = np.array(["shop", "store", "office"])[job // 3]
    branch[:6] = np.roll(branch[:6], 1)
    words = pd.DataFrame({"job": jobs[job], "branch": branch, "pay": random.normal(9, 2, 300)})
    words["town"] = random.choice([f"town {j}" for j in range(140)], 300)
    (question,) = about(infer_schema(words), "repeat")
    assert question.columns == ("branch", "job")
    assert "follows from \u201cjob\u201d in 9" in question.text
    both, fine, coarse = question.answers
    assert question.primary is both
    assert not both.changes
    assert fine(infer_schema(words))["branch"].role == "ignore"
    assert coarse(infer_schema(words))["job"].role == "ignore"
    exact = words.assign(branch=np.array(["shop", "store", "office"])[job // 3])
    (question,) = about(infer_schema(exact), "repeat")
    assert question.primary is None, "nothing is lost by the finer one alone"
    assert question.answers[0](infer_schema(exact))["branch"].role == "ignore"
    roughly = exact.assign(boss=np.array(list("abcdefg"))[np.minimum(job, 6)])
    roughly.loc[:8, "boss"] = np.roll(roughly.loc[:8, "boss"], 1)
    assert set(about(infer_schema(roughly), "repeat")[0].columns) >= {"branch", "job"}
    words["job"] = random.permutation(words["job"])
    assert about(infer_schema(words), "repeat") == []


@pytest.mark.parametrize(
    ("name", "cells", "odd", "said"),
    [
        ("age", RANDOM.integers(18, 90, 300), [151, 133], "above any age"),
        ("Year_Birth", RANDOM.integers(1940, 1996, 300), [1887, 1890], "over 90 years before"),
        ("Geburtsjahr", RANDOM.integers(1940, 1996, 300), [1870] * 40, "over 90 years before"),
        ("pct fat", RANDOM.uniform(40, 97, 300).round(1), [104.5], "above 100 %"),
        ("pulse", RANDOM.normal(70, 7, 300).round(), [0], "at 0, far below all others"),
        ("age in days", RANDOM.integers(18, 90, 300), [151, 133], ""),
        ("birth", RANDOM.integers(1732, 1962, 300), [1731], ""),
        ("pct change", RANDOM.uniform(40, 97, 300).round(1), [104.5], ""),
        ("visits in all", RANDOM.integers(1, 60, 300), [0], ""),
    ],
)
def test_numbers_that_cannot_be_are_asked_about(name, cells, odd, said):
    frame = pd.DataFrame({name: [*cells, *odd], "m": RANDOM.normal(size=len(cells) + len(odd))})
    schema = infer_schema(frame)
    asked = about(schema, "missing")
    assert len(asked) == bool(said)
    for question in asked:
        assert said in question.text
        yes, _ = question.answers  # the best guess, which throws something away
        assert question.primary is None
        assert set(yes(schema)[name].missing_codes) == set(odd)


def test_zeros_of_amounts_and_a_wrong_sign():
    random = np.random.default_rng(7)
    spent = np.where(random.random(400) < 0.2, 0, random.gamma(1, 60, 400).round())
    price = random.normal(300_000, 60_000, 400).round(-3)
    frame = pd.DataFrame({"spent": spent, "height": random.normal(170, 9, 400).round()})
    assert about(infer_schema(frame), "missing") == []
    price[:2] *= -1
    frame["price"] = price
    (question,) = about(infer_schema(frame), "missing")
    assert question.columns == ("price",)
    assert question.primary is None
    assert len(question.answers[0](infer_schema(frame))["price"].missing_codes) == 2


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (np.append(RANDOM.normal(80, 10, 300).round(1), 812.0), "(812)"),
        (np.append(np.exp(RANDOM.normal(4, 0.4, 300)).round(1), 50_000.0), "(50,000)"),
        (np.exp(RANDOM.normal(4, 1.2, 300)).round(1), ""),
        (RANDOM.standard_t(3, 300).round(2) + 40.0, ""),
        (RANDOM.poisson(3, 300), ""),
        (np.append(RANDOM.choice([0, 1, 2, 3, 4, 5, 6, 8], 900, p=ROOMS), [14, 50]), "(50)"),
    ],
    ids=["a slipped digit", "in logarithms", "a long tail", "heavy tails", "counts", "rooms"],
)
def test_a_number_far_from_all_others_is_asked_about(cells, said):
    frame = pd.DataFrame({"size": cells, "other": RANDOM.normal(size=len(cells))})
    schema = infer_schema(frame)
    asked = [q for q in schema.questions if "far from all others" in q.text]
    assert [q.text for q in asked] == [
        f"Is what lies far from all others in \u201csize\u201d {said} a mistake?"
    ] * bool(said)
    for question in asked:
        no, yes = question.answers
        assert question.primary is no
        missing = yes(schema)["size"].missing_codes
        assert cells.max() in missing


def test_whether_sex_and_origin_make_the_groups_is_asked_where_other_columns_do():
    r = np.random.default_rng(3)
    frame = pd.DataFrame({f"score {j}": r.normal(size=90).round(2) for j in range(5)})
    frame["Sex"] = r.choice(["m", "f"], 90)
    assert about(infer_schema(frame), "background") == []
    frame["MaritalDesc"] = r.choice(["single", "married", "divorced"], 90)
    frame["age"] = r.integers(18, 80, 90)
    schema = infer_schema(frame)
    (question,) = about(schema, "background")
    assert question.columns == ("Sex", "MaritalDesc", "age")
    stay, kept_out = question.answers
    assert question.primary is stay
    assert stay(schema).names("cluster") == schema.names("cluster")
    assert kept_out(schema).names("validator") == question.columns
    assert about(kept_out(schema), "background") == []
    few = frame.drop(columns=["score 0", "score 1"])
    assert about(infer_schema(few), "background") == [], "hardly another column is left"
    measured = frame.assign(Sex=r.normal(size=90).round(2))
    assert about(infer_schema(measured), "background") == [], "an index, say, of equality"
