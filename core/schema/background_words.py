"""Words of names that say who people are: sex, origin, belief, civil status, schooling."""

from __future__ import annotations

from .no_answers import phrases
from .vocabulary import is_sentence, words

_ORIGINS = phrases(
    "sex|gender|race|ethnicity|ethnic|hispanic|latino|religion|denomination|marital|married|citizen",
    "citizenship|nationality|immigrant|geschlecht|familienstand|konfession|nationalität|nationalitaet",
    "staatsangehörigkeit|sexe|genre|nationalité|confession|sexo|género|genero|raza|etnia|nacionalidad",
    "religión|sesso|genere|nazionalità|religione|gênero|raça|nacionalidade|religião|geslacht",
    "nationaliteit|płeć|narodowość",
)
_SCHOOLING = phrases("education|educ|bildung|schulbildung|educación|istruzione|opleiding")


def names_origin(name: str) -> bool:
    """Whether the first or last word of a name says sex, origin, belief or civil status."""
    parts = words(name)
    ends = {*parts[:1], *parts[-1:]}
    return not is_sentence(name) and not _ORIGINS.isdisjoint(ends)


def names_schooling(name: str) -> bool:
    """Whether a name says "how long, or how far, at school"."""
    return not is_sentence(name) and not _SCHOOLING.isdisjoint(words(name))
