"""Find out how text is encoded."""

import codecs
import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from ..optional import require
from ..wording import counted
from .options import TableError

#: Bytes that are looked at, and that are decoded at a time.
SAMPLE, CHUNK = 256 * 1024, 4 * 1024**2
_MARKS_OF_ORDER = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins with the mark of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: Letters of languages beyond ASCII, the most frequent ones first.
_WESTERN = (
    *("äüöß", "éèàêçôîûùâëïœüÿ", "óíáéñúü", "ãçáéóíêúàâôõ"),  # de fr es pt
    *("àìèùòé", "ëéïèöüó"),  # it nl
    *("öäåéšž", "šž", "øåæéòô", "áíðöóéúþýæ", "àéóíèçòïúü"),  # sv, fi, da no, is, ca
)
_CENTRAL = (
    *("ąęłóśżćńź", "íáéěýřčžšůúňťďó", "áéöíóőüúű"),  # pl cs hu
    *("áíéýúčžšľťôňäďĺŕó", "čšžćđ", "ăâîşţ"),  # sk, hr sl, ro
)
_CYRILLIC = (
    "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",  # ru bg
    *("оанивеірткслудмпзьягбчйхїжцшщюєфґ", "аоиенјртсвкудмплзгбчшцжхљњфђћџ"),  # uk sr
)
#: By encodings in which a letter is a byte, the likeliest first.
_LETTERS = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "iso-8859-2": _CENTRAL,
    "cp1254": ("\u0131üşiğçöâî",),
    "cp1255": ("יוהלאתרבמשנדםקעחפגטסכזןצךץף",),
    "cp1251": _CYRILLIC,
    "koi8-r": _CYRILLIC[:1],
    "cp866": _CYRILLIC[:1],
    "iso-8859-5": _CYRILLIC[:1],
    "cp1256": ("اليمنرتبوسدعفهكةحجقطشصزخضىءأثغذظئإؤآپچژگ",),
    "cp1257": ("ėšųįžąčūę", "āīēšņūļžģķč", "äõüöšž"),  # lt lv et
    "cp1253": ("αοιετσνηυρπκμλςγδωχθφβξζψίόάέήύώ",),
    "iso-8859-15": _WESTERN,
    "mac-roman": _WESTERN,
    "cp850": _WESTERN,
    "cp852": _CENTRAL,
    "cp874": ("านรอกเงยลมวตดสปคทบ่ะ้ัีาิใไโแขำหุูจืชพผฝถซฟภศษธณญฐฏฎฌฆฉฮ็์ึๆฑฒฬฯ",),
}
_MANY_BYTES = ("shift_jis", "cp932", "euc_jp", "gb18030", "big5", "cp949")
_UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
#: Those that somebody may choose: all that are guessed, and the one that decodes any byte.
ENCODINGS = (*_UNICODE, *_LETTERS, "latin-1", *_MANY_BYTES, "iso2022_jp")
#: Signs that stand before a word, behind one, alone, and within one, in encodings of Windows.
_BEFORE, _BEHIND = "\xa0¿¡“„«\u2018\u201aµ°·", "\xa0”“»\u2019…®™ªº°€·"
_SIGNS = _BEFORE + _BEHIND + "£¥§©±\xd7÷¹²³½¼¾\u2013—‰•†‡"
_WITHIN = re.compile("[\xa0\u2009\u202f\u2019·\u2013—-]|(?<=m)[²³]")
_DOS_AND_MAC = ("koi8-r", "cp866", "mac-roman", "cp850", "cp852")
#: What UTF-8 is taken for, and how many letters of a word have to be whole again to show it.
_TAKEN_FOR = {"cp1252": 1, "latin-1": 1, "cp1250": 1, "mac-roman": 1, "cp1251": 2}
#: A word with other than ASCII letters, looked for at its beginning alone: from every letter of a
#: long one without, such as a gene's, took its length squared.
_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")
#: What no word of a Latin script has; nor one in Thai, whose marks stand behind a consonant.
_NO_WORD = re.compile(
    r"ñ[b-df-hj-np-tv-xz]|a[àâãäå]|o[äå]|[âãäå]a"
    r"|(?:^|[เแโใไะำ])[ะ-ฺ็-๎]|า[ั-ฺ็-๎]|[เแโใไ](?![ก-ฮ])|[ัิีึืฺุู]{2}",
    re.IGNORECASE,
)
#: Pairs of bytes that are Korean syllables.
_SYLLABLES = re.compile(rb"(?:[\xb0-\xc8][\xa1-\xfe])+")
#: What a further language costs, the rarest letter of one, capitals alone and to stand later; how
#: much better than cp1252 others must be, and how good at least; words that are looked at.
_LANGUAGE, _RARE_LATIN, _RARE_OTHER, _CAPITALS, _LATER = 0.1, 0.2, 0.5, 0.05, 0.005
_MARGIN, _LEAST, _WORDS = 0.04, 0.5, 1000
#: What no table holds: control signs, lines of boxes, halves of katakana, parts of Korean letters,
#: signs of one's own, and a Korean syllable beside a Chinese sign.
_ODD = re.compile(
    r"[\x80-\x9f\u2500-\u259f\u3131-\u318e\uff61-\uff9f\ue000-\uf8ff]"
    r"|[\uac00-\ud7a3][\u4e00-\u9fff]|[\u4e00-\u9fff][\uac00-\ud7a3]"
)
#: Signs beyond ASCII, and those behind a small letter: the marks of a damaged Latin text.
_FOREIGN, _GLUED = re.compile(r"[^\x00-\x7f]+"), re.compile(r"[a-z][^\x00-\x7f]+")
#: Encodings of Japanese, and its own letters, which others have signs for.
_JAPANESE, _KANA = ("shift_jis", "cp932", "euc_jp"), re.compile("[\u3041-\u30fe]{2}")


