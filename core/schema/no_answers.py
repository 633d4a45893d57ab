"""Words that say that nothing is known of a cell: unknown, not done, refused, don't know.

English first; then German, French, Spanish, Italian, Portuguese, Dutch and Polish.
"""

from __future__ import annotations

import re


def phrases(*lines: str) -> frozenset[str]:
    """Phrases that stand in some lines, parted by bars."""
    return frozenset(phrase.strip() for line in lines for phrase in line.split("|"))


_NOT_KNOWN = phrases(
    "unknown|unk|missing|not available|not known|not done|not applicable|not reported|no data",
    "not recorded|nd|n.d.|n/d|n.a.|n/a|na|none|nil|refused|pending|*|**|x|not stated|don't know",
    "no answer|i don't know|dont know|do not know|dk|dk/na|dk/ref|not sure|unsure|no opinion",
    "can't say",
    "can't choose|cannot choose|prefer not to say|prefer not to answer|rather not say|declined",
    "not answered|no response|none reported|not measured|not tested|not assessed|not asked",
    "doesn't apply|does not apply|inapplicable|undisclosed|not disclosed|not specified|unspecified",
    "unbekannt|keine angabe|k.a.|k. a.|fehlt|fehlend|nicht bekannt|weiß nicht|entfällt|inconnu",
    "manquant|non renseigné|ne sait pas|nsp|desconocido|sin dato|sin datos|no sabe|ns/nc|s/d",
    "sconosciuto|mancante|non disponibile|non so|desconhecido|não sabe|sem dados|onbekend",
    "ontbreekt|weet niet|nieznany|brak|brak danych|okänd",
)
# Of these, words that are a value like others where the others are words.
_MAY_BE_LEVELS = phrases(
    "none|nil|x|*|**|entfällt|brak|not sure|unsure|no opinion|not applicable|doesn't apply",
    "does not apply|inapplicable|n/a|na",
)

# What a file writes for its codes has no such doubt, but where it gives an opinion or an amount.
_NO_ANSWER = _NOT_KNOWN | phrases("iap|nap|skip|skipped|blank|not ascertained|question not asked")
_NO_ANSWER -= phrases("none|nil|x|*|**|brak|not sure|unsure|no opinion")


def means_missing(text: str) -> bool:
    """Whether a word says that a value is not known."""
    return text.strip().lower() in _NOT_KNOWN


def says_unknown(text: str) -> bool:
    """Whether a word among other words can only say that a value is not known."""
    return means_missing(text) and text.strip().lower() not in _MAY_BE_LEVELS


def may_say_unknown(text: str) -> bool:
    """Whether a word may say so, although it may be a value beside others: "N/A: still here"."""
    plain = " ".join(text.lower().replace("\u2019", "'").split())
    return plain in _NO_ANSWER or plain.startswith(("n/a", "unknown", "not applicable"))


def says_no_answer(label: str) -> bool:
    """Whether what a file writes for a code says that nobody answered: "9. DK/NA (volunteered)"."""
    plain = re.sub(r"\([^)]*\)", " ", label.lower().replace("\u2019", "'"))
    plain = re.sub(r"^[-\d.:)\s]+", "", plain)
    plain = " ".join(plain.split())
    parts = [part.strip() for part in re.split(r"[/,;]|\bor\b|(?<=\bdk)\s", plain) if part.strip()]
    if "(n/a)" in label.lower() or plain in _NO_ANSWER:
        return True
    return bool(parts) and all(part in _NO_ANSWER for part in parts)
