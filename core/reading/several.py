"""Several facts in one cell: numbers side by side, "113/74", and answers, "Fever;Cough"."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import compress

import numpy as np

_MINUS = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"
#: Every sign for a minus or a blank, as one of them.
SIGNS = str.maketrans(f"{_MINUS}\u00a0\u202f\u2009", "-" * len(_MINUS) + "   ")
_SHORT = re.compile(r"[1-9]\d?")
#: A number of several in a cell: "113/74", "5 ft 4 in"; the form of a cell, without a word behind.
_AMONG = re.compile(
    r"(?:(?<![\w.)\]] )(?<![\w.)\]])-)?(?<![\d.,])"
    r"(?:\d{1,3}(?:[.,]\d+)?|\d{4}(?= ?[x\u00d7])|(?<=[x\u00d7])\d{4}|(?<=[x\u00d7] )\d{4})(?!\d)"
)
_FORM = re.compile(r"#w?([/+±:;,x*|\\\u00d7-])#(?:[x*\u00d7/]#)?")
_AROUND = re.compile(r"\s|(?<=[#\s])[a-zA-Z]{1,12}$")
#: The sign between numbers that stands for any other words or brackets.
AMONG = "#"
#: Weeks and sevenths, "38 2/7", which are 38+2; a comma between two numbers with points.
_SEVENTHS, _TIGHT = re.compile(r"(\d{1,2}) (\d)/7"), re.compile(r"(\.\d+),(?=-?\d+\.)")
#: Share of answers that stand alone in other cells, to settle it; signs that no answer holds.
_ALONE, _CLEAR = 0.7, ";|\n\\\u3001"


def may_be_answers(lists: Sequence[list[str]], single: set[str]) -> bool:
    """Whether numbers in a cell may be answers: below 100, and rising or each alone elsewhere."""
    if not all(_SHORT.fullmatch(part) for several in lists for part in several):
        return False
    rise = all(several == sorted({*several}, key=int) for several in lists)
    are_alone = all(len({*several} & single) == len(several) for several in lists)
    are_halves = all(several[-1] == "5" for several in lists)  # 7,5
    return rise or (are_alone and not are_halves)


def answers_sign(cells: Sequence[str]) -> str:
    """The sign between several answers in some cells, "1,4" or "Fever;Cough", or ""."""
    return next((sign for sign in f",{_CLEAR} &+/" if _are_answers(cells, sign)), "")


def answers_of(cell: str, sign: str) -> list[str]:
    """The answers in a cell, "Fever;Cough;" or "['a', 'b']"; in parentheses a sign parts none."""
    text, quotes = cell.strip(), ""
    if text[:1] + text[-1:] in ("[]", "{}"):
        text, quotes = text[1:-1], "'\""
    outside = r"(?![^()]*\))" if "(" in text else ""  # else "a) yes, b) no"
    parts = re.split(re.escape(sign) + outside, text.removesuffix(sign.strip()))
    return [part.strip().strip(quotes) if quotes else part.strip() for part in parts]


def _are_answers(cells: Sequence[str], sign: str) -> bool:
    if not any(sign in cell for cell in cells[:2000]):
        return False
    found = [answers_of(cell, sign) for cell in cells[:2000]]
    lists = [parts for parts in found if len(parts) > 1]
    single = {parts[0] for parts in found if len(parts) == 1}
    parts = Counter(part for several in lists for part in several)
    differ = len(lists) > 0 and all(len({*several}) == len(several) for several in lists)
    alone = sum(n for part, n in parts.items() if part in single) / max(parts.total(), 1)
    if sign in "&+/":  # words have these, too: several answers are few that come again
        recur = alone >= _ALONE or all(n + (part in single) > 1 for part, n in parts.items())
        differ &= recur and len(parts) < len(lists) + len(single)
    if lists and all(map(_SHORT.fullmatch, (*parts, *single))):
        pairs = max(map(len, lists)) == 2
        return len(single) > 0 and may_be_answers(lists, single) if pairs else differ
    share = sum(n for part, n in parts.items() if n > 1 or part in single) / max(parts.total(), 1)
    # A comma or a slash stands within numbers, too; behind other signs codes have digits.
    digits = r"\d" if sign in f",{_CLEAR}" else r".*\d"
    are_words = not any(len(part) > 60 or re.match(rf"{digits}|\W*$", part) for part in parts)
    # A comma stands within places and names, these hardly ever.
    recur = alone >= _ALONE or share >= (0.5 if sign in _CLEAR else 0.9)
    are_few = len(parts) <= max(20, len(lists) // 4) and recur
    is_whole = alone == 1 and len(lists) > (3 if sign == " " else 0)
    enough = is_whole or (len(lists) > 1 and sign != " ")
    return enough and differ and are_words and are_few


def parts_of(cell: str, sign: str) -> list[str]:
    """What a sign parts in a cell, or the numbers in it."""
    text = _spaced(cell)
    return _AMONG.findall(text) if sign == AMONG else text.split(sign)


def _spaced(cell: str) -> str:
    text = _TIGHT.sub(r"\1, ", _SEVENTHS.sub(r"\1+\2", cell.strip()))
    return text.translate(SIGNS)


def pairs_in(cells: Sequence[str]) -> tuple[str, np.ndarray]:
    """The sign between the numbers in some cells, "" for none, and the numbers, NaN for none.

    Two or three stand there, by a sign or by the same words in all cells: "113/74", "4.8 ± 0.3",
    "30 x 20 x 15", "5.2 (4.1-6.3)", "E4V5M6". A range rises, so that with "-" the first number is
    the larger one, and with words it is so somewhere; a titre is 1:80, and a well of a plate 1E8.
    """
    forms = [_AROUND.sub("", _AMONG.sub(AMONG, _spaced(cell))) for cell in cells]
    form, n = Counter(forms).most_common(1)[0] if forms else ("", 0)
    match, width = _FORM.fullmatch(form), form.count(AMONG)
    sign, least = (match[1], 0.5) if match else (AMONG, 0.9)
    worded = re.fullmatch(rf"[A-Z]?{AMONG}[^\d\n]*", form) and form.upper() != f"{AMONG}E{AMONG}"
    worded = worded and re.search(r"[^\W\d_]|[(['\"°]", form)
    parts = np.full((len(cells), width), np.nan)
    if n < max(least * len(cells), 1) or not (match or worded) or not 1 < width < 4:
        return "", parts[:, :0]
    for place, cell in enumerate(cells):
        if forms[place] == form:
            parts[place] = [float(part.replace(",", ".")) for part in parts_of(cell, AMONG)]
        elif sign == "+" and _SHORT.fullmatch(cell.strip()):  # weeks and no day
            parts[place] = float(cell), 0.0
    first, second = parts[~np.isnan(parts[:, 0]), :2].T
    is_no_pair = {
        "-": (first <= second).any(),
        ":": len({*first}) == 1,
        ",": any(cell.count(".") < 2 for cell in compress(cells, ~np.isnan(parts[:, 0]))),
        AMONG: (first <= second).all() and not re.search(r"^[A-Z]|[(\['°]", form),
    }.get(sign, False)
    return ("", parts[:, :0]) if is_no_pair else (sign, parts)
