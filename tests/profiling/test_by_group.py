"""What groups are like, in words: the numbers of pandas and statsmodels, one measure a column."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.proportion import proportion_confint

from mapdp_studio.core.profiling.by_group import group_table, summarise
from mapdp_studio.core.profiling.profiles import ALL, NaturalColumn

N = 80
RANDOM, LABELS = np.random.default_rng(3), np.repeat([0, 1], [50, 30])
AGE = np.where(np.arange(N) % 9, RANDOM.normal(60.0, 8.0, N).round(1), np.nan)
COST, VISITS = np.exp(RANDOM.normal(3.0, 1.0, N)), RANDOM.poisson(3.0, N).astype(float)
SEX, KIND = (RANDOM.integers(n, size=N).astype(float) for n in (2, 3))
COLUMNS = [
    NaturalColumn("age", "measurement", AGE),
    NaturalColumn("cost", "measurement", COST),
    NaturalColumn("dose", "measurement", np.log(COST), is_log=True),
    NaturalColumn("visits", "count", VISITS),
    NaturalColumn("pain", "rating", KIND),
    NaturalColumn("sex", "yes/no", SEX, ("f", "m")),
    NaturalColumn("kind", "category", KIND, ("a", "b", "c")),
]


def spread(values: np.ndarray) -> str:
    """Mean (SD) without zeros at the end."""
    mean, sd = (f"{of:.2f}".rstrip("0").rstrip(".") for of in (values.mean(), values.std(ddof=1)))
    return f"{mean} ({sd})"


@pytest.mark.parametrize("is_counted", [True, False], ids=["counted", "bare"])
@pytest.mark.parametrize(
    ("group", "rows"), [(1, LABELS == 1), (ALL, LABELS >= 0)], ids=["group", "all"]
)
def test_each_column_is_told_by_one_measure(group, rows, is_counted):
    table = group_table([summarise(c, LABELS) for c in COLUMNS], {group: "here"})[not is_counted]
    table = table.set_index("Column")["here"]
    age, n = pd.Series(AGE[rows]), int(rows.sum())
    cost = "{:.3g} [{:.3g} to {:.3g}]".format(*np.quantile(COST[rows], [0.5, 0.25, 0.75]))
    visits, kinds = VISITS[rows], np.bincount(KIND[rows].astype(int)) / n
    yes = int(SEX[rows].sum())
    interval = "{:.0f} % to {:.0f} %".format(
        *(100 * end for end in proportion_confint(yes, n, method="wilson"))
    )
    expected = {
        "age, mean (SD)": (f"{age.mean():.1f} ({age.std():.2f})", age.count()),
        "cost, median [quartiles]": (cost, n),
        "dose, median [quartiles]": (cost, n),
        "visits, mean (SD)": (spread(visits), n),
        "pain, mean score (SD)": (spread(KIND[rows]), n),
        "sex = m": (f"{100 * yes / n:.0f} %", n),
        "kind": (", ".join(f"{k}: {100 * s:.0f} %" for k, s in zip("abc", kinds, strict=True)), n),
    }
    words = {name: text for name, (text, _) in expected.items()}
    if is_counted:
        words = {name: f"{text}; n = {seen}" for name, (text, seen) in expected.items()}
        words["age, mean (SD)"] += f"; {n - age.count()} missing"
        words["visits, mean (SD)"] = words["visits, mean (SD)"].replace(
            ";", f", {visits.sum():.0f} in all;"
        )
        words["sex = m"] = f"m: {yes} of {n}, {100 * yes / n:.0f} % ({interval})"
    assert table.to_dict() == words


def test_of_few_rows_only_that_is_said():
    column = NaturalColumn("x", "measurement", np.array([1.0, 2.0, np.nan, np.nan]))
    titles = {0: "A", 1: "B"}
    for table in group_table([summarise(column, np.array([0, 0, 1, 1]))], titles, least=3):
        assert table.iloc[0].tolist()[1:] == ["fewer than 3 observed", "none observed"]


def test_weights_count_and_special_outcomes_have_their_own_line():
    codes, weights = np.array([1.0, np.nan, 3.0, np.nan]), np.array([3.0, 1.0, 1.0, 1.0])
    places, names = np.array([0.0, 1.0, 0.0, np.nan]), ("no", "zero")
    zero = NaturalColumn("x", "special outcome", places, names, weights=weights)
    column = NaturalColumn("x", "rating", codes, outcomes=zero, weights=weights)
    parts = [summarise(part, np.zeros(4, np.int64)) for part in column.parts]
    numbers, shares = group_table(parts, {0: "A"})[0]["A"]
    assert numbers.startswith("1.5 (1)")
    assert numbers.endswith("n = 4; 1 missing")
    assert shares == "zero: 20 %; n = 5"
