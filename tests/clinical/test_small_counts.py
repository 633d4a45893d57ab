"""Small counts are hidden, do not follow from a printed total, and hide no more than they must."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.clinical.small_counts import ALL, OFF, Hidden, hide_small, shown
from mapdp_studio.core.statistics.variables import Variable


def away(counts: list[int], least: int) -> list[int]:
    """Which of some counts, followed by their total, are hidden; the others stay as they are."""
    whole = pd.Series([*counts, sum(counts)])
    shown = hide_small(whole, least)
    assert (shown.dropna() == whole[shown.notna()]).all()
    return np.flatnonzero(shown.isna()).tolist()


def gives_away(whole: list[int], hidden: set[int], least: int) -> bool:
    """Whether a small count stands there, or follows from the total, or all hidden are few."""
    if any(0 < n < least and place not in hidden for place, n in enumerate(whole)):
        return True
    is_few = len(whole) - 1 not in hidden and sum(whole[place] for place in hidden) < least
    return bool(hidden) and (len(hidden) == 1 or is_few)


def test_what_is_hidden_of_500_random_tables_is_needed_and_enough():
    random, n_hidden = np.random.default_rng(0), 0
    for _ in range(500):
        counts = random.negative_binomial(1, 0.06, random.integers(2, 7)).tolist()
        least, whole = int(random.choice([5, 10, 20])), [*counts, sum(counts)]
        hidden = away(counts, least)
        assert not gives_away(whole, {*hidden}, least)
        assert away(counts, OFF) == []
        rest = [n for place, n in enumerate(whole) if place not in hidden and n]
        for place in hidden:
            # One shown again, or a smaller one in its place, and something is given away.
            assert gives_away(whole, {*hidden} - {place}, least), (counts, hidden)
            assert whole[place] < least or whole[place] <= min(rest, default=np.inf), counts
        n_hidden += len(hidden)
    assert n_hidden > 1_000
    assert away([90, 3, 0], 5) == [0, 1]  # a zero has no room to be smaller
    assert (shown(4, 5), shown(1_234, 5), shown(0, OFF)) == ("<5", "1,234", "0")


RARE = np.concatenate([np.arange(40) < 20, np.arange(30) < 3, np.arange(30) < 12]).astype(float)
EVEN_OR_ODD = np.arange(100) % 2
HOLES = np.where(np.arange(100) < 2, np.nan, np.arange(100.0))
EVEN = np.where(np.isnan(HOLES), np.nan, np.arange(100) % 2)
#: Three of the second group had another event first, which tells nothing of its effects.
TIMES = {"events": np.arange(100) % 2 == 0, "others": np.isin(np.arange(100), [41, 43, 45])}


@pytest.mark.parametrize(
    ("kind", "values", "more", "sizes", "figures", "counts"),
    [
        # Of a rare level one cell and that of all.
        ("yes/no", RARE, {"levels": ("no", "yes")}, (40, 30, 30), "0101", "0101"),
        ("category", RARE + (RARE == 0) * 2 * EVEN_OR_ODD, {}, (40, 30, 30), "0101", "0101"),
        # A share tells the number that it is of, also that of a group next to a small one.
        ("yes/no", EVEN, {"levels": ("no", "yes")}, (40, 60), "101", "101"),
        ("yes/no", EVEN[3:], {"levels": ("no", "yes")}, (63, 31, 3), "0110", "0110"),
        ("time to event", HOLES, TIMES, (40, 30, 30), "0101", "1101"),
        ("measurement", np.arange(100.0), {}, (40, 30, 30), "0000", "0000"),
        # A small group hides its cells and the number of patients of the next.
        ("measurement", np.arange(93.0), {}, (60, 30, 3), "0010", "0110"),
        # Few missing cells hide numbers of patients and no mean.
        ("measurement", HOLES, {}, (60, 40), "000", "101"),
    ],
)
def test_what_of_a_column_is_hidden_by_group_and_of_all(kind, values, more, sizes, figures, counts):
    titles = tuple(f"Group {k + 1}" for k in range(len(sizes)))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    groups = SimpleNamespace(sizes=np.array(sizes), labels=labels, titles=titles)
    column, names = Variable("x", kind, values, **more), [*titles, ALL]
    hidden = Hidden.of([column], groups, 5)
    found = hidden.of_lines(["x"] * len(names), names)
    assert ["".join("01"[int(cell)] for cell in part) for part in found] == [figures, counts]
    has_few = "1" in figures[:2] and kind != "time to event"
    assert hidden.of_pair("x", (0, 1)) == (has_few, [c == "1" for c in counts[:2]])
    assert all(part.all() for part in hidden.of_lines(["not read"], names[:1]))
    assert not Hidden.of([column], groups, OFF).counts.any(axis=None)
    table, bare = (pd.DataFrame([dict.fromkeys(names, cell)]) for cell in ("12; n = 3", "12"))
    expected = {"00": "12; n = 3", "01": "12", "10": "hidden", "11": "hidden"}
    cells = [expected[few + few_counts] for few, few_counts in zip(figures, counts, strict=True)]
    assert hidden.applied_to(table, ["x"], bare).iloc[0].tolist() == cells
