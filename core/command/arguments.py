"""What the commands share of reading their arguments."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Says in one sentence what is wrong, where argparse prints all that would be right."""

    def __init__(self, **words: str) -> None:
        super().__init__(allow_abbrev=False, **words)

    def error(self, message: str) -> NoReturn:
        """Exit with status 2."""
        told = " ".join(message.split()).removesuffix(".")
        self.exit(2, f"{told[:1].upper()}{told[1:]}: see {self.prog} --help.\n")


def positive(kind: Callable[[str], float]) -> Callable[[str], float]:
    """Reads a number above 0 of a kind, int or float."""

    def read(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            wanted = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text!r} is not {wanted} above 0")
        return number

    return read
