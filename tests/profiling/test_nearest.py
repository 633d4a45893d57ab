"""What a card says beside the group most like it, and cards that say the same."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema
from mapdp_studio.core.profiling.cards import alike, profile_cards, sentence

LABELS = np.repeat([0, 1, 2, 3], [80, 40, 40, 3])


def _cards(frame: pd.DataFrame, labels: np.ndarray = LABELS):
    schema = infer_schema(frame)
    for name in frame:
        family = "normal" if frame[name].dtype.kind in "if" else "categorical"
        schema = schema.with_column(name, family=family, role="cluster")
    return profile_cards(schema.encode(frame), labels)


def _frame() -> pd.DataFrame:
    random = np.random.default_rng(2)
    far = np.array([0.0, 30.0, 42.0, 43.0])[LABELS]
    return pd.DataFrame(
        {
            "age": (40 + far + random.normal(0, 1, LABELS.size)).round(),
            "income": (
                9_000 + 400 * np.minimum(far, 30.0) + 10 * random.normal(0, 30, LABELS.size)
            ),
            "children": np.array(["no", "no", "yes", "yes"])[LABELS],
            "noise": random.normal(size=LABELS.size).round(2),
        }
    )


def test_a_card_is_told_beside_the_group_most_like_it():
    frame = _frame()
    cards = _cards(frame)
    # Three rows are no group to be told beside, however near they lie.
    assert [card.nearest for card in cards] == [1, 2, 1, 2]
    first, second = cards[2].contrasts
    assert (first.what, first.here, first.overall) == ("children = yes", "100 %", "0 %")
    medians = frame.groupby(LABELS)["age"].median()
    assert (second.what, second.here, second.overall) == (
        "age",
        f"{medians[2]:.0f}",
        f"{medians[1]:.0f}",
    )
    assert sentence(cards[2], "Old *ones*", lambda text: text.replace("*", "_")) == (
        f"Like Old _ones_, but always children = yes (there 0 %) and higher age ({medians[2]:.0f}, "
        f"there {medians[1]:.0f})."
    )


def test_what_five_rows_do_not_bear_out_tells_no_groups_apart():
    frame = _frame()
    labels = np.where(np.arange(LABELS.size) < 40, 0, np.where(LABELS == 0, 1, 2))
    frame.loc[:3, "children"] = "yes"  # four of forty, and none of the next forty
    card = _cards(frame[["noise", "children", "age"]], labels)[0]
    assert card.nearest == 1
    assert card.contrasts == ()
    assert sentence(card, "B") == "Like B: no column clearly tells the two apart."


def test_a_level_is_held_against_the_nearest_group_alone():
    labels = np.repeat([0, 1, 2], [200, 12, 12])
    frame = pd.DataFrame({"noise": np.tile([1.0, 2.0], 112) + 9 * (labels > 0), "sick": "no"})
    frame.loc[[*range(200, 206), *range(212, 221)], "sick"] = "yes"  # 6 of 12, and 9 of 12
    card = _cards(frame, labels)[2]
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
    said = [sentence(card, "B") for card in profile_cards(encoded, labels)]
    assert said[0] == "Like B, but lower dose (median 21, there median 24)."
    assert said[2].endswith(" and always dose = zero (there 25 %).")


def test_a_column_mostly_missing_makes_no_sentence():
    frame = _frame()
    frame.loc[np.flatnonzero(LABELS == 1)[:24], "age"] = np.nan
    card = _cards(frame)[2]
    assert [trait.what for trait in card.contrasts] == ["children = yes"]
    assert "age" in [trait.what for trait in card.traits]


def test_cards_that_begin_with_the_same_lines_are_named():
    frame = _frame()[["age", "income", "noise"]]
    frame["noise"] += 2.0 * frame["age"]
    cards = _cards(frame)
    assert alike(cards) == ((1, 2),)
    assert alike(cards[:2]) == ()
