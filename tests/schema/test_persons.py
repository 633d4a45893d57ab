"""Names of persons are told from titles of jobs, places and other words."""

from __future__ import annotations

import pytest

from mapdp_studio.core.schema.words import look_like_persons

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
def test_persons(levels):
    assert look_like_persons(levels.split("|"))


@pytest.mark.parametrize("levels", OTHERS.values(), ids=OTHERS)
def test_others(levels):
    assert not look_like_persons(levels.split("|"))
