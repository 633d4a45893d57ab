"""Every figure of the cards of many tables, held against pandas, scipy and statsmodels."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.profiling.cards import Trait, profile_cards
from mapdp_studio.core.profiling.conditions import AT_LEAST, BELOW, IS, IS_NOT
from mapdp_studio.core.profiling.profiles import natural_columns
from mapdp_studio.core.profiling.rules import Rule, TableRules, Tally, rules_of_table
from mapdp_studio.demo_datasets import DEMOS, load_demo

SHARED = Path(__file__).parents[3] / "shared"
NO_TABLES = {"peers"}  # beside the tables, and none of them
TABLES = sorted(
    path
    for folder in ("data/*", "exports", "labelled", "raw-tables")
    for path in SHARED.glob(f"{folder}/*.*")
    if path.suffix in (".csv", ".sav") and path.stem not in NO_TABLES
)
MOST_ROWS, MOST_COLUMNS = 300, 20


@pytest.mark.skipif(not TABLES, reason=f"No tables lie at {SHARED}.")
@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_figure_is_so(path):
    _all_is_so(read_table(path))


@pytest.mark.parametrize("name", DEMOS)
def test_every_figure_is_so_of_examples(name):
    _all_is_so(load_demo(name)[0])


def _all_is_so(frame: pd.DataFrame) -> None:
    frame = frame.iloc[:: -(-len(frame) // MOST_ROWS)].reset_index(drop=True)
    schema = infer_schema(frame)
    schema = schema.with_columns(dict.fromkeys(schema.names("cluster")[MOST_COLUMNS:], "ignore"))
    encoded = schema.encode(frame)
    labels = _groups(encoded.values)
    cells = {column.name: _cells(column) for column in natural_columns(encoded)}
    _are_the_tables_own(cells, frame, schema)
    n_lines = 0
    for k, card in enumerate(profile_cards(encoded, labels, most=100)):
        assert card.size == (labels == k).sum()
        for trait in card.traits:
            n_lines += 1
            _check(trait, cells, schema, labels == k, labels != k)
        for trait in card.contrasts:
            _check(trait, cells, schema, labels == k, labels == card.nearest)
    assert n_lines
    _check_rules(rules_of_table(frame, encoded, labels), frame, cells, labels)


def _groups(values: np.ndarray) -> np.ndarray:
    """Groups of many sizes, down to two rows: along what most columns have in common."""
    ranks = pd.DataFrame(values).rank(pct=True).fillna(0.5)
    along = np.linalg.svd(ranks - ranks.mean(), full_matrices=False)[0][:, 0]
    ends = len(values) - np.array([2, 6, 11, 19, 40, len(values) // 3])
    return np.searchsorted(np.sort(ends), np.argsort(np.argsort(along)), side="right")


def _cells(column) -> pd.Series:
    """A column in its user's terms: words of levels, numbers, names of special outcomes."""
    if column.is_by_levels:
        levels = dict(enumerate(column.levels))
        cells = pd.Series(column.codes).map(levels).astype(object)
    else:
        cells = pd.Series(column.values).astype(object)
    if column.outcomes is not None:
        outcome = pd.Series(column.outcomes.codes).fillna(0).astype(int)
        cells = cells.mask(outcome > 0, outcome.map(dict(enumerate(column.outcomes.levels))))
    return cells


def _are_the_tables_own(cells, frame, schema) -> None:
    """Where a column is read as it stands, its cells are those of the file."""
    for name, own in cells.items():
        spec = schema[name]
        if spec.family == "normal" and not (spec.reading or spec.special or spec.taken_as):
            numbers = pd.to_numeric(frame[name], errors="coerce").astype(float)
            codes = [float(code) for code in spec.missing_codes if not isinstance(code, str)]
            pd.testing.assert_series_equal(
                own.astype(float), numbers.mask(numbers.isin(codes)), check_names=False
            )


def _check_rules(rules: TableRules | None, frame, cells, labels: np.ndarray) -> None:
    """Of every rule: how many rows it names, and rightly."""
    if rules is None:
        return
    for k, rule in enumerate(rules.rules):
        if rule is not None:
            ends = [(c.key, c.relation) for c in rule.conditions if c.relation != IS_NOT]
            assert len(ends) == len(set(ends)), "a wider condition beside a narrower one"
            named = _named(rule, rules, frame, cells)
            in_group = labels == k
            assert rule.tally == Tally(named.sum(), named[in_group].sum(), in_group.sum())


