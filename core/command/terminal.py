"""Argument parsing and the progress line, shared by the commands."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from ..models.progress import Progress

WIDTH = 24


class Parser(argparse.ArgumentParser):
    """Parser that says in one sentence what is wrong, without argparse's usage."""

    def __init__(self, **words: str) -> None:
        super().__init__(allow_abbrev=False, **words)

    def error(self, message: str) -> NoReturn:
        """Exit with status 2."""
        told = " ".join(message.split()).removesuffix(".")
        self.exit(2, f"{told[:1].upper()}{told[1:]}: see {self.prog} --help.\n")


def positive(kind: type[int] | type[float]) -> Callable[[str], float]:
    """Parser of a number above 0 of a kind."""

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


def show_progress(progress: Progress) -> None:
    """Draw the progress on a terminal; a log would keep every line."""
    if not sys.stderr.isatty():
        return
    filled = "#" * round(min(progress.done / max(progress.total, 1), 1.0) * WIDTH)
    known = f"  K = {progress.n_clusters}" if progress.n_clusters else ""
    if known and math.isfinite(progress.objective):
        known += f"  E = {progress.objective:,.1f}"
    line = f"\r[{filled:<{WIDTH}}] {progress.phase}{known}\x1b[K"
    print(line, end="", file=sys.stderr, flush=True)


@contextmanager
def progress_line() -> Iterator[None]:
    """Leave the line of the progress empty at the end."""
    try:
        yield
    finally:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