def find_encoding(data: memoryview, name: str) -> str:
    """Find an encoding that decodes the whole file.

    UTF-8 or UTF-16; else the one in which its words are those of the fewest languages, Windows-1252
    where others are hardly better; for signs of several bytes what charset-normalizer finds.
    """
    start = bytes(data[:SAMPLE])
    unicode = _unicode_of(start, name)
    if b"\x1b$" in start and decodes(data, "iso2022_jp"):
        return "iso2022_jp"
    if decodes(data, unicode):
        return unicode
    if unicode != "utf-8":
        raise TableError(f"{name} is text, but not valid {unicode.upper()}: save it as UTF-8.")
    _refuse_damaged_utf8(data, name)
    found = (match[0] for match in _WORD.finditer(start))
    words = list(islice(dict.fromkeys(found), _WORDS))
    foreign = re.findall(rb"[\x80-\xff]+", b" ".join(words))
    is_korean = sum(map(len, foreign)) >= 8 and all(map(_SYLLABLES.fullmatch, foreign))
    by_one_byte = [] if is_korean else _LETTERS
    possible = [encoding for encoding in by_one_byte if decodes(start, encoding)]
    scores = {e: _score(words, e) - _LATER * place for place, e in enumerate(possible)}
    if "cp1252" in scores:
        scores["cp1252"] += _MARGIN
    for encoding in sorted(possible, key=scores.__getitem__, reverse=True):
        if scores[encoding] >= _LEAST and decodes(data, encoding):
            return encoding
    return _guessed_encoding(data, start, possible, name)


def _score(words: Sequence[bytes], encoding: str) -> float:
    """How well words are those of a few languages, 1 for those of one and its usual letters."""
    decoded = (word.decode(encoding, "replace") for word in words)
    parts = [word for word in decoded if word.strip(_SIGNS)]
    if encoding in _DOS_AND_MAC:
        parts = [part for word in parts for part in word.split("\xa0") if not part.isascii()]
    else:
        bare = (word.lstrip(_BEFORE).rstrip(_BEHIND) for word in parts)
        parts = [part for word in bare for part in _WITHIN.split(word) if not part.isascii()]
    if not parts:
        return 1.0
    fits = [[_fit(part, letters) for part in parts] for letters in _LETTERS[encoding]]
    best, score = [0.0] * len(parts), 0.0
    for n in range(len(fits)):
        more = max(([*map(max, best, fit)] for fit in fits), key=sum)
        now = sum(more) / len(parts) - _LANGUAGE * n
        if now <= score:
            break
        best, score = more, now
    return score


def _fit(word: str, letters: str) -> float:
    """How usual the letters of a word are in a language, 0 where it cannot be one of it."""
    is_latin = letters[0] < "\u0370"
    marked = [sign for sign in word if not sign.isascii()]
    places = [letters.find(sign.lower()[0]) for sign in marked]
    is_of_script = len(marked) < max(len(word), 2) if is_latin else len(marked) == len(word)
    if min(places) < 0 or not is_of_script or _NO_WORD.search(word):
        return 0.0
    if any(a.islower() and b.isupper() and not b.isascii() for a, b in pairwise(word)):
        return 0.0
    rare = _RARE_LATIN if is_latin else _RARE_OTHER
    capitals = _CAPITALS * (not is_latin and word.isupper())
    return 1 - rare * sum(places) / len(places) / len(letters) - capitals


