"""What is asked about a table, what is not, and what the answers do."""

import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import Schema, infer_schema

R, OWN = np.random.default_rng(0), np.random.default_rng(2)
N = 300
K = np.arange(N)
GROUP = R.integers(0, 2, N)
M = {f"m{j}": R.normal(3 * GROUP, 1) for j in range(4)}
ILL = np.where(GROUP, "ill", "well")
YES = R.integers(0, 2, (9, N))
TIME = R.exponential(900, N).round()
DIED = (TIME < 900).astype(int)
LEFT = R.random(N) < 0.4
COST = {f"price.{k}": R.gamma(9, 2, N).round(2) for k in ("ant", "bee", "cat")}
FEATURES = R.normal(size=(N, 4))
PRICE = FEATURES @ [3, 1, 0, 1] + R.normal(size=N)
SCORES = {f"score {j}": R.normal(size=N).round(2) for j in range(5)}
STEPS = ["very bad", "bad", "neither good nor bad", "good", "very good"]
ONE_OF = {k: {f"job_{j}": (K * 11 % k == j).astype(int) for j in range(k)} for k in (3, 4, 7)}
NOT_QUITE = {**ONE_OF[4], "job_0": np.where(K == 5, 1 - ONE_OF[4]["job_0"], ONE_OF[4]["job_0"])}
DAYS = K * 7 % 900  # of a workbook, behind one of them
JOBS = {f"{k} jobs": R.permutation(np.arange(53_000, 113_000, 199))[:N] for k in "xyz"}
STAFF = {  # what a firm knows of its staff, with why and whether they left
    "salary": R.normal(60_000, 9_000, N).round(),
    "Position": R.choice(["clerk", "driver", "cook"], N),
    "StatusCode": np.where(LEFT, 5, R.choice([1, 2], N, p=[0.9, 0.1])),
    "Terminated": LEFT.astype(int),
    "TermReason": np.where(LEFT, R.choice(["pay", "moved", "study"], N), "N/A - still here"),
    **{n: YES[j] for j, n in enumerate(("Offer1", "Offer2", "Accepted3", "Accepted4"))},
}
SURVEY = {  # answers with the codes of a survey, words in order and a weight for every row
    "wt": R.gamma(4, 0.25, N).round(4) + 0.01,
    "trust": R.choice([1, 2, 3, 4, 5, 8, 9], N, p=[0.2] * 4 + [0.1, 0.05, 0.05]),
    "income": np.where(R.random(N) < 0.1, 998, R.integers(20, 90, N)),
    "age": np.where(R.random(N) < 0.1, 999, R.integers(18, 90, N)),
    "economy1": R.choice(STEPS, N),
    "economy2": R.choice(STEPS, N),
    "party": R.choice(["left", "right", "green", "Unknown"], N),
    "home": R.choice(["flat", "house", "farm", "Prefer not to say"], N),
}
OFFERS = {f"AcceptedOffer{j}": YES[j] for j in range(1, 6)}
SPENT = {"type": R.choice(list("uvw"), N), "spent": R.gamma(1, 90, N)}
HOMES = {"price": R.normal(100, 10, N), "Latitude": R.normal(60, 0.1, N)}
HOMES["lng"] = R.normal(16.4, 0.1, N)


def joined(base=M, **columns):
    """Some columns behind four measurements of two groups, or behind others."""
    return {**base, **columns}


def unnamed(columns):
    return {f"column {j}": cells for j, cells in enumerate(columns.values())}


