"""Words whose parts suggest an order, and words that only look like it."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.schema.orders import likely_order

SCALES = [
    "very negative|negative|neutral|positive|very positive",
    "Not at all rude|Somewhat rude|Very rude",
    "Very unfavorably|Somewhat unfavorably|Neither|Somewhat favorably|Very favorably",
    "Never|Once a year or less|Once a month or less|A few times a month|Every day",
    "Month-to-month|One year|Two years",
    "Fails|Needs improvement|Meets expectations|Exceeds expectations",
    "Less than high school|High school degree|Some college|Bachelor degree|Graduate degree",
    "Uneducated|High School|College|Graduate|Post-Graduate|Doctorate",
    "Non_Traveller|Travels_Rarely|Travels_Frequently",
    "Rural|Suburban|Urban",
    "Never|Now and then|About half of the days|Mostly|Always",
    "Not at all|Not much|Some|A lot|Very much",
    "No, none|Some of us|Yes, all of us",
    "Far worse|worse|about the same|better|Far better",
]
NO_SCALES = [
    "Turkey|Chicken|Ham|Other",
    "Married|Single|Divorced",
    "DSL|Fiber optic|No",
    "No|No phone service|Yes",
    "Entire home|Private room|Shared room|Hotel room",
    "Compact|Large|Midsize|Small|Sporty|Van",
    "Sales|Production|Administration|Software Engineering",
    "US Citizen|Non-Citizen|Eligible NonCitizen",
]


@pytest.mark.parametrize("scale", SCALES)
def test_steps_are_put_in_order_and_no_answer_is_left_out(scale):
    steps = tuple(scale.split("|"))
    shuffled = (
        np.random.default_rng(0).permutation([*steps, "Don't know", "Not applicable here"]).tolist()
    )
    assert likely_order(shuffled) == steps


@pytest.mark.parametrize("words", NO_SCALES)
def test_kinds_have_no_order(words):
    assert likely_order(words.split("|")) is None
