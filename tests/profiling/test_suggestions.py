"""What a table is said to need, where it is planted, and nothing where it is not."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.prepare.cells import FillBlanks, MergeLevels
from mapdp_studio.core.prepare.columns import TimeBetween
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.prepare.rows import DropRepeated, FilterRows, OneRowPer
from mapdp_studio.core.profiling.suggestions import suggestions
from mapdp_studio.core.schema.infer import infer_schema
from tests.random_steps import random_frame

N = 240


def plain(n: int = N) -> pd.DataFrame:
    """A tidy table of measurements and words."""
    random = np.random.default_rng(0)
    columns = {f"{name} level": random.normal(50, 9, n).round(1) for name in ("iron", "zinc")}
    columns |= {name: random.choice(["low", "high"], n) for name in ("risk", "pain")}
    return pd.DataFrame(columns | {"ward": random.choice(list("ABC"), n)})


def with_visits() -> pd.DataFrame:
    frame = plain()
    frame.insert(0, "patient", np.repeat(np.arange(N // 4), 4))
    frame.insert(1, "visit", np.tile(np.arange(4), N // 4))
    frame["sex"] = np.repeat(np.random.default_rng(1).choice(["f", "m"], N // 4), 4)
    return frame


def shortly_after(days: int, form: str) -> pd.Series:
    """A day every forty days from 1950 on, and up to so many days later."""
    start = pd.Timestamp("1950-01-31") + pd.to_timedelta(np.arange(N) * 40, "D")
    return pd.Series(
        start + pd.to_timedelta(days + np.arange(N) % 9 * (days > 0), "D")
    ).dt.strftime(form)


PLAIN = plain()
REPEATS = pd.concat([PLAIN, PLAIN.head(7)], ignore_index=True)
NUMBERED = REPEATS.assign(number=[f"N{j:04d}" for j in range(len(REPEATS))])
TICKS = np.random.default_rng(2).random((2, N)) < 0.4
BOXES = PLAIN.assign(lift=np.where(TICKS[0], 1.0, np.nan), garden=np.where(TICKS[1], "x", None))
JOINED = PLAIN.assign(joined=shortly_after(0, "%d.%m.%Y"))
SPELLINGS = PLAIN.assign(smoker=np.resize(["No", "no", "Yes", "maybe", "Yes"], N))
DATES = PLAIN.assign(come=shortly_after(9000, "%d.%m.%Y"), born=shortly_after(0, "%m/%d/%y"))
TURNED = DATES.assign(come=DATES["come"].where(np.arange(N) > 1, "01.01.1930"))
FOOTER = pd.concat([PLAIN, pd.DataFrame({"ward": ["(1) by law", None]})], ignore_index=True)


def with_few_returning(first: str, rows: object) -> pd.DataFrame:
    """Most persons come once, half of the rows are of those who come again; all are numbered."""
    person = np.append(np.repeat(np.arange(40), 4), np.arange(40, 160))
    sexes = np.random.default_rng(3).choice(["f", "m"], 160)
    frame = plain(len(person)).assign(person=person, sex=sexes[person])
    frame.insert(0, first, rows)
    return frame


@pytest.mark.parametrize(
    ("frame", "step", "why"),
    [
        (with_visits(), OneRowPer, "240 rows belong to 60 values of 'patient'"),
        (REPEATS, DropRepeated(), "7 of 247 rows repeat another one"),
        (NUMBERED, DropRepeated, "7 of 247 rows repeat another one in all but"),
        (JOINED, TimeBetween, "'joined' holds dates, which are left out"),
        (BOXES, FillBlanks(("lift", "garden")), "2 columns hold one value or nothing"),
        (SPELLINGS, MergeLevels, "'No' and 'no' in 'smoker'|'no' and 'No' in 'smoker'"),
        (DATES, TimeBetween, "2 columns hold dates.* from 'born' to 'come'"),
        (TURNED, TimeBetween, "2 columns hold dates.* from 'born' to 'come'"),
        (FOOTER, FilterRows("iron level", "is not empty"), "2 rows have one filled cell"),
    ],
    ids=lambda value: getattr(value, "key", None),
)
def test_what_is_planted_is_suggested_and_can_be_done(frame, step, why):
    (found,) = suggestions(frame, infer_schema(frame))
    assert found.step == step if not isinstance(step, type) else isinstance(found.step, step)
    assert pd.Series([found.why]).str.contains(why).all(), found.why
    prepared = Recipe().with_step(found.step).apply(frame)
    assert prepared.records[0].is_done
    again = suggestions(prepared.frame, infer_schema(prepared.frame))
    assert type(found.step) not in {type(s.step) for s in again}, "it is suggested for ever"


def test_a_unit_keeps_its_facts_and_its_order():
    (found,) = suggestions(with_visits(), infer_schema(with_visits()))
    how = dict(pair for pair in found.step.summaries if len(pair) == 2)
    assert (found.step.order, how["sex"], how["iron level"]) == ("visit", "first", "mean")


def test_a_tidy_table_needs_nothing():
    assert suggestions(PLAIN, infer_schema(PLAIN)) == ()
    few = PLAIN[["risk", "pain", "ward"]].assign(a=PLAIN["risk"], b=PLAIN["ward"])
    assert few.duplicated().sum() > 200
    assert suggestions(few, infer_schema(few)) == (), "rows of few words are alike by chance"


def test_what_is_named_like_no_unit_has_rows_at_most_of_the_times():
    beds = with_visits().rename(columns={"patient": "bed"})
    assert len(suggestions(beds, infer_schema(beds))) == 1
    some = beds.sample(frac=0.5, random_state=0).reset_index(drop=True)
    assert suggestions(some, infer_schema(some)) == ()
    named = some.rename(columns={"bed": "patient"})
    assert len(suggestions(named, infer_schema(named))) == 1


def test_rows_of_coarse_numbers_are_alike_by_chance():
    random = np.random.default_rng(6)
    coarse = pd.DataFrame(random.integers(0, 5, (150, 4)), columns=list("abcd"))
    coarse["size"] = random.integers(0, 25, 150)
    coarse.iloc[149] = coarse.iloc[0]
    assert coarse.duplicated().any()
    assert suggestions(coarse, infer_schema(coarse)) == ()


ODD = (
    pd.DataFrame({"a": [None, None]}),
    pd.DataFrame({"a": pd.array([True, None], dtype="boolean"), "b": [np.inf, -np.inf]}),
    pd.DataFrame({"a": [np.nan] * 9, "b": pd.NaT, "c": "", "d": "1", "e": range(9)}),
)


@pytest.mark.parametrize(
    "frame", [*ODD, *(random_frame(np.random.default_rng(seed)) for seed in range(8))]
)
def test_any_table_can_be_looked_at(frame):
    for suggestion in suggestions(frame, infer_schema(frame)):
        assert Recipe().with_step(suggestion.step).apply(frame).records[0].is_done


def test_persons_who_return_are_joined_but_no_things_with_a_key_of_their_own():
    """Flats of hosts: a name that says more than that it is a person's is of another thing."""
    frame = with_few_returning("rownames", range(1, 281))
    (found,) = suggestions(frame, infer_schema(frame))
    assert found.why.startswith("280 rows belong to 160 values of 'person'")
    keys = np.random.default_rng(4).permutation(np.arange(5_000, 5_280))
    for other in (frame.rename(columns={"person": "host_id"}), with_few_returning("flat id", keys)):
        assert suggestions(other, infer_schema(other)) == ()