#: About what is asked of a table and which columns every question names, or none.
ASKED = [
    ("label: Klasse", joined(Klasse=ILL)),
    ("label: zzz", joined(zzz=ILL)),  # by its place
    ("label: column_4", {n.replace(" ", "_"): c for n, c in unnamed(joined(z=ILL)).items()}),
    ("label: klasse", {"klasse": GROUP, **M}),
    ("label: klasse", {**M, "klasse": GROUP, "m9": M["m0"] ** 2}),
    ("label: y", {"y": GROUP, **M}),
    ("label:", {"x": M["m0"], "y": R.normal(size=N), "z": M["m1"]}),
    ("label: y", joined(y=np.resize([2, 3, 8], N))),
    ("missing:", joined(y=np.resize([2, 3, 8, 9], N))),  # classes
    ("missing: vote", joined(vote=np.resize([1, 2, 1, 2, 1, 2, 8, 9], N))),
    ("label:", joined(n_visits=GROUP + 1)),
    ("label:", joined(married=GROUP)),
    ("label: Response", joined(OFFERS, **SPENT, Response=YES[0])),
    ("label:", joined(OFFERS, **SPENT)),
    (f"outcome: {' '.join(OFFERS)}", joined(OFFERS, **SPENT, Response=YES[0])),
    ("outcome:", joined(OFFERS, type=SPENT["type"])),  # they are the whole table
    ("outcome: StatusCode Terminated TermReason Accepted3 Accepted4", STAFF),
    ("outcome:", joined(COST, age=K % 60 + 18)),  # what each of several offers costs
    (f"outcome: {' '.join(COST)} totalCost", joined(COST, age=K % 60 + 18, totalCost=PRICE + 20)),
    ("outcome: column_4", {f"column_{j}": c for j, c in enumerate([*FEATURES.T, PRICE])}),
    ("outcome:", {f"m{j}_": c for j, c in enumerate([*FEATURES.T, PRICE])}),
    ("treatment: hormon", joined(hormon=K % 2, rfstime=TIME, status=DIED)),
    ("treatment: chemo_cycles statin", joined(chemo_cycles=K % 4, statin=K % 5 // 3, died=DIED)),
    (
        "treatment: Tamoxifen colectomy",
        joined(Tamoxifen=K % 2, colectomy=K % 3 % 2, died=DIED),
    ),
    ("treatment:", joined(april=K % 2, person=K % 7 % 2, died=DIED)),
    ("treatment:", joined(hormon=K % 2, grade=K % 3 + 1)),
    ("outcome: discharge", joined(discharge=np.resize(["home", "DEAD/EXPIRED", "hospice"], N))),
    ("treatment:", joined(History_of_Drug_Use=K % 2, rfstime=TIME, status=DIED)),
    ("outcome:", joined(num_mort_accounts=K % 4)),  # mortgages
    ("weight: Weight", joined(SCORES, Weight=R.gamma(4, 0.25, N) + 0.01)),
    ("weight: sampling_weight", joined(SCORES, sampling_weight=K % 80 + 80)),
    ("weight:", {"height": R.normal(170, 9, N), "weight": R.normal(75, 12, N)}),
    ("weight:", joined(SCORES, Weight=R.integers(1600, 4100, N))),  # of cars
    ("identifier: hospital", joined(hospital=R.permutation(330_000 + 2000 * K))),
    ("identifier: card", joined(card=R.integers(4 * 10**15, 5 * 10**15, N))),
    ("identifier:", joined(**JOBS)),  # amounts of one size
    ("identifier:", joined(age2=R.integers(18, 66, N) ** 2)),
    ("identifier:", joined(wait=R.choice([*np.exp(R.normal(5, 1, 40)).round(), 2700], N))),
    *((f"repeat: {' '.join(ONE_OF[k])}", joined(**ONE_OF[k])) for k in (3, 7)),
    ("repeat:", joined(**NOT_QUITE)),
    (
        "repeat: job_0 job_1 job_2",
        joined(**{n: np.where(K % 9, c, np.nan) for n, c in ONE_OF[3].items()}),
    ),
    ("repeat:", joined(u=ONE_OF[3]["job_1"], v=ONE_OF[3]["job_2"])),
    *(
        (
            "repeat: job_0 job_1 job_2 job_3",
            joined(**{n: np.where(c, *words) for n, c in ONE_OF[4].items()}),
        )
        for words in (("yes", "no"), ("True", "False"), ("ja", "nein"))
    ),
    ("cells: bp", joined(bp=[f"{k % 40 + 95}/{k % 15 + 55}" for k in K])),
    *(
        ("cells: x", joined(x=[form.format(k % 40 + 95, k % 15 + 55) for k in K]))
        for form in ("{} / {} mmHg", "{}:{}", "{}-{}", "0,{}/0,{}", "{0} ({1}.5-{0})", "-{}°{}'")
    ),
    *(
        ("cells: x", joined(x=[form.format(k % 70 / 10 + 3, k % 90 / 100 + 8) for k in K]))
        for form in ("-{:.2f}, {:.1f}", "4{:.3f},7{:.4f}")
    ),
    ("cells: rr", joined(rr=[f"{110 + k % 50}/{60 + k % 31}" if k % 7 else "refused" for k in K])),
    ("cells:", joined(rr=[f"{110 + k % 50}/{60 + k % 31}" if k % 3 else f"{k}" for k in K])),
    ("cells: x", joined(x=np.resize(["1920x1080", "1366x768", "1280x800", "800x600"], N))),
    ("cells:", joined(x=[f"{k % 5 + 1}, {k % 7 + 6}" for k in K])),
    *(
        (f"cells: {name}", joined(**{name: [form.format(k % 9 + 32, k % 7) for k in K]}))
        for name, form in (("ssw", "{}w+{}"), ("ga", "{} {}/7"), ("gest", "{}-{}"))
    ),
    ("cells: height", joined(height=[f"{k % 2 + 5}'{k % 12}\"" for k in K])),
    ("cells: ssw", joined(ssw=[f"{k % 9 + 32}+{k % 7}" if k % 3 else f"{k % 9 + 32}" for k in K])),
    ("cells:", joined(band=[f"{k % 20}0 to {k % 20}9 km" for k in K])),
    ("cells:", joined(titre=[f"1:{2 ** (k % 6) * 10}" for k in K])),
    ("cells:", joined(x=[f"{k // 9 + 50}-{k % 9 + 1}" for k in K])),
    ("cells: onset", joined(onset=40_000.5 + DAYS)),
    *((f"cells: {n}", joined(**{n: 41_000 + DAYS})) for n in ("Datum", "visitdt", "admitted")),
    *(("cells:", joined(**{n: 41_000 + DAYS})) for n in ("steps", "update")),
    # As SAS, R, SPSS and Unix count them, and Excel with the time of day.
    *(
        (f"cells: {n}", joined(**{n: first + step * K}))
        for n, first, step in (
            *(("dob", -9000, 61), ("birthdate", 13_000_000_000, 864e5)),
            *(("created_at", 1_400_000_000, 86_411.0), ("timestamp", 40_000.25, 1.75)),
        )
    ),
    *(
        ("cells:", joined(**{n: R.normal(mean, mean / 9, N).round()}))
        for n, mean in (("birth weight", 3200), ("cost per visit", 4100), ("days", 4000))
    ),
    ("cells:", joined(date=1950 + K % 50)),
    ("missing: trust income age | party home", SURVEY),
    (
        "missing: spo2 | ph",
        joined(
            spo2=np.where(K % 9, 88 + K % 13, 255), ph=np.where(K % 50, 7.2 + K % 30 / 100, 9.9)
        ),
    ),
    *(
        (
            "missing: age",
            {
                "age": np.where(np.arange(48) % 7, 20 + K[:48], odd + K[:48] % 5),
                "h": R.normal(size=48),
            },
        )
        for odd in (250, 990)
    ),
    ("missing: edu", joined(edu=np.where(K % 30, K % 20, 96))),
    ("missing:", joined(spo2=np.where(K % 9, 88 + K % 13, 112), tail=2.0 ** (K % 10))),
    ("missing: change", joined(change=R.choice([-1, 0, 1], N, p=[0.05, 0.35, 0.6]))),
    ("missing:", joined(spent=np.where(K % 5, OWN.gamma(1, 60, N).round(), 0))),
    ("missing: pdays", joined(pdays=np.where(K % 4, -1, R.integers(1, 90, N)))),
    ("order: economy1 economy2", SURVEY),
    ("order:", joined(code=np.resize(list("ABCD"), N))),
]


def of_kind(schema, what):
    return [question for question in schema.questions if question.about == what]


@pytest.mark.parametrize(("expected", "columns"), ASKED)
def test_what_is_asked_about_which_columns(expected, columns):
    what, names = expected.split(":")
    schema = infer_schema(pd.DataFrame(columns))
    asked = of_kind(schema, what)
    assert [{*q.columns} for q in asked] == [{*n.split()} for n in names.split("|") if n.strip()]
    for question in asked:
        assert question.text in repr(schema)
        for answer in question.answers:
            assert answer.step is not None or question not in answer(schema).questions


#: Of the first such table above, an answer, a column and fields that it then has.
ANSWERED = [
    ("label: Klasse", 0, "Klasse", {"role": "label"}),
    ("label: Klasse", -1, "Klasse", {"role": "cluster"}),
    ("outcome: column_4", 0, "column_4", {"role": "validator"}),
    ("treatment: hormon", 0, "hormon", {"role": "cluster"}),
    ("treatment: hormon", 1, "hormon", {"role": "control"}),
    ("weight: Weight", 0, "Weight", {"role": "weight"}),
    ("identifier: hospital", 0, "hospital", {"role": "id"}),
    ("repeat: job_0 job_1 job_2", 0, "job_1", {"role": "ignore"}),
    ("repeat: job_0 job_1 job_2", 1, "job_1", {"role": "cluster"}),
    ("cells: bp", -1, "bp", {"role": "cluster", "family": "categorical"}),
    ("cells: Datum", -1, "Datum", {"role": "cluster", "family": "normal"}),
    ("missing: trust income age | party home", 0, "age", {"missing_codes": (999,)}),
    ("missing: trust income age | party home", 1, "trust", {"special_codes": (8, 9)}),
    ("order: economy1 economy2", 0, "economy2", {"levels": tuple(STEPS)}),
]


@pytest.mark.parametrize(("expected", "place", "name", "fields"), ANSWERED)
def test_an_answer_changes_its_columns(expected, place, name, fields):
    schema = infer_schema(pd.DataFrame(next(columns for key, columns in ASKED if key == expected)))
    spec = of_kind(schema, expected.split(":")[0])[0].answers[place](schema)[name]
    assert {field: getattr(spec, field) for field in fields} == fields


def test_a_word_for_unknown_is_a_value_until_somebody_says_otherwise():
    schema = infer_schema(frame := pd.DataFrame(SURVEY))
    _, words = of_kind(schema, "missing")
    assert not words.answers[0].changes
    answered = words.answers[1](schema)
    assert answered["home"].missing_codes == ("Prefer not to say",)
    assert "Unknown" not in answered["party"].levels
    blank = np.isnan(answered.encode(frame).codes_of("party"))
    np.testing.assert_array_equal(blank, frame.party == "Unknown")


def test_cells_of_several_answers_are_shown_as_such_and_asked_about_where_they_can_be_split():
    roles = R.choice(["Leader, Doctor", "Climber (trekking agency)", "Leader", "Doctor"], N)
    (question,) = of_kind(infer_schema(pd.DataFrame(joined(role=roles))), "cells")
    assert "(Leader, Doctor)" in question.text
    j = np.arange(1200) // 2
    many = [f"p{a};p{b}" for a, b in zip(j % 80, (j + j // 80 * 13) % 80, strict=True)]
    schema = infer_schema(pd.DataFrame({"found": many, "size": R.normal(size=1200)}))
    assert (schema["found"].role, of_kind(schema, "cells")) == ("ignore", [])


@pytest.mark.parametrize(
    ("column", "code"),
    [
        (R.binomial(4, 0.5, N) + 1.0, 9),
        (R.integers(18, 90, N) * 1.0, 999),
        (R.normal(120, 12, N).round(), 0),
        (R.poisson(3, N) * 1.0, -1),
        (np.exp(R.normal(1, 1, N)).round(2), 99),
        (R.integers(0, 2, N) * 1.0, 9),
        (R.normal(70, 9, N).round(1), 999.9),
        (R.normal(12, 2, N).round(2), -99.99),
        (R.normal(12, 2, N).round(2), 1e20),
    ],
)
def test_a_code_among_numbers_is_asked_about(column, code):
    assert infer_schema(pd.DataFrame({"c": column})).questions == ()
    with_code = pd.DataFrame({"c": np.where(K % 19 == 0, code, column)})
    schema = infer_schema(with_code)
    (question,) = of_kind(schema, "missing")
    assert f"Does {code} in “c” (16 cells)" in question.text
    after = {answer.text: answer(schema)["c"] for answer in question.answers}
    assert (after["Missing"].special, after["Keep apart"].special_codes) == ((), (code,))
    assert code in after["Missing"].missing_codes
    plain = after["A plain value"]
    assert (plain.missing_codes, plain.special) == ((), ())
    for answer in question.answers:  # each with a likelihood that suits it
        assert np.isfinite(answer(schema).encode(with_code).values[:, 0]).any()


def test_several_codes_are_one_question_and_a_zero_beside_them_can_stand_apart():
    scale = np.where(K % 10, R.integers(1, 6, N), np.where(K % 20, 99, -1))
    (question,) = of_kind(schema := infer_schema(pd.DataFrame({"c": scale})), "missing")
    assert question.text.startswith("Do -1 and 99 in “c”")
    after = {answer.text: answer(schema)["c"] for answer in question.answers}
    assert after["Missing"].missing_codes == after["Keep apart"].special_codes == (-1, 99)
    assert (after["Plain values"].missing_codes, after["Plain values"].special) == ((), ())
    dose = np.where(K % 5 < 2, 0, R.normal(150, 12, N).round(1))
    schema = infer_schema(pd.DataFrame({"dose": np.where(K % 10 == 9, 9999, dose)}))
    *_, mixed = of_kind(schema, "missing")[0].answers
    assert mixed.text == "Keep 0 apart, 9999 missing"
    dose = mixed(schema)["dose"]
    assert (dose.missing_codes, dose.special) == ((9999,), ("zero",))


def test_prices_have_no_codes_however_many_are_whole():
    random = np.random.default_rng(0)
    price, whole = np.exp(random.normal(4.6, 0.4, 3000)), random.random(3000) < 0.5
    frame = pd.DataFrame({"price": np.where(whole, price.round(), price.round(2))})
    assert of_kind(infer_schema(frame), "missing") == []
    frame.loc[random.random(3000) < 0.05, "price"] = 99  # as often as fifteen others together
    assert len(of_kind(infer_schema(frame), "missing")) == 1


ROOMS = R.choice([0, 1, 2, 3, 4, 5, 6, 8], 900, p=(0.01, 0.07, 0.24, 0.45, 0.16, 0.04, 0.02, 0.01))
TALL = np.random.default_rng(4).normal(172, 9, N).round()
LARGE = R.normal(300_000, 60_000, 400).round(-3)
#: Name, cells, odd numbers behind them, and what is said of where these lie.
ODD = [
    ("age", R.uniform(18, 89, 115).round(1), [300.5, 301, 302, 300, 301.1], "above any age"),
    ("age", R.uniform(18, 89, 95).round(1), [300.5] * 25, "above any age"),
    ("age", np.resize(np.arange(18, 90), N), [150], "above any age"),
    ("edad", np.resize(np.arange(18, 90), N), [200] * 30, "above any age"),
    ("Alter", np.resize(np.arange(18, 90), N), [150] * 20, "above any age"),
    ("возраст", np.resize(np.arange(18, 90), N), [150] * 20, "above any age"),
    ("Geburtsjahr", R.integers(1940, 1996, N), [1870] * 40, "over 90 years before"),
    ("pct fat", R.uniform(40, 97, N).round(1), [104.5], "above 100 %"),
    ("SpO2", R.integers(88, 101, 295), [150] * 5, "above 100 %"),
    ("pct taken", R.integers(60, 101, 295), [103, 105, 106, 108, 110], ""),
    ("pulse", R.normal(70, 7, N).round(), [0], "at 0, far below all others"),
    ("price", LARGE, [-240_000, -310_000], "below 0"),
    ("age in days", R.integers(18, 90, N), [151, 133], ""),
    ("birth", R.integers(1732, 1962, N), [1731], ""),
    ("visits in all", R.integers(1, 60, N), [0], ""),
    ("size", np.exp(R.normal(4, 0.4, N)).round(1), [50_000.0], "far from all others"),
    ("height", TALL, [1.82, 1.75, 1.66, 1.79, 1.58] * 3, "far from all others"),  # metres
    ("temp", R.normal(37, 0.4, N).round(1), [98.6, 99.1, 97.9] * 4, "far from all others"),
    ("glucose", R.normal(5.5, 0.5, N).round(1), [101.0, 105.0, 92.0] * 4, "far from all others"),
    ("mass", TALL - 100, [75_000, 62_000, 93_000, 58_000, 81_000] * 3, "far from all others"),
    ("dose", (TALL / 1000).round(3), [170.0, 165, 182, 190, 176] * 3, "far from all others"),
    ("dose", TALL, [5_000_001.0, 5_000_002, 5_000_003, 5_000_004, 5_000_005] * 3, ""),
    ("size", np.exp(R.normal(4, 1.2, N)).round(1), [], ""),
    ("size", OWN.standard_t(3, N).round(2) + 40.0, [], ""),
    ("size", ROOMS, [50], "far from all others"),
]


@pytest.mark.parametrize(("name", "cells", "odd", "text"), ODD)
def test_numbers_that_cannot_be_or_lie_far_away_are_asked_about(name, cells, odd, text):
    cells = [*cells, *odd]
    schema = infer_schema(pd.DataFrame({name: cells, "m": R.normal(size=len(cells))}))
    asked = of_kind(schema, "missing")
    assert len(asked) == bool(text), asked
    for question in asked:
        assert text in question.text
        yes = next(answer for answer in question.answers if answer.text == "Yes: missing")
        assert set(yes(schema)[name].missing_codes) == set(odd)
        is_far = text.startswith("far")  # else it is the best guess
        assert (question.answers[0] is yes) == (not is_far)


def test_outcomes_are_suggested_by_name():
    few = R.integers(0, 2, N)
    frame = {
        "time": R.integers(1, 4000, N),
        "status": np.resize([0, 1, 2, 1], N),
        "trt": few,
        "x": few,
    }
    schema = infer_schema(pd.DataFrame(frame))
    assert (schema["time"].family, schema["time"].event) == ("time_to_event", "status")
    assert [schema[name].role for name in frame] == ["validator", "validator", "control", "cluster"]
    assert schema.label_column is None
    named = pd.DataFrame({"Treatment Outcome": frame["status"], "x": few, "outcome_score": few})
    assert infer_schema(named).names("validator") == ("Treatment Outcome",)
    named = pd.DataFrame({"months_followed": frame["time"], "died": few, "x": few})
    assert infer_schema(named).names("validator") == ("months_followed", "died")
    assert infer_schema(pd.DataFrame(frame), label="x").label_column == "x"
    alone = infer_schema(pd.DataFrame({"status": few, "x": few, "diagnosis": few}))
    assert alone.label_column == "diagnosis"
    assert infer_schema(pd.DataFrame({"status": few, "x": few})).label_column == "status"


def test_latitude_and_longitude_are_left_aside_where_there_is_one_pair():
    for more, roles in (
        ({}, ["cluster", "ignore", "ignore"]),
        ({"start_lat": HOMES["Latitude"] + R.normal(0, 0.01, N)}, ["cluster"] * 4),
        ({"Latitude": R.integers(50, 70, N)}, ["cluster"] * 3),
    ):
        schema = infer_schema(pd.DataFrame({**HOMES, **more}))
        assert [spec.role for spec in schema.values()] == roles
    assert infer_schema(pd.DataFrame(HOMES))["lng"].reason.startswith("Where the row is")


@pytest.mark.parametrize(
    ("names", "left_out"),
    [
        (["StartDate", "Finished", "Duration (in seconds)", "Q1"], 3),
        (["lastpage", "startlanguage", "seed", "status of health"], 3),
        (["Finished", "Progress", "Status", "Q1"], 0),
        (["Response ID", "Finished", "Q1", "Q2"], 0),
    ],
)
def test_what_a_surveys_software_wrote_is_no_answer(names, left_out):
    frame = pd.DataFrame(R.integers(0, 5, (80, 4)), columns=names)
    schema = infer_schema(frame)
    found = [name for name in names if "survey's software" in schema[name].reason]
    assert len(found) == left_out
    assert not {*found} & {*schema.names("cluster")}


def test_what_surely_numbers_rows_or_was_predicted_is_left_aside_and_asked_about_once():
    frame = pd.DataFrame(R.normal(50, 9, (N, 3)).round(1), columns=["iron", "zinc", "lead"])
    frame["batch no"] = 160_000_000 + R.permutation(N) // 3 * 4 * 1009
    frame.loc[: N // 2, "batch no"] = 150_000_000 + K[: N // 2 + 1]
    frame["income"] = R.permutation(np.arange(20_003, 50_003, 100))
    frame["Naive_Bayes_Classifier_2"] = R.beta(2, 5, N)
    schema = infer_schema(frame)
    out = {"batch no", frame.columns[-1]}
    assert {n for n in schema if schema[n].role != "cluster"} == out
    assert [schema[n].role for n in ("batch no", frame.columns[-1])] == ["id", "ignore"]
    assert sorted(n for question in schema.questions for n in question.columns) == sorted(out)
    (question,) = (q for q in schema.questions if "batch no" in q.columns)
    assert not question.answers[0].changes
    assert question.answers[1](schema)["batch no"].role == "cluster"


def test_an_order_says_what_it_would_leave_without_a_place():
    words = ["Very hard", "Somewhat hard", "Somewhat easy", "Very easy"] * 50
    for unknown, first in (
        (3, "In this order; 3 cells with other words become missing"),
        (90, "No"),
    ):
        cells = words + ["I don't know"] * unknown
        frame = pd.DataFrame({"leave": cells, "n": range(len(cells))})
        (question,) = of_kind(infer_schema(frame), "order")
        assert question.answers[0].text.startswith(first)


def test_what_follows_from_a_finer_category_is_asked_about():
    jobs, of = np.array([f"job {letter}" for letter in "abcdefghi"]), R.integers(0, 9, N)
    exact = np.array(["shop", "store", "office"])[of // 4]
    branch = np.r_[np.roll(exact[:4], 1), exact[4:]]
    words = pd.DataFrame({"job": jobs[of], "branch": branch, "pay": R.normal(9, 2, N)})
    words["town"] = R.choice([f"town {j}" for j in range(140)], N)
    (question,) = of_kind(schema := infer_schema(words), "repeat")
    assert question.columns == ("branch", "job")
    assert "follows from “job”" in question.text
    fine, both, coarse = question.answers
    assert not both.changes
    assert fine(schema)["branch"].role == coarse(schema)["job"].role == "ignore"
    assert of_kind(infer_schema(words.assign(job=R.permutation(words["job"]))), "repeat") == []


def test_a_table_of_made_columns_alone_is_typed():
    """After a step such as one row per patient no column may be as it came."""
    frame = pd.DataFrame(R.normal(size=(60, 6))).add_prefix("c")
    frame.attrs["made"] = dict.fromkeys(frame, ("gone",))
    assert infer_schema(frame).names("cluster") == tuple(frame)


def test_questions_are_saved_renamed_and_settled_by_hand():
    schema = infer_schema(pd.DataFrame({**M, "type": ILL}))
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again.questions == schema.questions
    renamed = schema.renamed({"type": "kind"})
    assert renamed.questions[0].answers[0](renamed).label_column == "kind"
    assert schema.with_column("type", role="validator").questions == ()
    assert schema.with_column("m0", family="exponential").questions == schema.questions


def test_what_an_older_schema_took_unasked_is_left_aside():
    columns = [{"name": name, "family": "normal"} for name in ("a", "b")]
    changes = {"b": {"role": "ignore", "reason": "The same."}}
    question = {"about": "repeat", "columns": ["b"], "text": "?", "is_taken": True}
    question["answers"] = [{"text": "Leave aside", "changes": changes}]
    schema = Schema.from_dict({"version": 1, "columns": columns, "questions": [question]})
    assert schema.names("cluster") == ("a",)
    open_still = Schema.from_dict(
        {"version": 1, "columns": columns, "questions": [question | {"is_taken": False}]}
    )
    assert (open_still.names("cluster"), len(open_still.questions)) == (("a", "b"), 1)
