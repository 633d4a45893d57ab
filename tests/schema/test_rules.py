"""The table of rules, an example and a counter-example a row; cells that strangers brought."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.schema.facts import look_at
from mapdp_studio.core.schema.rules import COLUMN_RULES

CASES = Path(__file__).parents[3] / "shared" / "redesign" / "cases"
R = np.random.default_rng(0)
N = 120
WORDS = np.array(["oak", "elm", "ash"])[np.arange(N) % 3]
DAYS = [f"2020-03-{day:02d}" for day in np.arange(N) % 28 + 1]
#: By rule: a column that it applies to first, and one that looks alike and is another.
EXAMPLES = {
    "empty": ("c", [None] * N, "c", [*[None] * (N - 1), 1.0]),
    "date": ("c", DAYS, "c", [f"{a}-{b}" for a, b in zip(range(N), range(N), strict=True)]),
    "constant": ("c", [4] * N, "c", [*[4] * (N - 1), 5]),
    "identifier by name": ("patient id", np.arange(N) // 2 * 7, "dose", np.arange(N) // 2 * 7),
    "two numbers in a cell": ("bp", [f"{100 + k}/{70 + k % 9}" for k in range(N)], "bp", WORDS),
    "several answers in a cell": (
        "pets",
        np.array(["cat;dog", "dog", "cat", "dog;cow", "cow"])[np.arange(N) % 5],
        "pets",
        np.array(["cat", "dog", "cow"])[np.arange(N) % 3],
    ),
    "text of its own": ("c", [f"S{k}" for k in range(N)], "c", [f"S{k % 9}" for k in range(N)]),
    "number of the row": ("c", np.arange(N), "c", R.permutation(np.arange(N) * 3 % 101)),
    "free text": (
        "c",
        [f"{k} felt well, and then came the long night" for k in range(N)],
        "c",
        WORDS,
    ),
    "two words": ("c", np.array(["no", "yes"])[np.arange(N) % 2], "c", WORDS),
    "known order": ("c", np.array(["low", "mid", "high"])[np.arange(N) % 3], "c", WORDS),
    "many words": ("c", [f"w{k % 70}" for k in range(N)], "c", [f"w{k % 30}" for k in range(N)]),
    "words": ("c", WORDS, "c", np.array(["low", "mid", "high"])[np.arange(N) % 3]),
    "two numbers": ("c", np.arange(N) % 2, "c", np.arange(N) % 3),
    "digits of dates": ("c", 20200301 + np.arange(N) % 28, "c", 20209901 + np.arange(N) % 28),
    "days of a workbook": (
        "onset date",
        43251 + np.arange(N) * 7 % 99,
        "c",
        43251 + np.arange(N) * 7 % 99,
    ),
    "named like codes": ("region", np.arange(N) % 5 + 1, "mood", np.arange(N) % 5 + 1),
    "count": ("c", R.poisson(3.0, N), "c", R.integers(0, 9, N)),
    "codes by their frequencies": (
        "c",
        R.choice(4, N, p=[0.45, 0.05, 0.4, 0.1]),
        "c",
        R.choice(4, N, p=[0.1, 0.4, 0.35, 0.15]),
    ),
    "rating": ("c", R.integers(1, 6, N), "c", R.integers(1, 60, N)),
    "even steps": ("c", np.arange(N) % 5 / 2, "c", np.sqrt(np.arange(N) % 5)),
    "measurement": ("c", R.normal(size=N), "c", R.integers(1, 6, N)),
}


def first(name, values):
    facts = look_at(pd.Series(values), name)
    return next(rule.key for rule in COLUMN_RULES if rule.applies(facts))


@pytest.mark.parametrize("key", EXAMPLES)
def test_every_rule_has_an_example_and_a_counter_example(key):
    name, values, other, counter = EXAMPLES[key]
    if key == "two numbers":  # words come before numbers in the table
        assert "two" in first(name, values)
    else:
        assert first(name, values) == key
    assert first(other, counter) != key


def test_the_table_is_walked_whole():
    assert {rule.key for rule in COLUMN_RULES} - {"constant number"} == {*EXAMPLES}


def schema_of(columns):
    return infer_schema(pd.DataFrame(columns))


def asked(schema, about):
    return [name for q in schema.questions if q.about == about for name in q.columns]


@pytest.mark.parametrize(
    "cells",
    [
        [f"{a}/{b}" for a, b in zip(R.integers(95, 180, N), R.integers(55, 99, N), strict=True)],
        [f"{k % 9 + 32}+{k % 7}" for k in range(N)],
        [f"{k % 31 + 20} / {k % 17 + 2}" for k in range(N)],
        [f"{k % 31 + 100}/{k % 17 + 62} mmHg" for k in range(N)],
    ],
    ids=["blood pressure", "weeks + days", "with blanks", "with a unit"],
)
def test_two_numbers_in_a_cell_are_left_aside_and_asked_about(cells):
    schema = schema_of({"pair": cells, "m": R.normal(size=N)})
    assert schema["pair"].role == "ignore"
    assert asked(schema, "cells") == ["pair"]
    kept = schema.questions[0].answers[-1](schema)
    assert (kept["pair"].role, kept["pair"].family) == ("cluster", "categorical")


@pytest.mark.parametrize(
    ("name", "low"),
    [
        *[("date_of_birth", 20_000), ("Datum", 41_000), ("admission", 44_500), ("onset", 40_000.5)],
        *[("Aufnahmedatum", 41_000), ("visitdt", 43_000), ("enddate", 43_000)],
    ],
)
def test_days_as_a_workbook_counts_them_are_asked_about(name, low):
    days = low + R.integers(0, 900, N)
    schema = schema_of({name: days, "m": R.normal(size=N)})
    assert schema[name].role == "ignore"
    assert asked(schema, "cells") == [name]
    plain = schema.questions[0].answers[-1](schema)
    assert (plain[name].role, plain[name].family) == ("cluster", "normal")
    for other in ("steps", "update", "candidate"):
        assert schema_of({other: days})[other].role != "ignore"


@pytest.mark.parametrize("rows", [1, 5, 9, 25])
def test_ages_that_stand_for_over_89_are_asked_about_whatever_their_number(rows):
    ages = np.append(R.uniform(18, 89, N - rows), 300 + R.uniform(0, 3, rows)).round(1)
    schema = schema_of({"age": ages, "m": R.normal(size=N)})
    (question,) = (q for q in schema.questions if q.about == "missing")
    assert "above any age" in question.text


@pytest.mark.parametrize(
    "order",
    [
        ["NEG", "TR", "30", "100", ">300"],
        ["neg", "trace", "1+", "2+", "3+"],
        ["negative", "5", "10", "50"],
        ["0", "2-5", "5+"],
        ["0", "1", "2", "2-5", "3", "5+"],
        ["neg", "+", "++", "+++"],
        ["\uff0d", "\u00b1", "\uff11\uff0b", "\uff12\uff0b"],
        ["(-)", "(\u00b1)", "1+(30)", "2+(100)"],
        ["+/-", "+", "++"],
        ["\u2605", "\u2605\u2605", "\u2605\u2605\u2605"],
        ["negative", "trace", "small", "large"],
    ],
)
def test_a_test_strip_has_an_order(order):
    schema = schema_of({"strip": np.resize(order, N), "m": R.normal(size=N)})
    assert schema["strip"].levels == tuple(order)
    assert schema["strip"].family == "binomial"


@pytest.mark.parametrize("levels", [3, 4, 7])
def test_columns_of_which_one_is_1_in_every_row_are_one_category(levels):
    of = R.integers(0, levels, N)
    dummies = {f"job_{k}": (of == k).astype(int) for k in range(levels)}
    schema = schema_of({"m": R.normal(size=N), **dummies})
    (question,) = (q for q in schema.questions if q.about == "repeat")
    assert question.columns == tuple(dummies)
    assert schema.names("cluster") == ("m",)
    assert question.answers[1](schema).names("cluster") == ("m", *dummies)
    dummies["job_0"] = np.where(np.arange(N) == 5, 1 - dummies["job_0"], dummies["job_0"])
    assert not asked(schema_of({"m": R.normal(size=N), **dummies}), "repeat")
    for no, yes in (("no", "yes"), ("False", "True"), ("nein", "ja")):
        words = {f"is_{k}": np.where(of == k, yes, no) for k in range(levels)}
        schema = schema_of({"m": R.normal(size=N), **words})
        assert schema.names("cluster") == ("m",)
        assert f"is {yes} in every row" in schema.questions[0].text


def test_a_column_called_y_is_asked_about_and_not_taken():
    cells = {"x": R.integers(1, 60, N), "y": np.resize([2, 3, 8], N)}
    assert schema_of(cells)["y"].role == "cluster"
    assert asked(schema_of(cells), "label") == ["y"]
    assert asked(schema_of({**cells, "y": R.normal(size=N)}), "label") == []


@pytest.mark.parametrize("rows", [6, 9, 11])
def test_a_few_rows_prove_no_copy_and_names_of_their_own_are_no_kinds(rows):
    for seed in range(20):
        r = np.random.default_rng(seed)
        frame = pd.DataFrame(r.integers(0, 50, (rows, 4)), columns=list("abcd"))
        frame["name"] = [f"N{k}" for k in range(rows)]
        schema = infer_schema(frame)
        assert schema["name"].role == "id"
        assert asked(schema, "repeat") == []


def test_what_was_given_as_treatment_is_asked_about_beside_an_outcome():
    time = R.exponential(900, N).round()
    frame = {"hormon": np.arange(N) % 2, "m": R.normal(size=N), "grade": R.integers(1, 4, N)}
    assert asked(schema_of(frame), "treatment") == []
    schema = schema_of({**frame, "rfstime": time, "status": (time < 900).astype(int)})
    assert asked(schema, "treatment") == ["hormon"]
    (question,) = (q for q in schema.questions if q.about == "treatment")
    assert not question.primary.changes
    assert question.answers[1](schema)["hormon"].role == "control"


def test_columns_on_one_scale_are_decided_together():
    usual = {f"sign {j}": R.choice(4, 300, p=[0.4, 0.3, 0.2, 0.1]) for j in "abcdef"}
    odd = {f"sign {j}": R.choice(4, 300, p=[0.6, 0.02, 0.28, 0.1]) for j in "gh"}
    specs = schema_of(usual | odd).values()
    assert {(spec.family, spec.trials) for spec in specs} == {("binomial", 3)}
    assert schema_of({"sign g": odd["sign g"]})["sign g"].family == "categorical"
    codes = {f"c{j}": R.choice(4, 300, p=[0.5, 0.05, 0.05, 0.4]) for j in range(4)}
    codes["c9"] = R.choice(4, 300, p=[0.4, 0.3, 0.2, 0.1])
    assert {spec.family for spec in schema_of(codes).values()} == {"categorical"}


def test_less_the_same_and_more_is_no_hole():
    change = R.choice([-1, 0, 1], 300, p=[0.05, 0.35, 0.6])
    schema = schema_of({"change": change})
    assert schema["change"].missing_codes == ()
    assert asked(schema, "missing") == ["change"]
    assert schema_of({"n": np.where(change < 0, -9, R.integers(0, 3, 300))})["n"].missing_codes


def test_latitude_and_longitude_are_left_aside_where_there_is_one_pair():
    homes = {"price": R.normal(100, 10, N), "Latitude": R.normal(60, 0.1, N)}
    homes["lng"] = R.normal(16.4, 0.1, N)
    roles = [spec.role for spec in schema_of(homes).values()]
    assert roles == ["cluster", "ignore", "ignore"]
    assert schema_of(homes)["lng"].reason.startswith("Where the row is")
    two = schema_of({**homes, "start_lat": homes["Latitude"] + R.normal(0, 0.01, N)})
    assert {spec.role for spec in two.values()} == {"cluster"}
    whole = schema_of({**homes, "Latitude": R.integers(50, 70, N)})
    assert whole["lng"].role == "cluster"


@pytest.mark.skipif(not CASES.is_dir(), reason=f"The cases are not at {CASES}.")
def test_what_strangers_brought():
    read = {path.stem: infer_schema(read_table(path)) for path in CASES.glob("*.csv")}
    roles = {(case, name): spec.role for case in read for name, spec in read[case].items()}
    assert roles["05-bp", "BP"] == roles["14-ga", "GA"] == "ignore"
    assert read["11-icd9"]["codice_regione"].family == "categorical"
    assert roles["11-icd9", "codice_comune"] == "id"
    assert asked(read["23b-serials"], "cells") == ["date_onset", "date_of_birth"]
    assert "age" in asked(read["13-mimic300"], "missing")
    assert read["04-dipstick"]["Ketone"].levels == ("NEG", "TR", "10", "40", "80", "150")
    assert read["36-dummies"].names("cluster") == ("spend",)
    assert (roles["42-xy", "y"], asked(read["42-xy"], "label")) == ("cluster", ["y"])
    assert asked(read["29-points"], "repeat") == asked(read["35b-customers"], "repeat") == []
    assert roles["35b-customers", "customer"] == "id"
    spss = infer_schema(read_table(CASES / "25-spss.sav"))
    assert (spss["region"].family, spss["trust"].family) == ("categorical", "binomial")
