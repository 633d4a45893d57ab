"""Words in their order: known scales, bands of numbers, stages, and likely steps of one scale."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

from .words import SCALES, may_say_unknown, no_then_yes, says_no_answer

#: Of every scale the place of each of its words, the lowest where it has several.
_SCALES = tuple(
    {
        word: place
        for place, step in reversed([*enumerate(scale.split(" < "))])
        for word in step.split("/")
    }
    for scale in SCALES["ordered"].replace("\n  ", " ").strip().splitlines()
)
_STEP_PREFIX = re.compile(
    r"(?:(?:stage|grade|level|score|phase|tier|step|degree|quartile|quintile|decile|tertile|stufe|grad"
    r"|stadium|phase|niveau|stade|nivel|livello|grado|etapa|q|(?:nyha|asa|ccs|killip)(?: class)?"
    r"|ecog(?: ps)?|bi-?rads)[ _-]?)?(\d+|[ivx]+)([a-e]?)"
)
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
# Of tumours: T1, N2b, M0, G3, and before T1, where nothing has grown through, Ta and Tis.
_STAGE = re.compile(r"[cpy]?([tnmg])([0-4]|(?<=t)a|(?<=t)is)([a-d]?)")
_BEFORE_T1 = {"a": "0.3", "is": "0.6"}
# "1 = never", and "2019/20" of a season.
_NUMBERED = re.compile(
    r"\(?(\d+)\)?(?:\s*(?:[=:.()]|[-\u2013]\s)\s*[^\W\d].*|(?<=\d{4})/\d\d(?:\d\d)?)"
)
# Thousands in groups of three, then decimals: "01.02.2020" is no amount.
_DIGITS = r"(?:\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,]\d+)?"
_AMOUNT = rf"(?:[$€£]\s*)?([+-]?{_DIGITS})\s*(k|m)?\s*(?:[$€£%]|(?!x\d)[^\W\d][\w/%²]{{0,9}})??"
# A comma parts two numbers in brackets only: "7.042,81 €" is one.
_RANGE = re.compile(
    rf"(?P<bracket>[\[(])?{_AMOUNT}\s*(?:-|\u2013|to|or|bis|oder|a|à|ou|o|(?(bracket),|(?!)))\s*"
    rf"{_AMOUNT}(?:[\s/][\w%$€]+)?[\])]?"
)
_OPEN = re.compile(
    r"(?P<below><=?|≤|under |below |up to |less than |unter |bis |moins de |menos de |meno di )?\s*"
    rf"(?P<number>{_AMOUNT})\s*"
    r"(?P<above>\+| ?plus| ?or more| ?and more| ?more| ?and over| ?and above| ?or over| ?or older"
    r"| ?and older| ?und mehr| ?und älter| ?et plus| ?y más| ?o más)?(?:[\s/][^\W\d]\w{0,7})?"
    r"|(?P<over>>=?|≥|over |above |more than |über |plus de |más de )\s*"
    rf"(?P<least>{_AMOUNT})(?:[\s/]\w+)?"
    r"|(?P<more>more|many|tntc|numerous|too numerous to count|massenhaft)"
)
# Below the lowest amount, as of a test strip, and above it what is there in traces.
_NONE = (
    *("neg", "neg.", "negative", "nil", "absent", "not detected", "-", "(-)", "none seen", "none"),
    *("no", "negativ", "negatif", "negativo", "norm", "normal", "nicht nachweisbar", "no growth"),
)
_NOT_THERE = dict.fromkeys((*_NONE, "never", "zero", "keine", "aucun", "ninguno"), -2.0)
_TRACES = ("tr", "trace", "traces", "spur", "spuren", "traza", "trazas", "tracce")
_NOT_THERE |= dict.fromkeys((*_TRACES, "+/-", "-/+", "+-", "±", "(±)"), -1.0)
#: "++" and "(+)", "2+(100)" of a strip, and stars.
_MARKS = re.compile(
    r"\(?(?:(?P<row>(?P<mark>[+★*])(?P=mark)*)☆*|(?P<number>\d)\+)\)?(?: ?\(\d+\))?"
)
#: Of a titre, "1:80" stands for how far it was thinned.
_TITRE = re.compile(r"^([<>≤≥]=?)? ?1 ?: ?(?=\d+$)")
#: Words of an amount that are none of its unit.
_NO_UNIT = re.compile(
    r"under|below|up|to|less|than|unter|bis|moins|de|menos?|di|plus|or|more|and|over|above|older|und"
    r"|mehr|ä?lter|alter|et|y|mas|o|many|tntc|numerous|too|count|massenhaft|uber|a"
)
_LADDERS = [[re.compile(step) for step in ladder] for ladder in SCALES["ladders"]]
#: Times a day, or days, of a period.
_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4, "quarter": 91.3, "year": 365.0}
_COUNTS = {"a": 1.0, "one": 1.0, "once": 1.0, "every": 1.0, "each": 1.0, "two": 2.0, "twice": 2.0}
_COUNTS |= {"three": 3.0, "few": 3.0, "four": 4.0, "several": 4.0, "five": 5.0, "six": 6.0}


def in_known_order(levels: Iterable[Any]) -> tuple[Any, ...] | None:
    """Levels in the order of their words or numbers, or None."""
    texts = {level: _TITRE.sub(r"\1", _plain(str(level))) for level in levels}
    keys = _keys(texts) or _keys(_bare(texts))
    return keys and tuple(sorted(keys, key=keys.__getitem__))


def _keys(texts: dict[Any, str]) -> dict[Any, Any] | None:
    """Where every level stands, by its text; None where two stand in one place, or one nowhere."""
    if len(texts) < 2 or len(set(texts.values())) < len(texts):
        return None
    on_scales = ({level: scale.get(text) for level, text in texts.items()} for scale in _SCALES)
    by_rules = (keys_of(texts) for keys_of in (_number_keys, _stage_keys))
    for keys in chain(on_scales, by_rules):
        if keys and None not in keys.values() and len(set(keys.values())) == len(keys):
            return keys
    return None


def _bare(texts: dict[Any, str]) -> dict[Any, str]:
    """Texts without what stands in parentheses, and without the last word, which all have."""
    bare = {level: re.sub(r"\s*\([^()]*\)$", "", text) for level, text in texts.items()}
    parted = {level: text.rpartition(" ") for level, text in bare.items()}
    is_common = len({last for _, _, last in parted.values()}) == 1
    return {level: first for level, (first, _, _) in parted.items()} if is_common else bare


def two_levels(levels: Sequence[Any]) -> tuple[Any, Any]:
    """Two levels as (no, yes), words of a known scale from low to high before any other sign."""
    if all(isinstance(level, str) for level in levels):
        levels = in_known_order(levels) or sorted(levels)
    return no_then_yes(levels)


def are_bands(levels: Sequence[str]) -> bool:
    """Whether texts are bands of numbers, such as "18-24" and "65+"."""
    texts = [_plain(level) for level in levels]
    bands = sum(_RANGE.fullmatch(text) is not None for text in texts)
    return bands >= max(1, len(texts) - 2) and in_known_order(levels) is not None


def _plain(text: str) -> str:
    text = text.strip().strip("'\"").lower().replace("ß", "ss").replace("_", " ")
    text = re.sub(r"\b10\^(\d)\b", lambda power: "1" + "0" * int(power[1]), text)
    text = re.sub("[\u2212\u2013\u2014]", "-", re.sub(r"^(ca\.?|approx\.?|[~≈]) ?(?=\d)", "", text))
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.sub(r"\b(\w+)/\1\b", r"\1", " ".join(text.replace("\u2019", "'").split()))


def _number_keys(texts: dict[Any, str]) -> dict[Any, tuple[float, float]] | None:
    keys = {
        level: (_NOT_THERE[text], 0) if text in _NOT_THERE else _number_key(text)
        for level, text in texts.items()
    }
    if _are_in_several_units(texts.values()):
        return None
    ranges = [found for text in texts.values() if (found := _RANGE.fullmatch(text))]
    ends = sorted((_amount(r[2], r[3] or r[5]), _amount(r[4], r[5])) for r in ranges)
    is_open = any(low > high for low, high in ends) or any(
        before[1] > after[0] for before, after in pairwise(ends)
    )  # "11-1011" and "29-1141" are codes
    return None if is_open else keys


def _are_in_several_units(texts: Iterable[str]) -> bool:
    """Whether amounts end in words of which none is another form of the first: 2 J, 18 Mo."""
    ends = set()
    for text in texts:
        if _OPEN.fullmatch(text) or _RANGE.fullmatch(text):
            words = re.findall(r"[^\W\d_]+", text)
            ends |= {*[word for word in words if not _NO_UNIT.fullmatch(word)][-1:]}
    return ends - {"k", "m"} != set() and len({end[:3] for end in ends}) > 1


def _number_key(text: str) -> tuple[float, float] | None:
    """Where a text with a number stands: by its number, open ends outside."""
    if (step := _STEP_PREFIX.fullmatch(text)) and (step[1].isdigit() or step[1] in _ROMAN):
        number = float(step[1]) if step[1].isdigit() else float(_ROMAN.index(step[1]))
        return number, ord(step[2] or "`") / 1000
    if step := _NUMBERED.fullmatch(text):
        return float(step[1]), 0
    if marks := _MARKS.fullmatch(text):
        weak = -0.5 * text.startswith("(+)")
        return (float(marks["number"]), 1) if marks["number"] else (len(marks["row"]) + weak, 0)
    if between := _RANGE.fullmatch(text):
        return _amount(between[2], between[3] or between[5]), 0.5
    found = _OPEN.fullmatch(text)
    if not found:
        return None
    if found["more"]:
        return float("inf"), 0
    if found["over"]:
        return _amount_of(found["least"]), 1
    return _amount_of(found["number"]), -1 if found["below"] else 1 if found["above"] else 0


def _amount_of(text: str) -> float:
    return _amount(*re.fullmatch(_AMOUNT, text.strip()).groups())


def _amount(digits: str, factor: str | None) -> float:
    """Value of an amount: "11" with "k" is 11,000; a group of three digits is a thousand."""
    plain = re.sub(r"[.,](?=\d{3}(?!\d))", "", digits).replace(",", ".")
    return float(plain) * {"k": 1e3, "m": 1e6}.get(factor or "", 1.0)


def _stage_keys(texts: dict[Any, str]) -> dict[Any, tuple[float, str] | None]:
    found = {level: _STAGE.fullmatch(text) for level, text in texts.items()}
    if len({match[1] for match in found.values() if match}) > 1:
        return {}
    return {
        level: match and (float(_BEFORE_T1.get(match[2], match[2])), match[3])
        for level, match in found.items()
    }


def likely_order(levels: Iterable[str]) -> tuple[str, ...] | None:
    """Put words in the order that their parts suggest, from lowest to highest, or return None."""
    texts = {
        level: _plain(level)
        for level in levels
        if not (says_no_answer(level) or may_say_unknown(level))
    }
    if not 3 <= len(texts) <= 12:
        return None
    ways = (_by_time(texts), *(_on(ladder, texts) for ladder in _LADDERS))
    places = next((way for way in ways if way is not None), None)
    if places is None:
        return None
    return tuple(sorted(texts, key=lambda level: (places[level], level)))


def _by_time(texts: dict[str, str]) -> dict[str, float] | None:
    """Places by how long, or by how often in a while: "two years", "once a month or less"."""
    often = r"\b(once|twice|times|every|per|never|daily|weekly|monthly|yearly)\b"
    is_rate = any(re.search(often, text) for text in texts.values())
    places: dict[str, float] = {}
    for level, text in texts.items():
        period = re.search(r"(hour|dai|day|week|month|quarter|year)(?:s|ly)?\b", text)
        if re.search(r"\bnever\b|^(baseline|screening|at birth|today|now)$", text):
            places[level] = 0.0
        elif re.fullmatch(r"less (often|frequently)|rarely|seldom", text):
            places[level] = 1e-3
        elif period is None:
            return None
        else:
            before = text[: period.start()].strip(" -")
            digits = re.search(r"\d+(?:\.\d+)?", before or text)
            spoken = [_COUNTS[word] for word in re.findall(r"[a-z]+", before) if word in _COUNTS]
            number = float(digits[0]) if digits else max(spoken, default=1.0)
            days = _DAYS["day" if period[1] == "dai" else period[1]]
            less = re.search(r"\b(less|under|fewer|below|within)\b|<", text)
            more = re.search(r"\b(more|over)\b|>|\+", text)
            shade = 0.7 if less else 1.4 if more else 1.0
            places[level] = shade * (number / days if is_rate else number * days)
    return places if len(set(places.values())) == len(places) else None


def _on(ladder: list[re.Pattern[str]], texts: dict[str, str]) -> dict[str, float] | None:
    places = {
        level: next((float(place) for place, step in enumerate(ladder) if step.search(text)), None)
        for level, text in texts.items()
    }
    if None in places.values():
        return None
    # Of schooling, kinds of one step are common; elsewhere two words on one step are none.
    least = 0.75 * len(places) if ladder is _LADDERS[0] else len(places)
    return places if len(set(places.values())) >= max(3, least) else None
