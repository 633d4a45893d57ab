"""Words that are likely steps of one scale: very bad .. very good, yearly .. daily, schooling.

What ``ordered_words`` knows word by word is taken as an order. Here words are read by their parts,
which may err: such an order is proposed and asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .no_answers import may_say_unknown, says_no_answer

# How strongly a word is meant; without any of these a word has the strength of ``_PLAIN``.
_STRENGTH = {
    **dict.fromkeys(("extremely", "completely", "totally", "absolutely", "entirely"), 3.5),
    **dict.fromkeys(("very", "strongly", "highly", "really", "fully", "much", "definitely"), 3.0),
    **dict.fromkeys(("quite", "mostly", "generally", "probably"), 2.5),
    **dict.fromkeys(("fairly", "rather", "moderately", "pretty"), 1.5),
    **dict.fromkeys(("somewhat", "slightly", "mildly", "little", "partly", "bit", "lean"), 1.0),
    **dict.fromkeys(("sehr", "très", "tres", "muy", "molto", "muito", "zeer", "bardzo"), 3.0),
    **dict.fromkeys(("eher", "etwas", "plutôt", "algo", "piuttosto", "raczej"), 1.0),
}
_PLAIN = 2.0
_NEUTRAL = re.compile(r"\b(neutral|neither|mixed|undecided|indifferent|no change|same|unchanged)\b")
_FILLER = re.compile("yes|no|a|the|it|is|i|am|be|to|or|of|tend|at|all|too|so|not")
_POLES = tuple(
    (frozenset(low.split()), frozenset(high.split()))
    for low, high in (
        ("negative bad poor terrible awful", "positive good great excellent"),
        ("low small weak cold", "high large strong warm"),
        ("disagree oppose against reject", "agree support favor favour approve"),
        ("worse decrease decreased less", "better increase increased more"),
        ("difficult hard", "easy"),
        ("never rarely seldom", "often frequently always"),
        ("schlecht negativ", "gut positiv"),
    )
)
# Of a ladder, what stands in the words of each of its steps; the first that is found counts.
_LADDERS = tuple(
    tuple(re.compile(step) for step in ladder)
    for ladder in (
        (  # schooling; what is not whole comes before what is
            r"uneducated|illiterate|no (formal|school)|\bnone\b",
            r"primary|elementary|\bbasic\b|grade school|preschool",
            r"(\blt\b|<|less|lower|some|not|without|below).*(high|secondary|school)|middle school",
            r"high ?school|secondary|\bhs\b|\bged\b|\bdiploma\b",
            r"some (college|university|additional|tertiary)",
            r"associate|junior college|vocational|technical|trade school|^college$",
            r"bachelor|under ?grad|college|graduation|^graduated?$|degree(?!.*graduate)|university",
            r"master|post[- ]?grad|2n[d]? cycle|second cycle|\bmba\b|graduate|advanced degree",
            r"ph\.? ?d|doctor",
        ),
        (  # how well somebody works
            r"\bpip\b|unsatisf|unaccept|does not meet|fail|poor|below",
            r"improvement|partial|developing|approach",
            r"meets|satisf|adequate|competent|proficient|\bgood\b",
            r"exceed|above|very good|advanced",
            r"outstanding|exceptional|excellent|superior",
        ),
        (  # how often
            r"\bnever\b|\bnon\b|\bnone\b|\bnot?\b",
            r"rarely|seldom|hardly|once in a while|now and then",
            r"sometimes|occas|\bsome\b|half",
            r"often|freq|usually|regul|mostly|most of",
            r"always|heavy",
        ),
        (  # how much, or how many
            r"not at all|\bnone\b|nothing|\bno\b",
            r"not (much|many)|\blittle\b|\bfew\b",
            r"\bsome\b|somewhat|half",
            r"\ba lot\b|(?<!very )(?<!so )(much|many)\b|\bseveral\b|\bmost\b",
            r"very (much|many)|great deal|\ball\b|everything",
        ),
        (  # against others, or against before
            r"(much|far) worse",
            r"worse",
            r"\bsame\b|average|unchanged|no change",
            r"(?<!much )(?<!far )better",
            r"better",
        ),
        (  # rank at work
            r"intern\b|trainee|student|entry",
            r"junior|assistant",
            r"\bmid",
            r"senior",
            r"lead|principal|staff",
            r"manager|head",
            r"director|executive|c-level|\bvp\b",
        ),
        (r"rural|village|country", r"semi|suburb", r"town", r"(?<!semi)(?<!sub)urban|city|metro"),
        (
            r"\btiny|very small",
            r"small|compact",
            r"medium|mid",
            r"large|\bbig\b",
            r"huge|very large",
        ),
    )
)
_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "once", "every", "each"), 1.0),
    **dict.fromkeys(("two", "twice", "couple"), 2.0),
    **dict.fromkeys(("three", "few"), 3.0),
    **dict.fromkeys(("four", "several"), 4.0),
    **{word: 5.0 + j for j, word in enumerate(("five", "six", "seven", "eight", "nine", "ten"))},
}
_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4, "quarter": 91.3, "year": 365.0}
_PERIOD = re.compile(r"(hour|day|week|month|quarter|year)s?\b")
_ADVERBS = {"hourly": 24.0, "daily": 1.0, "weekly": 1 / 7, "monthly": 1 / 30.4, "yearly": 1 / 365}
_LESS, _MORE = (
    re.compile(r"\b(less|under|fewer|below|within)\b|<"),
    re.compile(r"\b(more|over)\b|>|\+"),
)


def likely_order(levels: Iterable[str]) -> tuple[str, ...] | None:
    """Put words in the order that their parts suggest, from lowest to highest, or return None.

    Words that say that nobody answered are left out.

    Parameters
    ----------
    levels : iterable of str
    """
    said = [level for level in levels if not (says_no_answer(level) or may_say_unknown(level))]
    texts = {level: _plain(level) for level in said}
    if not 3 <= len(texts) <= 12:
        return None
    for places in (
        _by_strength(texts),
        _by_time(texts),
        *(_on(ladder, texts) for ladder in _LADDERS),
    ):
        if places is not None:
            return tuple(sorted(texts, key=lambda level, places=places: (places[level], level)))
    return None


def _plain(level: str) -> str:
    return " ".join(level.lower().replace("_", " ").replace("\u2019", "'").split())


def _are_apart(places: dict[str, float]) -> bool:
    return len(set(places.values())) == len(places)


def _by_strength(texts: dict[str, str]) -> dict[str, float] | None:
    """Places by one word and its opposite, each meant more or less strongly."""
    strengths: dict[str, float] = {}
    heads: dict[str, set[str]] = {}
    for level, text in texts.items():
        words = re.findall(r"[^\W\d_]+", text)
        if _NEUTRAL.search(text):
            strengths[level] = 0.0
            continue
        denied = "not" in words or "none" in words
        strength = next((_STRENGTH[word] for word in words if word in _STRENGTH), _PLAIN)
        if denied:
            strength = 0.0 if "all" in words or strength == _PLAIN else 0.5
        strengths[level] = strength
        heads[level] = {w for w in words if w not in _STRENGTH and not _FILLER.fullmatch(w)}
    every = set().union(*heads.values()) if heads else set()
    common = set.intersection(*heads.values()) if heads else set()
    low, high = _opposites(every - common)
    if not (common or (low and high)) or every - common - low - high:
        return None
    places = {
        level: -strength if heads.get(level, set()) & low else strength
        for level, strength in strengths.items()
    }
    return places if _are_apart(places) else None


def _opposites(words: set[str]) -> tuple[set[str], set[str]]:
    """Those of some words that are one end of a scale, and those that are its other end."""
    for low, high in _POLES:
        if words and words <= low | high:
            return words & low, words & high
    low = {
        w
        for w in words
        for start in ("un", "dis", "in", "im")
        if w[len(start) :] in words and w.startswith(start)
    }
    return low, {w for w in words - low if any(other.endswith(w) for other in low)}


def _by_time(texts: dict[str, str]) -> dict[str, float] | None:
    """Places by how long, or by how often in a while: "two years", "once a month or less"."""
    often = any(
        re.search(r"\b(once|twice|times|every|per|daily|weekly|monthly)\b", t)
        for t in texts.values()
    )
    places = {level: _rate(text) if often else _length(text) for level, text in texts.items()}
    found = {level: place for level, place in places.items() if place is not None}
    return found if len(found) == len(texts) and _are_apart(found) else None


def _length(text: str) -> float | None:
    """Days that a text speaks of."""
    period = _PERIOD.search(text)
    if period is None:
        return None
    number = _number(text[: period.start()])
    return None if number is None else number * _DAYS[period[1]] * _bounds(text)


def _rate(text: str) -> float | None:
    """Times a day that a text speaks of."""
    if re.search(r"\bnever\b", text):
        return 0.0
    if adverb := next((rate for word, rate in _ADVERBS.items() if word in text), None):
        return adverb * _bounds(text)
    period = _PERIOD.search(text)
    if period is None:
        return None
    number = _number(text[: period.start()])
    return None if number is None else number / _DAYS[period[1]] * _bounds(text)


def _bounds(text: str) -> float:
    return 0.7 if _LESS.search(text) else 1.4 if _MORE.search(text) else 1.0


def _number(text: str) -> float | None:
    """The first number of a text, in digits or as a word; "month-to-month" is one month."""
    digits = re.search(r"\d+(?:\.\d+)?", text)
    if digits:
        return float(digits[0])
    spoken = [_NUMBERS[word] for word in re.findall(r"[a-z]+", text) if word in _NUMBERS]
    return max(spoken) if spoken else 1.0 if not text.strip() else None


def _on(ladder: tuple[re.Pattern[str], ...], texts: dict[str, str]) -> dict[str, float] | None:
    places = {}
    for level, text in texts.items():
        step = next((j for j, step in enumerate(ladder) if step.search(text)), None)
        if step is None:
            return None
        places[level] = float(step)
    # Of schooling, kinds of one step are common; elsewhere two words on one step are none.
    steps = len(set(places.values()))
    least = 0.75 * len(places) if ladder is _LADDERS[0] else len(places)
    return places if steps >= max(3, least) else None