def _unicode_of(start: bytes, name: str) -> str:
    """The kind of Unicode that text is in, if in any; refused where it is no text."""
    for mark, encoding in _MARKS_OF_ORDER.items():
        if start.startswith(mark):
            return encoding
    controls = sum(start.count(code) for code in (*range(2, 9), *range(14, 27), 28, 29))
    # In UTF-16 without its mark, every other byte of plain letters and digits is zero.
    even, odd = start[0::2].count(0), start[1::2].count(0)
    if max(even, odd) >= 0.15 * len(start) and min(even, odd) <= 0.01 * len(start):
        return "utf-16-le" if odd > even else "utf-16-be"
    if even + odd or controls > 0.01 * len(start):
        raise TableError(
            f"{name} is a binary file of a kind that is not read here: unpack it, or export its "
            "table as CSV, Parquet, JSON or xlsx."
        )
    return "utf-8"


def _refuse_damaged_utf8(data: memoryview, name: str) -> None:
    """Refuse text of which nearly all is UTF-8: another encoding would garble all of it."""
    text = str(data, "utf-8", "replace")
    bad = text.count("\ufffd")
    if len(text) - len(text.encode("ascii", "ignore")) > 20 * bad:
        line = text[: text.index("\ufffd")].count("\n") + 1
        raise TableError(
            f"{name} is UTF-8 but for {counted(bad, 'sign')}, the first in line {line:,}: mend "
            "that line, or choose another encoding."
        )


def _guessed_encoding(data: memoryview, start: bytes, possible: Sequence[str], name: str) -> str:
    """What charset-normalizer makes of the lines that are not plain ASCII, else the first known."""
    require("charset_normalizer", f"{name} is not UTF-8; to guess its encoding needs", TableError)
    from charset_normalizer import from_bytes

    lines = [line for line in start.splitlines() if not line.isascii()]
    sample = b"\n".join(dict.fromkeys(lines))
    found = [match.encoding for match in from_bytes(sample, cp_isolation=[*_MANY_BYTES])]
    texts = {encoding: sample.decode(encoding, "replace") for encoding in found}

    def is_damaged(text: str) -> bool:
        return 2 * len(_GLUED.findall(text)) > len(_FOREIGN.findall(text))

    def is_unlikely(encoding: str) -> bool:
        text = texts[encoding]
        rare = encoding == "cp949" and not decodes(sample, "euc_kr")
        return bool(rare or _ODD.search(text) or (encoding not in _JAPANESE and _KANA.search(text)))

    whole = [encoding for encoding in found if not is_damaged(texts[encoding])]
    for encoding in (*sorted(whole, key=is_unlikely), *possible):
        if decodes(data, encoding):
            return encoding
    raise TableError(
        f"{name} is text, but not valid UTF-8 or CP1252: choose its encoding, or save it as "
        "UTF-8 and load it again."
    )


def decodes(data: memoryview | bytes, encoding: str) -> bool:
    """Whether the whole file is valid text in that encoding."""
    try:
        for _ in _decoded(data, encoding):
            pass
    except (UnicodeError, LookupError):
        return False
    return True


def as_utf8(data: memoryview, encoding: str, name: str) -> memoryview:
    """Text in UTF-8, a ``TableError`` where it is none in that encoding."""
    if not decodes(data, encoding):
        raise TableError(
            f"{name} cannot be read as {encoding}: choose another encoding, or save it as UTF-8."
        )
    if encoding in ("utf-8", "ascii"):
        return data
    return memoryview(b"".join(piece.encode() for piece in _decoded(data, encoding)))


def _decoded(data: memoryview | bytes, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)()
    for begin in range(0, len(data), CHUNK):
        yield decoder.decode(data[begin : begin + CHUNK])
    yield decoder.decode(b"", final=True)


def decoded_twice(text: str) -> tuple[str, str] | None:
    """A word of UTF-8 that was read as another encoding, "MÃ¼nchen", and as it was meant."""
    words = re.findall(r"(?<![^\W\d_])[^\W\d_]*[^\x00-\x7f][^\x00-\x7f]+[^\W\d_]*", text)
    for word in dict.fromkeys(words):
        for encoding, least in _TAKEN_FOR.items():
            try:
                meant = word.encode(encoding).decode("utf-8")
            except UnicodeError:
                continue
            if meant.isprintable() and sum(not sign.isascii() for sign in meant) >= least:
                return word, meant
    return None


def first_text(data: memoryview) -> str:
    """The first lines of UTF-8; one that is cut by the end of the sample is left out."""
    text = str(data[:SAMPLE], "utf-8", "replace")
    if len(data) > SAMPLE:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    return text
