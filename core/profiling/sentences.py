"""One sentence a group, as a person would say it: which group it is like, and what differs."""

from __future__ import annotations

import re
from collections.abc import Callable

from .cards import Card, Trait

#: A special outcome and its share, as lines tell them: "zero in 47 %, else median 3.1".
_OUTCOMES = re.compile(r"(?:^|, )(?!else )(.+?) in ([\d.]+ %)")
_COMPARED = {"high": "higher", "low": "lower"}


def sentence(card: Card, nearest: str, plain: Callable[[str], str] = str) -> str:
    """Say which group a card's is most like, and the strongest contrasts with it.

    Parameters
    ----------
    card : Card
        Of a group that has a nearest one.
    nearest : str
        What that one is called.
    plain : callable
        Makes names and figures of the table safe where the sentence is shown.
    """
    if not card.contrasts:
        return f"Like {plain(nearest)}: no column clearly tells the two apart."
    told = " and ".join(_phrase(trait, plain) for trait in card.contrasts)
    return f"Like {plain(nearest)}, but {told}."


def _phrase(trait: Trait, plain: Callable[[str], str]) -> str:
    here, beside = (_short(text, trait.what) for text in (trait.here, trait.overall))
    what = plain(trait.what)
    if here in ("0 %", "100 %"):
        word = "never" if here == "0 %" else "always"
        return f"{word} {what} (there {plain(beside)})"
    word = _COMPARED.get(trait.word, trait.word)
    return f"{word} {what} ({plain(here)}, there {plain(beside)})"


def _short(figure: str, what: str) -> str:
    """Of "zero in 47 %, else median 3.1", what is spoken of: the share of "= zero", or the median.

    Any other figure as it is.
    """
    for outcome, share in _OUTCOMES.findall(figure):
        if what.endswith(f" = {outcome}"):
            return share
    return figure.rpartition(", else ")[2]
