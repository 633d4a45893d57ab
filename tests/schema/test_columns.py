"""What one column is: a table of cells with what they become, and real tables."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.schema.facts import look_at
from mapdp_studio.core.schema.odd_values import find_codes
from mapdp_studio.core.schema.rules import COLUMN_RULES
from mapdp_studio.core.schema.schema import SchemaError

SHARED = Path(__file__).parents[3] / "shared"
DATA, RAW, CASES = SHARED / "data", SHARED / "raw-tables", SHARED / "redesign" / "cases"
RNG = np.random.default_rng(0)
N = 300
K = np.arange(N)
DAYS = pd.date_range("2020-01-01", periods=N, freq="D")


def guess(values, name="c", **others):
    return infer_schema(pd.DataFrame({name: values, **others}))[name]


def some(*values):
    return RNG.choice(np.array(values, dtype=object), N)


def holed(values):
    return np.where(RNG.random(N) < 0.2, np.nan, values)


STRIPS = [
    tuple(strip.split())
    for strip in (
        *("NEG TR 30 100 >300", "neg trace 1+ 2+ 3+", "negative 5 10 50", "0 2-5 5+"),
        *("0 1 2 2-5 3 5+", "neg + ++ +++", "\uff0d \u00b1 \uff11\uff0b \uff12\uff0b"),
        *("(-) (\u00b1) 1+(30) 2+(100)", "+/- + ++", "\u2605 \u2605\u2605 \u2605\u2605\u2605"),
        *("negative trace small large", "0 trace small large", "0-2 3-5 6-10 >10 TNTC"),
        *("negativ Spur + ++ +++", "négatif traces 1+ 2+", "Normal 50 150 >500", "- (+) + ++"),
        *("\u2013 (+) +", "niedriges mittleres hohes", "leichtgradig mittelgradig hochgradig"),
        *("cold mild warm hot", "unwahrscheinlich möglich wahrscheinlich"),
    )
]
NEVER = pd.Categorical(some("never", "rarely", "often"), ["never", "rarely", "often"], ordered=True)
#: What becomes of the cells of a column "c": family, and other fields.
CLUSTERED = [
    (np.exp(RNG.normal(size=N)), "normal", {"transform": "log"}),
    (RNG.integers(18, 26, N), "normal", {}),
    (
        [*RNG.normal(50, 9, N).round(2).astype(str), "unknown"],
        "normal",
        {"missing_codes": ("unknown",)},
    ),
    (holed(RNG.integers(0, 2, N)), "bernoulli", {"levels": (0, 1)}),
    (some("Yes", "No", None), "bernoulli", {"levels": ("No", "Yes")}),
    (some("tested_positive", "tested_negative"), "bernoulli", {}),
    (RNG.random(N) < 0.5, "bernoulli", {"levels": (False, True)}),
    ([*some("yes", "no"), "unknown"], "bernoulli", {"missing_codes": ("unknown",)}),
    ([*some("N0", "N1", "N2"), "Nx"], "binomial", {"missing_codes": ("Nx",)}),
    ([*some("normal", "abnormal"), "not done"], "bernoulli", {"levels": ("normal", "abnormal")}),
    (holed(RNG.integers(1, 5, N)), "binomial", {"levels": (1, 2, 3, 4)}),
    (RNG.integers(2007, 2010, N), "binomial", {"levels": (2007, 2008, 2009)}),
    (np.where(K % 9, RNG.integers(1, 5, N), -999), "binomial", {"missing_codes": (-999,)}),
    (some(0.0, 0.5, 1.0), "binomial", {"levels": (0, 0.5, 1)}),
    (some("med", "low", "vhigh", "high"), "binomial", {"levels": ("low", "med", "high", "vhigh")}),
    (some("5more", "2", "4", "3"), "binomial", {"levels": ("2", "3", "4", "5more")}),
    (some("65+", "0-17", "18-64"), "binomial", {"levels": ("0-17", "18-64", "65+")}),
    (some("2", "2E", "1", "1E"), "binomial", {"levels": ("1", "1E", "2", "2E")}),  # ASA
    (some("2020/21", "2019/20", "2021/22"), "binomial", {}),
    (some("II", "I", "IV", "III"), "binomial", {"levels": ("I", "II", "III", "IV")}),
    *[(some(*strip), "binomial", {"levels": strip}) for strip in STRIPS],
    (
        [*some("hoch", "niedrig", "mittel"), "unbekannt"],
        "binomial",
        {"missing_codes": ("unbekannt",)},
    ),
    (NEVER, "binomial", {"levels": ("never", "rarely", "often")}),
    (
        some("zufrieden", "sehr zufrieden", "wenig zufrieden"),
        "binomial",
        {"levels": ("wenig zufrieden", "zufrieden", "sehr zufrieden")},
    ),
    (some("11-1011", "29-1141", "41-2031"), "categorical", {}),
    (some("1920x1080", "1366x768", "800x600"), "categorical", {}),
    (some("neg", "ca. 25", "ca. 75", "500"), "binomial", {}),
    (RNG.poisson(0.7, N), "binomial", {}),
    (np.random.default_rng(0).geometric(0.2, N) - 1, "geometric", {}),
    ([*some("red", "blue", "green"), "unknown"], "categorical", {"missing_codes": ()}),
    (RNG.choice([0, 1, 2], N, p=[0.5, 0.05, 0.45]), "categorical", {"levels": (0, 1, 2)}),
    (
        [f"{7 + k % 6}.{100 + 7 * k},{k:02d} €" for k in range(90)],
        "normal",
        {"reading": "decimal comma"},
    ),
]


@pytest.mark.parametrize(("values", "family", "options"), CLUSTERED)
def test_what_is_clustered_on(values, family, options):
    spec = guess(values)
    assert (spec.family, spec.role) == (family, "cluster"), spec.reason
    assert {option: getattr(spec, option) for option in options} == options
    assert spec.reason.endswith(".")


#: By name and cells: role, and family or a word of the reason.
BY_NAME = [
    ("patient_id", 100_000 + K // 2 * 7, "id", "Named like an identifier"),
    ("group", some("indomethacin", "placebo"), "control", "bernoulli"),
    ("given", some("none", "sham stimulation", "20 Hz"), "control", "categorical"),
    ("patientId", 100_000 + K // 2 * 7, "id", "Named like an identifier"),
    *(
        (n, 1000 + K // 2 * 7, "id", "Named like an identifier")
        for n in ("hhid", "subjno", "patnr", "idno")
    ),
    *((n, 1000 + K % 90 * 7, "cluster", "normal") for n in ("lipid", "paid")),
    ("humidity", 100_000 + RNG.integers(0, 200, N), "cluster", "normal"),
    ("WorkStatusID", K % 5 + K % 7 // 5 + 1, "cluster", "categorical"),
    ("team_id", some(0, 1, 2, 3, 9), "cluster", "categorical"),
    ("dial code", some(1, 44, 49, 386), "cluster", "categorical"),
    ("race", some("1. White", "2. Black", "3. Asian"), "cluster", "categorical"),
    ("zip", some(10115, 20095, 80331, 50667), "cluster", "categorical"),
    ("icd9_code", some(250.83, 276, 414, 401.1), "cluster", "categorical"),
    ("icd9_code", 200 + K % 150 / 10, "ignore", "None"),
    *(
        ("stay", np.resize(words.split("|"), N), "cluster", "normal")
        for words in (
            *("3 Wochen|2 months|5 jours", "3 weken|2 maanden|1 jaar", "3 anni|18 mesi|5 giorni"),
            *("2 lata|5 dni|3 tygodnie", "3 ans|18 mois|2 semaines"),
        )
    ),
    ("age at visit", some("8 weeks", "6 months", "1 year", "2 years"), "cluster", "normal"),
    ("dx_code", some(250.83, 276, 414, 401.1), "cluster", "categorical"),
    ("DRG", some(291, 392, 470, 871), "cluster", "categorical"),
    ("isco08", some(1120, 2211, 5131, 9112), "cluster", "categorical"),
    ("Bundesland", K % 16 + 1, "cluster", "categorical"),
    ("code_dep", some(13, 31, 59, 75), "cluster", "categorical"),
    ("district", some(*range(101, 1700, 100)), "cluster", "categorical"),
    ("department days", np.random.default_rng(0).poisson(6, N), "cluster", "normal"),
    ("DOB", 7_300 + K * 7 % 900, "ignore", "None"),
    ("period", 202001 + K % 12 + K % 3 * 100, "ignore", "None"),
    ("yyyymm", 199907 + K % 6, "ignore", "None"),
    *(("day", DAYS.strftime(form), "ignore", "None") for form in ("%d.%m.%Y", "%m/%d/%Y")),
    ("day", DAYS, "ignore", "None"),
    ("said", some("1,4", "2", "2,3", "1"), "ignore", "None"),
    ("icd", some("007", "486", "250.00"), "cluster", "categorical"),
    ("pay", 200_000 + K * 37 % 9_000, "cluster", "normal"),
    ("lot", 202001 + K % 3, "cluster", "binomial"),
    ("ean", some(4006381333931, 4006381333948, 5000112546415), "cluster", "categorical"),
    ("price", some(10_000_000, 15_000_000, 60_000_000), "cluster", "normal"),
    ("SeverityID", K % 5 + 1, "cluster", "binomial"),
    ("n pets", np.random.default_rng(1).poisson(0.7, N), "cluster", "poisson"),
    ("inst", RNG.choice([1, 2, 3, 5, 7, 11, 22, 33], N), "control", "categorical"),
    ("study site", some(*"ABCD"), "control", "categorical"),
    ("Zentrum", some(101, 102, 207), "control", "categorical"),
    ("center2", some("North", "South"), "control", "bernoulli"),
    ("where", some("Mercy Hospital", "Uni Klinikum", "St Ann Hospital"), "control", "categorical"),
    ("scanner", some("Aera", "Skyra", "Prisma"), "control", "categorical"),
    ("tumour site", some("colon", "rectum", "caecum"), "cluster", "categorical"),
    ("hospital", some(0, 1), "cluster", "bernoulli"),
    ("hospital", some("yes", "no"), "cluster", "bernoulli"),
    ("hospital days", np.random.default_rng(0).poisson(6, N), "cluster", "normal"),
    ("centred score", RNG.integers(1, 6, N), "cluster", "binomial"),
    ("clinic temperature", RNG.normal(37, 0.5, N).round(1), "cluster", "normal"),
]


@pytest.mark.parametrize(("name", "cells", "role", "text"), BY_NAME)
def test_what_a_name_says_with_its_cells(name, cells, role, text):
    spec = guess(cells, name, m=RNG.normal(size=N), n=RNG.normal(size=N), o=RNG.normal(size=N))
    assert spec.role == role, spec.reason
    assert text in (spec.reason if role == "id" else str(spec.family))


#: By rule: name and cells of a column that it applies to first, and of one that looks alike.
RULES = {
    "empty": ("c", [None] * N, [*[None] * (N - 1), 1.0]),
    "date": ("c", 20200301 + K % 28, np.where(K % 2, 20200301, 20209901) + K % 28),
    "constant": ("c", [4] * N, [*[4] * (N - 1), 5]),
    "identifier by name": ("patient id", K // 2 * 7, K % 9),
    "two numbers in a cell": ("c", [f"{100 + k}/{70 + k % 9}" for k in K], some("oak", "elm")),
    "several answers in a cell": (
        "c",
        some("cat;dog", "dog", "cat", "dog;cow", "cow"),
        some(*"uvw"),
    ),
    "several units": ("c", [f"{k} mg" if k % 2 else f"{k} g" for k in K], some("1A", "2C", "3A")),
    "text of its own": ("c", [f"S{k}" for k in K], [f"S{k % 9}" for k in K]),
    "number of the row": ("c", K, RNG.permutation(K * 3 % 101)),
    "known order": ("c", some("low", "mid", "high"), some("oak", "elm", "ash")),
    "many words": ("c", [f"w{k % 160}" for k in K], [f"w{k % 30}" for k in K]),
    "words": ("c", some("oak", "elm", "ash"), some("low", "mid", "high")),
    "two values": ("c", K % 2, K % 3),
    "days of a program": ("onset date", 43251 + K * 7 % 99, K * 7 % 99),
    "named like codes": ("region", K % 5 + 1, RNG.normal(size=N)),
    "many codes": ("isco", K * 31 % 97, K * 31 % 9),
    "count": ("c", RNG.poisson(3.0, N), RNG.integers(0, 9, N)),
    "codes by their frequencies": (
        "c",
        RNG.choice(4, N, p=[0.45, 0.05, 0.4, 0.1]),
        RNG.choice(4, N, p=[0.1, 0.4, 0.35, 0.15]),
    ),
    "rating": ("c", RNG.integers(1, 6, N), RNG.integers(1, 60, N)),
    "even steps": ("c", K % 5 / 2, np.sqrt(K % 5)),
    "measurement": ("c", RNG.normal(size=N), RNG.integers(1, 6, N)),
}


@pytest.mark.parametrize("key", RULES)
def test_every_rule_has_an_example_and_a_counter_example(key):
    assert {rule.key for rule in COLUMN_RULES} - {"hardly any number"} == {*RULES}
    name, example, counter = RULES[key]
    columns = (look_at(pd.Series(cells), name) for cells in (example, counter))
    first = [next(r.key for r in COLUMN_RULES if r.applies(column)) for column in columns]
    assert first[0] == key
    assert first[1] != key


def test_zeros_that_stand_apart_are_no_holes_unasked():
    zeros = guess(np.where(RNG.random(N) < 0.1, 0, RNG.integers(44, 199, N)))
    assert (zeros.missing_codes, zeros.special) == ((), ("zero",))
    assert "stands apart" in zeros.reason
    change = RNG.choice([-1, 0, 1], N, p=[0.05, 0.35, 0.6])
    assert guess(change, "change").missing_codes == (), "less, the same, more"


@pytest.mark.parametrize(
    ("others", "code", "is_apart"),
    [
        (np.resize(np.arange(1, 6), N), 9, True),
        (np.resize(np.arange(1, 9), N), 9, False),  # the next step
        (np.resize([0, 1, 5], N), 9, False),  # no farther than the steps from one another
        (np.r_[0:50, 150:200], 99, True),
        (np.r_[0:95, 104:200], 99, False),
    ],
)
def test_a_code_stands_apart_by_its_gap(others, code, is_apart):
    found = find_codes(look_at(pd.Series([*others, code, code]), "c"))
    assert found == ((code,) if is_apart else ())


def test_columns_on_one_scale_are_decided_together():
    usual = {f"sign {j}": RNG.choice(4, N, p=[0.4, 0.3, 0.2, 0.1]) for j in "abcdef"}
    odd = {f"sign {j}": RNG.choice(4, N, p=[0.6, 0.02, 0.28, 0.1]) for j in "gh"}
    specs = infer_schema(pd.DataFrame(usual | odd)).values()
    assert {(spec.family, spec.levels) for spec in specs} == {("binomial", (0, 1, 2, 3))}
    assert guess(odd["sign g"], "sign g").family == "categorical"
    codes = {f"c{j}": RNG.choice(4, N, p=[0.5, 0.05, 0.05, 0.4]) for j in range(4)}
    codes["c9"] = RNG.choice(4, N, p=[0.4, 0.3, 0.2, 0.1])
    assert {s.family for s in infer_schema(pd.DataFrame(codes)).values()} == {"categorical"}


def test_what_is_no_table_for_a_schema_is_refused():
    for frame, label, says in (
        (pd.DataFrame({0.5: [1, 2]}), None, r"name 0\.5 is not text"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), None, "two columns 'a'"),
        (pd.DataFrame({"a": [1, 2]}), "b", "no column 'b'"),
    ):
        with pytest.raises(SchemaError, match=says):
            infer_schema(frame, label=label)


def test_odd_columns_go_through_without_a_warning():
    frame = pd.DataFrame(
        {
            "lists": [[1], [2], [1]],
            "mixed": [1, "two", 3.5],
            "infinite": [1.0, np.inf, 2.0],
            "duration": pd.to_timedelta([1, 2, 3], unit="h"),
            "complex": [1j, 2j, 3j],
            "\U0001f600 <b>": [1.5, 2.5, 3.5],
            "boolean": pd.array([True, None, False], dtype="boolean"),
        }
    )
    many = pd.concat([frame] * 20, ignore_index=True)
    huge = [
        pd.DataFrame(size * RNG.normal(size=(9, 4))).add_prefix("h") for size in (1e-320, 1e307)
    ]
    for rows in (many, frame, frame.head(2), frame.head(1), frame.head(0), *huge):
        assert len(infer_schema(rows)) == rows.shape[1]


def _is_right(spec, word: str, n_distinct: int) -> bool:
    """Whether a guess agrees with a word of schema.json, which may end as in "ordinal(1-5)"."""
    if spec.role != "cluster" and not spec.reason.startswith("The same fact as"):
        return False
    if word == "continuous(log)":
        return spec.family == "normal" and spec.transform == "log"
    counts = {"poisson", "geometric", "negative_binomial"}
    if word == "count(0-5)":  # a count with a ceiling is a rating as well
        return spec.family in counts | {"binomial"}
    # With two levels in the data, yes/no, category and rating are one and the same likelihood.
    two = {"bernoulli"} if n_distinct == 2 else set()
    right = {"binary": {"bernoulli"}, "continuous": {"normal"}, "count": counts}
    right |= {"categorical": {"categorical"} | two, "ordinal": {"binomial"} | two}
    return spec.family in right[word.partition("(")[0]]


@pytest.mark.skipif(not DATA.is_dir(), reason=f"The twelve tables are not at {DATA}.")
def test_twelve_real_tables():
    misses, total = [], 0
    for folder in sorted(DATA.iterdir()):
        facts = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
        frame = read_table(folder / f"{folder.name}.csv")
        schema = infer_schema(frame)
        assert np.isfinite(np.nanmax(schema.encode(frame).values)), folder.name
        assert schema.label_column == facts["class_column"], folder.name
        assert schema.names("id") == tuple(facts["id_columns"]), folder.name
        outcomes = {schema[name].role for name in facts["outcome_columns"]}
        assert outcomes <= {"validator", "control"}, folder.name
        for name, word in facts["columns"].items():
            total += 1
            if not _is_right(schema[name], word, frame[name].nunique()):
                misses.append(f"{folder.name} {name}: {word}, guessed {schema[name].family}")
    assert total == 191
    assert len(misses) <= 0.02 * total, misses


@pytest.mark.skipif(not RAW.is_dir(), reason=f"The raw tables are not at {RAW}.")
def test_raw_tables():
    check = [sys.executable, str(RAW / "check.py")]
    printed = subprocess.run(check, capture_output=True, text=True, check=True).stdout
    right, total = map(int, re.search(r"(\d+) of (\d+) columns", printed).groups())
    assert right == total == 105, printed


@pytest.mark.skipif(not CASES.is_dir(), reason=f"The cases are not at {CASES}.")
def test_what_strangers_brought():
    read = {path.stem: infer_schema(read_table(path)) for path in CASES.glob("*.csv")}
    read["25-spss"] = infer_schema(read_table(CASES / "25-spss.sav"))
    roles = {(case, name): spec.role for case in read for name, spec in read[case].items()}
    asked = {
        (case, q.about, name) for case in read for q in read[case].questions for name in q.columns
    }
    for case, name, role in (
        ("05-bp", "BP", "ignore"),
        ("14-ga", "GA", "ignore"),
        ("11-icd9", "codice_comune", "id"),
        ("35b-customers", "customer", "id"),
        ("42-xy", "y", "cluster"),
    ):
        assert roles[case, name] == role, name
    for case, name, family in (
        ("11-icd9", "codice_regione", "categorical"),
        ("25-spss", "region", "categorical"),
        ("25-spss", "trust", "binomial"),
    ):
        assert read[case][name].family == family, name
    assert asked >= {
        ("23b-serials", "cells", "date_onset"),
        ("23b-serials", "cells", "date_of_birth"),
        ("13-mimic300", "missing", "age"),
        ("42-xy", "label", "y"),
    }
    few = ("29-points", "35b-customers")
    assert not [case for case, what, _ in asked if what == "repeat" and case in few]
    assert not [name for case, what, name in asked if what == "missing" and case == "42-xy"]
    assert read["25-spss"]["region"].levels == ("1", "2", "66", "9")
    assert read["04-dipstick"]["Ketone"].levels == ("NEG", "TR", "10", "40", "80", "150")
    assert read["36-dummies"].names("cluster") == ("spend",)


#: Of Part A of the cases: a file, its rows, a column with its first cells, and what is said.
READ = [
    ("01-multiselect.csv", 120, "Q2_devices", ["4", "1,2,4"], "several answers in a cell"),
    ("01f-words.csv", 120, "Which symptoms did you have?", ["Fatigue"], "several answers"),
    ("01j-one-answer.csv", 100, "lab", [1.508, 0.589, 1.184], ""),
    ("01j-one-answer.csv", 100, "answers", ["1,2", "3"], "may be several answers"),
    ("01c-gravity.csv", 120, "specific_gravity", [1.021, 1.013], "it could be 1,021"),
    ("01c-gravity.csv", 120, "creatinine", [1.555, 0.833, 0.719], ""),
    ("16-qualtrics.csv", 120, "Q2_1", [4, 1, 5], "Lines 2 to 3 describe"),
    ("17b-orange.tab", 120, "sepal length", [6.8, 4.7, 4.9], "Lines 2 to 3 describe"),
    ("22c-title.xlsx", 60, "Age", [69, 68, 72], "“Cohort export 12.03.2024”"),
    ("22b-merged-arm.xlsx", 60, "Arm", ["placebo"] * 3, "3 merged cells count"),
    ("32-receptors.csv", 150, "ER", ["-", "-", "+"], ""),
    ("07-na.csv", 120, "region", ["APAC", None, "EU"], "a code like the others"),
    ("34-dashes.csv", 150, "Q1", [8995, 9886, 45994], "stands for 0 in accounts"),
    ("21b-cp1251.csv", 120, "Пол", ["женский"], "read as cp1251"),
    ("21d-sjis.csv", 120, "性別", ["男"], "read as cp932"),
    ("24-bigint.csv", 120, "national_number", ["100000000000000002"], ""),
]


@pytest.mark.skipif(not CASES.is_dir(), reason=f"The cases are not at {CASES}.")
@pytest.mark.parametrize(("file", "n", "name", "cells", "text"), READ)
def test_files_that_strangers_brought_are_read_as_they_are_meant(file, n, name, cells, text):
    frame = read_table(CASES / file)
    found = [None if pd.isna(cell) else cell for cell in frame[name].head(len(cells))]
    assert (len(frame), found) == (n, cells)
    assert text in " ".join(frame.attrs["notes"])
    several = infer_schema(frame)[name].role == "ignore"
    assert several == ("several answers" in text)
    assert file != "24-bigint.csv" or frame[name].nunique() == 120
    assert file != "32-receptors.csv" or infer_schema(frame)[name].levels == ("-", "+")
