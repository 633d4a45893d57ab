"""Scales of words in the order they are meant."""

from __future__ import annotations

import random

import pytest

from mapdp_studio.core.schema.orders import in_known_order, two_levels

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
    "pair", ["nein ja", "non oui", "no sí", "faux vrai", "falso verdadeiro", "nee ja", "nie tak"]
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
        *("non-smoker|smoker", "Unmarried|Married", "asymptomatic|symptomatic", "absent|Present"),
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
