"""The Python function of short rules gives every row the group that the rules give it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.exports.script import rules_in_python
from mapdp_studio.core.profiling.conditions import AT_LEAST, BELOW, IS, IS_NOT, Condition
from mapdp_studio.core.profiling.rules import Rule, RuleSet, TableRules, rules_of_table

N = 1_000
TITLES = ("The rest", 'Old "ones"', "O'Brien's", "=4", "Cluster 5")


def _table() -> tuple[pd.DataFrame, TableRules]:
    """Columns of all kinds, with holes, codes and quotes in odd places."""
    random = np.random.default_rng(5)
    age, crp = random.integers(18, 90, N).astype(float), np.exp(random.normal(1.0, 1.0, N))
    age[1::7], age[::5] = 999.0, np.nan
    crp[crp < 1.5], crp[::4] = 0.0, np.nan
    words = random.choice(["it's", 'a "b"', "Yes", "yes", " c"], N).astype(object)
    pain = random.choice(["low", "middle", "high"], N).astype(object)
    words[::11], words[::3], pain[::6] = "?", None, None
    smokes, far = random.choice([True, False], N), random.integers(-3, 4, N)
    frame = pd.DataFrame(
        {'the "age"': age, "no column's": words, "crp": crp.round(1), "pain": pain}
        | {"smokes": smokes, "kind": random.choice([0, 1, 7], N), "far": far}
        | {f"x{j}": random.normal(size=N).round(6) for j in range(22)}
    )
    schema = infer_schema(frame)
    told = {
        'the "age"': {"family": "normal", "missing_codes": (999,)},
        "no column's": {"family": "categorical", "missing_codes": ("?",)},
        "crp": {"family": "normal", "transform": "log", "special": {"zero": 0}},
        "pain": {"family": "binomial", "levels": ("low", "middle", "high")},
        "smokes": {"family": "bernoulli", "levels": (False, True)},
        "kind": {"family": "categorical"},
        "far": {"family": "normal"},
    }
    for name, options in told.items():
        schema = schema.with_column(name, role="cluster", **options)
    labels = np.where(smokes, far > 0, random.integers(2, 5, N))
    rules = rules_of_table(frame, schema.encode(frame), labels)
    assert {name for name, _ in rules.cells} == {*frame}
    return frame, rules


FRAME, RULES = _table()


def _of_every_kind() -> list[Condition]:
    """Conditions on all columns but the plain ones, each with and without what is not known."""
    found = []
    for (name, of_outcome), cells in RULES.cells.items():
        values = np.unique(cells.values[~np.isnan(cells.values)])[int(of_outcome) :]
        words = (AT_LEAST, BELOW, IS) if cells.is_cut else (IS, IS_NOT)
        if not name.startswith("x"):
            some = values[:: max(1, len(values) // 4)]
            found += [Condition(name, w, float(v), of_outcome) for w in words for v in some]
    return found + [replace(condition, or_unknown=True) for condition in found]


def _random_set(seed: int) -> RuleSet:
    random, every = np.random.default_rng(seed), _of_every_kind()
    chosen = (random.choice(len(every), 1 + k % 3, replace=False) for k in (1, 2, 3, 4, 2, 3))
    rules = (
        Rule(k, tuple(every[j] for j in some))
        for k, some in zip((1, 2, 3, 4, 2, 3), chosen, strict=True)
    )
    return RuleSet(tuple(rules), 0)


def function_of(whole: RuleSet):
    """The function that is written for some rules."""
    room: dict = {}
    rules = replace(RULES, found=replace(RULES.found, whole=whole))
    exec(rules_in_python(rules, TITLES, "a\n'file'", prepared=False), room)
    return room["group_of"]


@pytest.mark.parametrize("seed", [None, *range(8)])
def test_the_function_gives_the_groups_of_the_rules(seed):
    whole = RULES.found.whole if seed is None else _random_set(seed)
    assert whole.rules
    group_of, expected = function_of(whole), [TITLES[k] for k in whole.assign(RULES.cells)]
    as_dicts = FRAME.astype(object).where(FRAME.notna(), None).to_dict("records")
    assert [group_of(row) for row in as_dicts] == expected
    assert FRAME.apply(group_of, axis=1).to_list() == expected  # NaN and NA are missing, too


def test_blanks_around_a_text_make_no_other_text():
    """Files are read without them, and rules are tried on cells as they stand in a database."""
    whole = RuleSet(tuple(Rule(k, (Condition("pain", IS, k - 1.0),)) for k in (1, 2)), 0)
    cells = ["low  ", " middle", " high ", "low", None]
    found = [function_of(whole)({"pain": cell}) for cell in cells]
    assert found == [TITLES[k] for k in (1, 2, 0, 1, 0)]
