"""Columns that say what others say: found, left aside with one question, taken back."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.schema import dependence

N = 400
K = np.arange(N)


def columns(n=N, seed=0):
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
            "dose": r.gamma(4.0, 20.0, n).round(1),
            "area": r.integers(20, 150, n),
        }
    )


BASE = columns()
ITEMS = pd.DataFrame(np.random.default_rng(8).integers(0, 5, (N, 8)), columns=[*"stuvwxyz"])
PARTS = pd.DataFrame(np.random.default_rng(6).poisson(9, (N, 3)), columns=["beef", "fish", "bread"])
PARTS["rare"] = np.where(K % 100 == 60, 1, 0)
HOLES = BASE[["dose"]].assign(men=BASE["age"].mask(K % 7 == 0), women=BASE["area"])
SPARSE = BASE[["age", "area", "dose"]].set_axis(["men", "women", "dose"], axis=1)
SPARSE = SPARSE.where(np.random.default_rng(3).random((N, 3)) < 0.2)
SITE, SMOKER, AGE, DOSE, AREA = (BASE[n] for n in ("site", "smoker", "age", "dose", "area"))
BAND = pd.cut(AGE, [0, 40, 60, 99], labels=["a", "b", "c"]).astype(str)
SCORE = ITEMS["s"] + ITEMS["u"] + (4 - ITEMS["w"]) + ITEMS["z"]
CRP = pd.Series(np.random.default_rng(9).lognormal(1.0, 1.0, N).round(3))  # read in logarithms
#: Of a table a column that is made, what it is said to be, and whether slips are found through.
MADE = {
    "code of a word": (BASE, SITE.map({"north": 3, "south": 1, "west": 2}), "“site”", True),
    "another word": (BASE, SMOKER.map({"no": "never", "yes": "daily"}), "“smoker”", True),
    "coarser": (BASE, np.where(BASE["pain"] > 2, "much", "little"), "“pain”", False),
    "band": (BASE, BAND, "“age”", False),
    "other unit": (BASE, (BASE["height"] / 2.54).round(2), "“height”", True),
    "logarithm": (BASE, np.log10(DOSE).round(5), "“dose”", True),
    "standard score": (BASE.assign(crp=CRP), (CRP / CRP.std() - 1).round(4), "“crp”", True),
    "logarithm of what may be 0": (BASE, np.log(AGE - 17.9).round(3), "“age”", False),
    "huge": (BASE, 1e200 * DOSE, "“dose”", True),
    "tiny": (BASE, 1e-200 * DOSE, "“dose”", True),
    "twofold": (BASE, 2 * AREA, "“area”", True),
    "total": (PARTS, PARTS.sum(axis=1), "the sum of “beef” to “ra", True),
    "score": (ITEMS, SCORE, "the sum of “s” to “z”", True),
    "sum": (HOLES, HOLES["men"].fillna(0) + HOLES["women"], "the sum of “men” and", True),
    "sum of what is mostly blank": (SPARSE, SPARSE.sum(axis=1), "the sum of “men” to “dose”", True),
    "ratio": (BASE, (DOSE / AREA).round(2), "“dose” divided by “area”", True),
    "product": (BASE, AREA * AGE, "“age” times “area”", True),
}


@pytest.mark.parametrize("kind", MADE)
def test_what_others_say_is_left_aside_and_taken_back_by_one_answer(kind):
    frame, cells, words, slips = MADE[kind]
    made = pd.Series(cells)
    schema = infer_schema(table := frame.assign(made=made))
    assert schema["made"].role == "ignore"
    assert schema["made"].reason.startswith(f"The same fact as {words}"), schema["made"].reason
    question = next(q for q in schema.questions if "made" in q.columns)
    keep, both, *_ = question.answers
    assert not keep.changes
    assert keep(schema).completed(table)["made"].role == "ignore"
    assert both(schema).completed(table)["made"].role == "cluster"
    assert question not in keep(schema).questions
    for every, role in ((100, "ignore"), (8, "cluster")):
        other = made.sample(frac=1, random_state=1).to_numpy()
        wrong = infer_schema(table.assign(made=made.where(K % every > 0, other)))
        if slips or role == "cluster":
            assert wrong["made"].role == role, every


def test_what_is_named_like_computed_is_so():
    mass = (40 + BASE["dose"] / 3).round(1)
    bmi = (mass / (BASE["height"] / 100) ** 2).round(1)
    schema = infer_schema(BASE[["height"]].assign(mass=mass, BMI=bmi))
    assert [schema[name].role for name in schema] == ["cluster", "cluster", "ignore"]


def test_bands_and_logarithms_of_a_total_are_left_aside_with_it():
    score = ITEMS.sum(axis=1)
    for made in (np.where(score < 16, "low", "high"), np.log10(score)):
        frame = ITEMS.assign(made=made)
        assert infer_schema(frame)["made"].role == "cluster"
        schema = infer_schema(frame.assign(score=score))
        assert schema["made"].reason.startswith("The same fact as “score”.")


def test_a_part_s_total_and_that_of_all_parts_are_told_by_the_items():
    frame = ITEMS.assign(first=ITEMS.iloc[:, :4].sum(axis=1), total=ITEMS.sum(axis=1))
    schema = infer_schema(frame.assign(age=BASE["age"]))
    for name, last in (("first", "v"), ("total", "z")):
        assert f"the sum of “s” to “{last}”" in schema[name].reason
    assert schema.names("cluster") == (*ITEMS, "age")


def test_the_word_stays_wherever_it_stands_and_a_copy_set_by_hand_settles_nothing_else():
    frame = BASE[["smoker", "height"]].assign(code=(SMOKER == "yes").astype(int))
    for names in (["code", "smoker", "height"], ["smoker", "height", "code"]):
        schema = infer_schema(frame[names].assign(inches=(BASE["height"] / 2.54).round(2)))
        assert (schema["code"].role, schema["smoker"].role) == ("ignore", "cluster")
        schema = schema.with_column("code", role="validator")
        assert not schema.questions
        assert (schema["code"].role, schema["inches"].role) == ("validator", "ignore")


def test_a_number_that_measures_words_is_asked_about_and_a_code_of_them_left_aside():
    towns = np.array(["Ulm", "Bonn", "Kiel", "Jena", "Trier", "Hof", "Gera", "Celle"] * 2)
    towns = np.array([f"{town} {k // 8}" for k, town in enumerate(towns)])
    people = 30_000 + 7919 * (5 * np.arange(16) % 16)
    for numbers, name, role in (
        (people, "people", "cluster"),
        (people, "town code", "ignore"),
        (np.argsort(np.argsort(towns)), "people", "ignore"),  # by the alphabet
    ):
        frame = BASE.assign(town=towns[K % 16], **{name: numbers[K % 16]})
        schema = infer_schema(frame)
        assert (schema[name].role, schema["town"].role) == (role, "cluster")
        (question,) = (q for q in schema.questions if name in q.columns)
        assert question.answers[0](schema)[name].role == "ignore"


def test_what_is_only_related_is_no_copy():
    """Groups far apart, a rare trait that agrees by chance, names that hardly recur, a country."""
    r = np.random.default_rng(2)
    group, country = r.integers(3, size=N), r.integers(0, 40, N)
    frame = pd.DataFrame(
        {
            "weight": r.normal(60 + 40 * group, 2).round(1),
            "length": r.normal(10 + 30 * group, 2).round(1),
            "kind": np.array(["u", "v", "w"])[group],
            "rare": np.where(K < 2, "yes", "no"),
            "rare too": np.where(K < 3, "yes", "no"),
            "country": [f"land {k}" for k in country],
            "continent": np.array(["A", "B", "C", "D"])[country % 4],
            "dose": BASE["dose"],
            "nearly": BASE["dose"] + r.normal(0.0, 1.0, N).round(1),
        }
    )
    for table in (frame, *(columns(60, seed) for seed in range(20))):
        assert "ignore" not in {spec.role for spec in infer_schema(table).values()}


@pytest.mark.parametrize(
    ("names", "share", "left_out"),
    [
        ("region_s region_w region_e", 0.25, 3),  # of four
        ("region_s region_w region_e smoker", 0.25, 3),
        ("kind=a kind_b kind_c", 0.25, 0),
        ("south west east", 0.25, 0),  # may be several facts
        ("pain_arm pain_leg pain_back", 0.01, 0),  # never two by chance
        ("kind=a kind=b kind=c", 1 / 3, 3),
    ],
)
def test_the_levels_of_one_category_are_so_without_the_first_of_them_too(names, share, left_out):
    levels = np.random.default_rng(3).choice(4, N, p=[1 - 3 * share, *[share] * 3])
    made = {name: 1 * (levels == k) for k, name in enumerate(names.split()[:3], 1)}
    frame = BASE[["age", "dose"]].assign(**made, smoker=1 * (SMOKER == "yes"))
    schema = infer_schema(frame)
    asked = [q for q in schema.questions if "one category" in q.text]
    assert sum(len(q.columns) for q in asked) == left_out == len(schema.names("ignore"))
    assert all(("at most" in q.text) == (share < 0.3) for q in asked)


@pytest.mark.parametrize("rows", [6, 9, 11])
def test_a_few_rows_prove_no_copy_and_names_of_their_own_are_no_kinds(rows):
    for seed in range(20):
        cells = np.random.default_rng(seed).integers(0, 50, (rows, 4))
        frame = pd.DataFrame(cells, columns=list("abcd")).assign(
            name=[f"N{k}" for k in range(rows)]
        )
        schema = infer_schema(frame)
        assert schema["name"].role == "id"
        assert not [q for q in schema.questions if q.about == "repeat"]


def test_a_column_that_is_known_where_its_copy_is_not_stays():
    grams = np.where(BASE["smoker"] == "yes", 3.0 + BASE["age"] // 10, 0.0)
    for unknown, ignored in ((4, False), (40, True)):
        schema = infer_schema(BASE.assign(cigarettes=np.where(K % unknown == 0, np.nan, grams)))
        assert (schema["smoker"].role == "ignore") == ignored


def test_a_band_of_one_row_proves_nothing():
    number = np.arange(25) ** 2
    for first, role in ((1, "cluster"), (2, "ignore")):
        band = np.where(number < number[first], "low", np.where(number < 250, "mid", "high"))
        assert infer_schema(pd.DataFrame({"number": number, "band": band}))["band"].role == role


def test_numbers_that_are_not_in_one_order_are_not_compared(monkeypatch):
    compared = []
    monkeypatch.setattr(dependence, "weights_of", lambda table: compared.append(table))
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 60)))
    infer_schema(frame.rename(columns="x{}".format))
    assert len(compared) < 60  # of 1,770 pairs