def _named(rule: Rule, rules: TableRules, frame: pd.DataFrame, cells) -> pd.Series:
    holds = []
    for condition in rule.conditions:
        own, levels = cells[condition.column], rules.cells[condition.key].levels
        if levels is None:
            is_number = pd.to_numeric(own, errors="coerce").notna()
            own, value = frame[condition.column].where(is_number), condition.value
        elif condition.relation in (AT_LEAST, BELOW):
            own, value = own.map({level: j for j, level in enumerate(levels)}), condition.value
        else:
            value = levels[int(condition.value)]
        meant = {AT_LEAST: own.ge, BELOW: own.lt, IS: own.eq, IS_NOT: own.ne}[condition.relation]
        holds.append(meant(value) & own.notna())
    return pd.concat(holds, axis=1).all(axis=1)


def _check(trait: Trait, cells, schema, inside: np.ndarray, outside: np.ndarray) -> None:
    """A line, told with the figure of all rows, or of the other group alone."""
    name, level = _column(trait, cells)
    both = inside | outside
    own = cells[name][both].dropna()
    if level is None and schema[name].special:
        own = pd.to_numeric(own, errors="coerce").dropna()
    inside = inside[own.index]
    other = own if both.all() else own[~inside]
    assert trait.n_observed == inside.sum()
    side = 1 if trait.word in ("high", "more often") else -1
    if level is not None:
        has = own.map(str) == level
        for text, shown in ((trait.here, has[inside]), (trait.overall, has[other.index])):
            assert _is(text, 100.0 * shown.mean()), trait
        _check_share(has.to_numpy(), inside, side)
        return
    statistic = trait.what.removesuffix(name).strip()
    every = pd.to_numeric(cells[name], errors="coerce").dropna()
    by_rank = schema[name].transform == "log" or abs(stats.skew(every)) > 1.0
    usual = "median" if schema[name].kind == "measurement" and by_rank else "mean"
    statistic = statistic or usual
    own = own.astype(float)
    assert _is(trait.here, getattr(own[inside], statistic)()), trait
    assert _is(trait.overall, getattr(other.astype(float), statistic)()), trait
    _check_amount(own, inside, statistic, side)


def _column(trait: Trait, cells: dict[str, pd.Series]) -> tuple[str, str | None]:
    if trait.word in ("more often", "less often"):
        return max(
            ((n, trait.what[len(n) + 3 :]) for n in cells if trait.what.startswith(f"{n} = ")),
            key=lambda found: len(found[0]),
        )
    names = (f"{prefix}{n}" for prefix in ("", "mean ", "median ") for n in cells)
    found = next(n for n in names if n == trait.what)
    return (found if found in cells else found.split(" ", 1)[1]), None


def _is(written: str, number: float) -> bool:
    """Whether a figure on screen is a number, rounded as it is shown."""
    text = written.removesuffix(" %").replace(",", "")
    digits, _, power = text.partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return abs(float(text) - number) <= 0.5 * unit + 1e-9 * abs(number)


def _check_share(has: np.ndarray, inside: np.ndarray, side: int) -> None:
    here, rest = has[inside], has[~inside]
    assert ((here if side > 0 else ~here).sum()) >= 5
    low, high = confint_proportions_2indep(
        here.sum(), here.size, rest.sum(), rest.size, method="newcomb", compare="diff"
    )
    assert min(side * low, side * high) > 0


def _check_amount(own: pd.Series, inside: np.ndarray, statistic: str, side: int) -> None:
    here, rest = own[inside].to_numpy(float), own[~inside].to_numpy(float)
    middle = np.median(rest) if statistic == "median" else rest.mean()
    assert (side * (here - middle) > 0).sum() >= 5
    if statistic == "mean":
        if np.ptp(here) or np.ptp(rest):
            with warnings.catch_warnings():  # of one group without any spread
                warnings.simplefilter("ignore", RuntimeWarning)
                ends = stats.ttest_ind(here, rest, equal_var=False).confidence_interval(0.95)
            assert min(side * ends.low, side * ends.high) > 0
        return
    ends = [stats.quantile_test(part, p=0.5).confidence_interval(0.95) for part in (here, rest)]
    near = (ends[0].low, ends[1].high) if side > 0 else (ends[0].high, ends[1].low)
    middles = np.median(here), middle
    reach = np.hypot(near[0] - middles[0], near[1] - middles[1])
    assert side * (middles[0] - middles[1]) - reach > 0
