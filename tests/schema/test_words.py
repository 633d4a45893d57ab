"""What words say: their order, known or likely; yes and no; names of persons."""

from __future__ import annotations

import random

import pytest

from mapdp_studio.core.schema.orders import in_known_order, likely_order, two_levels
from mapdp_studio.core.schema.words import look_like_persons

SCALES = [
    "low medium high",
    "niedrig mittel hoch",
    "faible moyen élevé",
    "bajo medio alto",
    "basso medio alto",
    "baixo médio alto",
    "laag gemiddeld hoog",
    "niski średni wysoki",
    "nie|selten|manchmal|oft|immer",
    "jamais|rarement|parfois|souvent|toujours",
    "nunca|a veces|a menudo|siempre",
    "mai|raramente|a volte|spesso|sempre",
    "Strongly disagree|Disagree|Neither|Agree|Strongly agree",
    "stimme nicht zu|teils teils|stimme zu",
    "pas d'accord|ni d'accord ni pas d'accord|d'accord|tout à fait d'accord",
    "Primary|Secondary|Bachelor's|Master's|PhD",
    "T1|T2|T3|T4",
    "N0|N1|N2b|N3",
    "I|II|III|IV",
    "18-24|25-34|35-44|65+",
    "<$11k|$11-$25k|$25-$50k|over $50k",
    "under 5|5 to 9|10 or more",
    "1 - never|2 - sometimes|3 - always",
    "stage 1|stage 2|stage 10",
]


@pytest.mark.parametrize("scale", SCALES)
def test_a_scale_is_put_in_order(scale):
    steps = scale.split("|") if "|" in scale else scale.split()
    mixed = random.Random(0).sample(steps, len(steps))
    assert in_known_order(mixed) == tuple(steps)


@pytest.mark.parametrize("codes", ["A11 A12 A13", "oak elm ash", "A B C", "monday tuesday friday"])
def test_names_have_no_order(codes):
    assert in_known_order(codes.split()) is None


def test_letters_are_grades_only_where_the_name_says_so():
    assert in_known_order(["A", "C", "B+", "B"], grades=True) == ("C", "B", "B+", "A")


@pytest.mark.parametrize(
    "pair",
    [
        *("nein ja", "non oui", "no sí", "faux vrai", "falso verdadeiro", "nee ja", "nie tak"),
        *("hay\u0131r evet", "nem igen", "ne ano", "いいえ はい", "否 是", "لا نعم", "✗ ✓"),
    ],
)
def test_yes_is_yes_in_many_languages(pair):
    no, yes = pair.split()
    assert two_levels([yes, no]) == (no, yes) == two_levels([no, yes])


@pytest.mark.parametrize(
    "pair",
    [
        *("Alive|Died", "living|Dead", "lebt|verstorben", "No complication|Complication", "-|+"),
        *("c -|c +", "HBV-|HBV+", "kein Befund|Befund", "ohne Schmerz|mit Schmerz", "jamais|oui"),
        *("never|ever", "Never smoked|Smoked", "healthy|Sick", "Healthy|unhealthy", "None|Any"),
        *("normal|not normal", "blank|Answered", "unauffällig|auffällig", "inactive|active"),
        *(
            "non-smoker|smoker",
            "Unmarried|Married",
            "asymptomatic|symptomatic",
            "absent|Present",
            "vide|non vide",
        ),
    ],
)
def test_what_denies_never_counts_as_yes(pair):
    no, yes = pair.split("|")
    assert two_levels([yes, no]) == (no, yes) == two_levels([no, yes])


@pytest.mark.parametrize("pair", ["not done|present", "unknown|case", "none reported|fever"])
def test_beside_what_was_not_looked_for_the_finding_is_yes(pair):
    no, finding = pair.split("|")
    assert two_levels([finding, no]) == (no, finding) == two_levels([no, finding])


def test_what_the_name_says_is_yes():
    assert two_levels(["New", "Used"], "newbuilding") == ("Used", "New")
    assert two_levels(["female", "male"], "sex") == ("female", "male")


@pytest.mark.parametrize("pair", ["export|import", "left|right", "Type A|Type A - mild", "1|2"])
def test_words_that_deny_nothing_stay_in_their_order(pair):
    first, second = pair.split("|")
    assert two_levels([second, first]) == (first, second)


LIKELY = [
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
KINDS = [
    "Turkey|Chicken|Ham|Other",
    "Married|Single|Divorced",
    "DSL|Fiber optic|No",
    "No|No phone service|Yes",
    "Entire home|Private room|Shared room|Hotel room",
    "Compact|Large|Midsize|Small|Sporty|Van",
    "Sales|Production|Administration|Software Engineering",
    "US Citizen|Non-Citizen|Eligible NonCitizen",
]


@pytest.mark.parametrize("scale", LIKELY)
def test_steps_are_put_in_order_and_no_answer_is_left_out(scale):
    steps = tuple(scale.split("|"))
    said = [*steps, "Don't know", "Not applicable here"]
    assert likely_order(random.Random(0).sample(said, len(said))) == steps


@pytest.mark.parametrize("words", KINDS)
def test_kinds_have_no_order(words):
    assert likely_order(words.split("|")) is None


PERSONS = {
    "given first": "Ann Smith|Bo Lee|Carl M. Vogt|Ludwig van Beethoven|Zoë O'Neil|Dr. Ida Noyes",
    "family first": "Smith, Ann|Lee, Bo  K|Vogt, Carl M.|de Vries, Jan|Núñez, Eva",
    "some are not": "Ann Smith|Bo Lee|Carl Vogt|Eva Nunez|Ida Noyes|Jan Kok|nobody",
}
OTHERS = {
    "jobs": "Data Analyst|Senior Analyst|Sales Manager|Area Sales Manager|IT Manager|Sales Clerk",
    "places": "New York|Boston|San Jose|Paris|Chicago|Dallas|Rome",
    "answers": "Very Good|Good|Fair|Poor|Very Poor",
    "small letters": "left arm|right arm|left leg|right leg|upper back|lower back",
    "codes": "Manager 01|Manager 02|Manager 03|Manager 04|Manager 05",
    "few": "Ann Smith|Bo Lee",
}


@pytest.mark.parametrize("levels", PERSONS.values(), ids=PERSONS)
def test_persons_are_told_by_their_names(levels):
    assert look_like_persons(levels.split("|"))


@pytest.mark.parametrize("levels", OTHERS.values(), ids=OTHERS)
def test_others_are_no_persons(levels):
    assert not look_like_persons(levels.split("|"))
