"""Names of columns whose numbers are codes without an order: a region, a "status ID"."""

from __future__ import annotations

from .no_answers import phrases
from .vocabulary import is_sentence, words

_CODES = phrases(
    "type|kind|code|method|region|area|zone|site|center|centre|hospital|country|zip|location|race",
    "ethnicity|colour|color|occupation|treatment|trt|tmt|drug|batch|typ|art|farbe|gebiet|land",
    "zentrum|klinik|beruf|methode|genre|couleur|pays|hôpital|profession|méthode|color|país|ciudad",
    "hospital|método|profesión|colore|paese|ospedale|metodo|professione|cor|kleur|ziekenhuis",
    "beroep|religion|nationality|marital|department|channel|station|district|ward",
)
_ENDINGS = ("id", "code", "codes", "cd", "cod", "kode", "codigo", "código", "codice", "kod")
# Before such an ending, what has steps: its codes are likely in their order.
_STEPPED = phrases(
    "grade|level|rank|rating|scale|severity|stage|tier|order|degree|education|size|priority|band",
    "score|stars|age|income|year|decade|period|quarter|month|week|day|hour|date|time|bewertung",
    "stufe|grad|note|niveau|nivel|livello|poziom|bildung|alter|jahr|monat",
)


def names_code(name: str) -> bool:
    """Whether a name says that numbers in the column are codes without an order."""
    return says_code(name) or not (is_sentence(name) or _CODES.isdisjoint(words(name)))


def says_code(name: str) -> bool:
    """Whether a name ends with the word for a code, "status ID", and does not speak of steps."""
    *before, last = words(name) or [""]
    is_code = bool(before) and last in _ENDINGS and _STEPPED.isdisjoint(before)
    return is_code and not is_sentence(name)
