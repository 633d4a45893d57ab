"""Cards: the furthest traits first, in digits people read."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.profiling.cards import distinct_texts, profile_cards, sentence
from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.core.wording import percent


def test_what_differs_by_less_than_three_tenths_of_a_deviation_is_not_worth_a_line():
    labels = np.repeat([0, 1], 200)
    even = np.tile(np.linspace(-1.0, 1.0, 200), 2)
    spread = even / even.std()  # of mean 0 and deviation 1 in each cluster
    shift = np.where(labels == 0, -1.0, 1.0)
    values = np.column_stack([spread + by * shift for by in (0.25, 0.35)])
    units = tuple(Unit(name, "normal", (name,)) for name in ("near", "far"))
    card = profile_cards(Encoded(values, units), labels)[0]
    assert [(trait.word, trait.what) for trait in card.traits] == [("low", "far")]
    assert card.traits[0].difference == pytest.approx(-0.35 / np.sqrt(1 + 0.35**2))


def _traits(units, values, labels):
    return profile_cards(Encoded(np.column_stack(values), units), labels)


def test_figures_get_the_digits_that_tell_the_group_from_all_rows():
    labels = np.repeat([0, 1], 50)
    near = 1.02 + 1e-4 * np.tile([0.0, 1.0], 50) + 1e-4 * labels
    (trait,) = _traits((Unit("ratio", "normal", ("ratio",)),), [near], labels)[1].traits
    assert (trait.word, trait.here, trait.overall) == ("high", "1.02015", "1.0201")
    assert distinct_texts(percent, 0.5, 0.5001) == ("50.00 %", "50.01 %")


def test_the_statistic_told_is_the_one_that_differs():
    labels = np.repeat([0, 1], 50)
    # More than half of all rows have none, in both groups; the second has a few large ones.
    days = np.where((labels == 1) & (np.arange(100) % 3 == 0), 9.0, 0.0)
    (trait,) = _traits((Unit("days", "normal", ("days",)),), [days], labels)[1].traits
    assert (trait.word, trait.what) == ("high", "mean days")
    assert float(trait.here) > float(trait.overall) > 0


def test_every_card_tells_a_column_by_the_same_statistic():
    labels = np.repeat([0, 1, 2], 50)
    k = np.arange(150)
    # The median of all rows is none: it tells the last group alone, the mean the first two, too.
    days = np.where(labels == 2, 4.0 + k % 9, np.where((labels == 1) & (k % 3 == 0), 2.0, 0.0))
    cards = _traits((Unit("days", "normal", ("days",)),), [days], labels)
    told = [trait.what for card in cards for trait in (*card.traits, *card.contrasts)]
    assert len(told) == 4
    assert {*told} == {"mean days"}


def test_a_yes_is_rarer_in_one_group_and_commoner_in_the_other():
    labels = np.repeat([0, 1], 50)
    sick = (np.arange(100) % 10 < np.where(labels == 0, 1, 8)).astype(float)
    unit = Unit("sick", "bernoulli", ("sick",), {"levels": ("no", "yes")})
    traits = [card.traits[0] for card in _traits((unit,), [sick], labels)]
    found = [(trait.word, trait.what, trait.here) for trait in traits]
    assert found == [("less often", "sick = yes", "10 %"), ("more often", "sick = yes", "80 %")]


def test_no_is_never_rare_and_steps_that_are_words_are_not_averaged():
    labels = np.repeat([0, 1], 50)
    pain = np.where(labels == 0, 0, 2).astype(float)
    units = (
        Unit("oedema", "categorical", ("oedema",), {"levels": ("absent", "mild", "severe")}),
        Unit("pain", "binomial", ("pain",), {"levels": ("low", "middle", "high"), "trials": 2}),
    )
    present = np.where(labels == 1, 1 + np.arange(100) % 2, 0).astype(float)
    card = _traits(units, [present, pain], labels)[1]
    traits = {(trait.word, trait.what, trait.here) for trait in card.traits}
    assert ("more often", "pain = high", "100 %") in traits
    assert {word for word, _, _ in traits} == {"more often"}
    assert not any(what == "oedema = absent" for _, what, _ in traits)


def test_weights_make_no_rows():
    labels = np.repeat([0, 1], [20, 200])
    unit = Unit("status", "categorical", ("status",), {"levels": ("single", "pair", "yolo")})
    status = np.tile([0.0, 1.0], 110)
    status[:4] = 2.0
    amount = np.linspace(0.0, 1.0, 220) + 0.5 * (labels == 0)
    table = Encoded(
        np.column_stack([status, amount]), (unit, Unit("amount", "normal", ("amount",)))
    )
    plain = profile_cards(table, labels)
    (_, tenth) = profile_cards(replace(table, weights=np.full(220, 0.1)), labels)
    assert tenth.traits == plain[1].traits
    for weight in (100.0, 1e-3):  # four rows stay four, however much they count
        weights = np.where(np.arange(220) < 4, weight, 1.0)
        (card, _) = profile_cards(replace(table, weights=weights), labels)
        assert "status = yolo" not in {trait.what for trait in card.traits}


OF = np.repeat([0, 1, 2, 3], [80, 40, 40, 3])


def _cards_of(frame: pd.DataFrame, labels: np.ndarray = OF):
    schema = infer_schema(frame)
    for name in frame:
        family = "normal" if frame[name].dtype.kind in "if" else "categorical"
        schema = schema.with_column(name, family=family, role="cluster")
    return profile_cards(schema.encode(frame), labels)


def _frame() -> pd.DataFrame:
    random = np.random.default_rng(2)
    far = np.array([0.0, 30.0, 42.0, 43.0])[OF]
    return pd.DataFrame(
        {
            "age": (40 + far + random.normal(0, 1, OF.size)).round(),
            "income": (9_000 + 400 * np.minimum(far, 30.0) + 10 * random.normal(0, 30, OF.size)),
            "children": np.array(["no", "no", "yes", "yes"])[OF],
            "noise": random.normal(size=OF.size).round(2),
        }
    )


def test_a_card_is_told_beside_the_group_most_like_it():
    frame = _frame()
    cards = _cards_of(frame)
    # Three rows are no group to be told beside, however near they lie.
    assert [card.nearest for card in cards] == [1, 2, 1, 2]
    first, second = cards[2].contrasts
    assert (first.what, first.here, first.overall) == ("children = yes", "100 %", "0 %")
    means = frame.groupby(OF)["age"].mean()
    assert (second.what, second.here, second.overall) == (
        "age",
        f"{means[2]:.0f}",
        f"{means[1]:.0f}",
    )
    assert sentence(cards[2], "Old *ones*", lambda text: text.replace("*", "_")) == (
        f"Like Old _ones_, but always children = yes (there 0 %) and higher age ({means[2]:.0f}, "
        f"there {means[1]:.0f})."
    )


def test_a_level_is_held_against_the_nearest_group_alone():
    labels = np.repeat([0, 1, 2], [200, 12, 12])
    frame = pd.DataFrame({"noise": np.tile([1.0, 2.0], 112) + 9 * (labels > 0), "sick": "no"})
    frame.loc[[*range(200, 206), *range(212, 221)], "sick"] = "yes"  # 6 of 12, and 9 of 12
    card = _cards_of(frame, labels)[2]
    assert (card.nearest, card.contrasts) == (1, ())
    assert "sick = yes" in [trait.what for trait in card.traits]


def test_of_two_parts_the_sentence_tells_the_one_that_differs():
    labels = np.repeat([0, 1, 2], 40)
    frame = _frame().iloc[:120][["noise"]]
    frame["dose"] = np.array([0.0, 20.0, 21.0, 22.0] * 30) + 3 * labels
    frame.loc[::4, "dose"] = 0.0
    frame.loc[80:, "dose"] = 0.0
    frame.loc[80:, "noise"] += 9.0
    schema = infer_schema(frame).with_column("dose", family="normal", special={"zero": 0})
    encoded = schema.with_column("dose", role="cluster").encode(frame)
    texts = [sentence(card, "B") for card in profile_cards(encoded, labels)]
    assert texts[0] == "Like B, but lower dose (21, there 24)."
    assert texts[2].endswith(" and always dose = zero (there 25 %).")
