"""Find out how text is encoded."""

from __future__ import annotations

import codecs
import re

from ..optional import require
from ..wording import counted
from .options import TableError

#: Encodings to choose from, the likeliest first.
ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1", "cp1250"),
    *("cp1251", "koi8-r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "mac-roman"),
    *("shift_jis", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp874", "cp850", "cp866"),
)
#: Bytes that are looked at, and that are decoded at a time.
SAMPLE, CHUNK = 256 * 1024, 4 * 1024**2
_MARKS_OF_ORDER = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: What no word of Western Europe has: three such letters in a row, or a sign among letters.
_FOREIGN = re.compile(
    r"[^\W\d_a-zA-Z]{3,}|[\xa1-\xbf\xd7\xf7]{2}|(?<=[^\W\d_])"
    r"[\xa1-\xbf\xd7\xf7\u0152\u0153\u201c-\u201e\u2020-\u2022\u2026\u2030\u2122](?=[^\W\d_])"
)
#: Encodings of Latin scripts beside cp1252, and what shows that one is not the right one: a sign
#: beside a letter, but for quotes and units, or a capital behind a small letter.
_OTHER_LATIN = ("cp1250", "mac-roman", "cp850")
_MARKS = r"\u0192\u02c6\u02dc\u201a\u201e-\u2022\u2030-\u203a"
_SIGNS = rf"\x80-\xa9\xac-\xaf\xb4\xb6-\xb8\xbc-\xbf\xd7\xf7{_MARKS}"
_MISPLACED = re.compile(
    rf"(?<=[a-zß-ž])[\xc0-\xde\u0152\u0160\u0178\u017d]|[{_SIGNS}\xaa\u201d\u2200-\u25ff](?=[^\W\d_])"
    rf"|(?<=[^\W\d_])[{_SIGNS}\xb3\xb9\u2018\u201c\u2200-\u25ff](?=[^\W\d_]|$|[;,\t|\r\n])"
)
#: What no table holds: control signs, lines of boxes, halves of katakana, signs of one's own.
_ODD = re.compile(r"[\x80-\x9f\u2500-\u259f\uff61-\uff9f\ue000-\uf8ff]")


def find_encoding(data: memoryview, name: str) -> str:
    """Find an encoding that decodes the whole file.

    UTF-8 or UTF-16; else Windows-1252, unless that gives words that no language has: then the best
    guess of charset-normalizer.

    Raises
    ------
    TableError
        The content is binary, or in no encoding.
    """
    start = bytes(data[:SAMPLE])
    unicode = _unicode_of(start, name)
    if decodes(data, unicode):
        return unicode
    if unicode != "utf-8":
        raise TableError(f"{name} is text, but not valid {unicode.upper()}: save it as UTF-8.")
    _refuse_damaged_utf8(data, name)
    text = start.decode("cp1252", "replace")
    words = {word for word in re.findall(r"[^\s,;|\"]+", text) if not word.isascii()}
    is_foreign = sum(bool(_FOREIGN.search(word)) for word in words) > 0.2 * len(words)
    is_western = decodes(data, "cp1252") and not is_foreign
    if is_western and not _MISPLACED.search(text):
        return "cp1252"
    # Most signs of Latin scripts beyond ASCII stand beside letters of it.
    runs = re.findall(rb"([A-Za-z]?)([\x80-\xff]+)([A-Za-z]?)", start)
    is_latin = sum(len(run) < 3 and bool(a or b) for a, run, b in runs) > 0.5 * len(runs)
    for encoding in _OTHER_LATIN if is_latin else ():
        if decodes(data, encoding) and not _MISPLACED.search(start.decode(encoding, "replace")):
            return encoding
    return "cp1252" if is_western else _guessed_encoding(data, start, name)


def _unicode_of(start: bytes, name: str) -> str:
    """The kind of Unicode that text is in, if in any; refused where it is no text."""
    for mark, encoding in _MARKS_OF_ORDER.items():
        if start.startswith(mark):
            return encoding
    controls = sum(start.count(code) for code in (*range(1, 9), *range(14, 27), *range(28, 32)))
    # In UTF-16 without its mark, every other byte of plain letters and digits is zero.
    even, odd = start[0::2].count(0), start[1::2].count(0)
    if max(even, odd) >= 0.15 * len(start) and min(even, odd) <= 0.01 * len(start):
        return "utf-16-le" if odd > even else "utf-16-be"
    if even + odd or controls > 0.01 * len(start):
        raise TableError(
            f"{name} is a binary file, not a table in text form: export it as CSV, or load "
            "Parquet, JSON or xlsx."
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


def _guessed_encoding(data: memoryview, start: bytes, name: str) -> str:
    """What charset-normalizer makes of the lines that are not plain ASCII."""
    require("charset_normalizer", f"{name} is not UTF-8; to guess its encoding needs", TableError)
    from charset_normalizer import from_bytes

    lines = [line for line in start.splitlines() if not line.isascii()]
    sample = b"\n".join(dict.fromkeys(lines))
    found = [match.encoding for match in from_bytes(sample, cp_isolation=[*ENCODINGS[6:]])]
    found.sort(key=lambda encoding: bool(_ODD.search(sample.decode(encoding, "replace"))))
    for encoding in (*found, "cp1252"):
        if decodes(data, encoding):
            return encoding
    raise TableError(
        f"{name} is text, but not valid UTF-8 or CP1252: choose its encoding, or save it as "
        "UTF-8 and load it again."
    )


def decodes(data: memoryview, encoding: str) -> bool:
    """Whether the whole file is valid text in that encoding (read piece by piece)."""
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        for begin in range(0, len(data), CHUNK):
            decoder.decode(data[begin : begin + CHUNK])
        decoder.decode(b"", final=True)
    except (UnicodeError, LookupError):
        return False
    return True


def first_text(data: memoryview, encoding: str) -> str:
    """Decode the first lines; one that is cut by the end of the sample is left out."""
    text = codecs.getincrementaldecoder(encoding)("replace").decode(data[:SAMPLE])
    if len(data) > SAMPLE:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    return text
