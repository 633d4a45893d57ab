"""What one column is: a table of cells with what they become."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.schema.facts import look_at
from mapdp_studio.core.schema.odd_values import find_codes
from mapdp_studio.core.schema.rules import COLUMN_RULES
from mapdp_studio.core.schema.schema import SchemaError

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
    (some("Tis", "Ta", "T1b", "T1a"), "binomial", {"levels": ("Ta", "Tis", "T1a", "T1b")}),
    (
        some("gar nicht", "wenig", "stark", "sehr stark"),
        "binomial",
        {"levels": ("gar nicht", "wenig", "stark", "sehr stark")},
    ),
    (some("65+", "0-17", "18-64"), "binomial", {"levels": ("0-17", "18-64", "65+")}),
    (some("2", "2E", "1", "1E"), "binomial", {"levels": ("1", "1E", "2", "2E")}),  # ASA
    (np.resize([f"{k}/10" for k in range(11)], N), "binomial", {"reading": "decimal point"}),
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
    ("_STATE", K % 56 + 1, "ignore", "None"),
    ("district code", K * 7 % 61 + 1, "ignore", "None"),
    ("state of health", K * 7 % 61 + 1, "cluster", "normal"),
    ("randomised_to", some("A", "B"), "control", "bernoulli"),
    ("umap_1", RNG.normal(size=N).round(3), "ignore", "normal"),
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
    ("cpt", some(99213, 93000, 36415), "cluster", "categorical"),
    ("CPT", 30_000 + K // 2 * 97, "ignore", "None"),
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


@pytest.mark.parametrize(
    ("one", "other", "is_aside"),
    [
        *(("{} mg", "0.{} g", True), ("{} €", "$ {}", True), ("{},5 %", "0,{}", True)),
        *(("{}.5%", "{}.5", False), ("{} kg", "{}", False), ("{}A", "{}C", False)),
        *(("{} °C", "{} °F", True), ("{} mg/dl", "{} mmol/l", True), ("{} mg/l", "{} mg/dl", True)),
        ("{}g", "{}m", False),
    ],
)
def test_numbers_in_several_units_are_left_aside(one, other, is_aside):
    spec = guess([(one if k % 3 else other).format(k % 50 + 11) for k in K])
    assert spec.reason.startswith("Numbers in several units") == is_aside
    assert not is_aside or spec.role == "ignore"


FEW = range(1, 10)
#: Columns of nine rows, in which no order and no code recurs.
SMALL = [
    *(
        ("w", [form.format(60 + k) for k in FEW], "normal")
        for form in ("{}.5 kg", "$ {},250", "{} €")
    ),
    ("crp", ["<0.5", *(f"{k}.3" for k in FEW[1:])], "normal"),
    ("dose", [f"{k % 3} mg" for k in FEW], "binomial"),
    ("onset date", [43251 + k * k for k in FEW], None),
    ("Datum", [45000.25 + k * k for k in FEW], None),
    *(("n", [k + more for k in FEW], None) for more in (-1, 0, 70)),
    ("n", [2 * k for k in FEW], "normal"),
    ("n", [10 - k for k in FEW], "binomial"),
    ("n", [*FEW[:5]], "binomial"),
]


@pytest.mark.parametrize(("name", "cells", "family"), SMALL)
def test_a_small_table_has_numbers_codes_and_days_as_a_large_one(name, cells, family):
    assert guess(cells, name).family == family


@pytest.mark.parametrize(("n", "is_asked"), [(9, False), (12, True)])
def test_a_category_written_as_a_column_each_level_is_asked_about_from_ten_rows_on(n, is_asked):
    kind = RNG.permutation(n) % 3
    frame = pd.DataFrame({f"kind {k}": (kind == k).astype(int) for k in range(3)})
    (*_, asked) = ("", *(q.columns for q in infer_schema(frame).questions if q.about == "repeat"))
    assert (asked == tuple(frame)) == is_asked


#: By rule: name and cells of a column that it applies to first, and of one that looks alike.
RULES = {
    "empty": ("c", [None] * N, [*[None] * (N - 1), 1.0]),
    "date": ("c", 20200301 + K % 28, np.where(K % 2, 20200301, 20209901) + K % 28),
    "constant": ("c", [4] * N, [*[4] * (N - 1), 5]),
    "identifier by name": ("patient id", K // 2 * 7, K % 9),
    "two numbers in a cell": (
        "c",
        [f"{100 + k}/{70 + k % 9}" for k in K],
        [f"{1 + k % 12}E{1 + k % 8}" for k in K],  # wells of a plate
    ),
    "several answers in a cell": (
        "c",
        some("cat;dog", "dog", "cat", "dog;cow", "cow"),
        some(*"uvw"),
    ),
    "several units": ("c", [f"{k} mg" if k % 2 else f"{k} g" for k in K], some("1A", "2C", "3A")),
    "text of its own": ("c", [f"S{k}" for k in K], [*(f"S{k}" for k in K[:40]), "S0"]),
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
