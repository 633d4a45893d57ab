"""One sentence a group, as a person would say it: which group it is like, and what differs."""

from __future__ import annotations

from collections.abc import Callable

from .cards import Card, Trait

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
    what, beside = plain(trait.what), plain(trait.overall)
    if trait.here in ("0 %", "100 %"):
        word = "never" if trait.here == "0 %" else "always"
        return f"{word} {what} (there {beside})"
    word = _COMPARED.get(trait.word, trait.word)
    return f"{word} {what} ({plain(trait.here)}, there {beside})"
