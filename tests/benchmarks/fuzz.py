"""Broken, hostile and odd inputs of every kind: what came out, a result, a sentence, or neither.

    python -m tests.benchmarks.fuzz 10000        # inputs in all, shared among the kinds
    python -m tests.benchmarks.fuzz 2000 models  # of one kind
    python -m tests.benchmarks.fuzz 1 models 7   # the seventh alone, with its traceback

An input counts against the library where an exception other than its own comes out, where it takes
more than ten seconds of the processor's time, or where the process grows by more than a gigabyte.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np

from tests.benchmarks.fuzz_kinds import KINDS, OWN

SECONDS, MEGABYTES = 10.0, 1024


@dataclass
class Outcome:
    """What became of the inputs of one kind."""

    results: int = 0
    sentences: int = 0
    slowest: float = 0.0
    growth: float = 0.0
    wrong: dict[int, str] = field(default_factory=dict)


@contextmanager
def _at_most(seconds: float):
    def stop(*_: Any) -> None:
        raise TimeoutError(f"beyond {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def attempt(kind: str, number: int) -> str:
    """Try one input; "result", "sentence", or the exception that is neither, with its place."""
    made = KINDS[kind].make(np.random.default_rng([number, sorted(KINDS).index(kind)]))
    try:
        with warnings.catch_warnings(), _at_most(SECONDS):
            warnings.simplefilter("ignore")
            KINDS[kind].use(made)
    except OWN as error:
        sentence = str(error)
        return "sentence" if sentence and "\n" not in sentence else f"no sentence: {sentence!r}"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        own = [f for f in traceback.extract_tb(error.__traceback__) if "/core/" in f.filename]
        where = own[-1] if own else place
        file = where.filename.rpartition("/core/")[2]
        return f"{type(error).__name__} in {file}:{where.lineno}: {error}"
    return "result"


def try_all(kind: str, numbers: range) -> Outcome:
    """Try some inputs of one kind."""
    outcome = Outcome()
    before = _megabytes()
    for number in numbers:
        began = process_time()
        said = attempt(kind, number)
        outcome.slowest = max(outcome.slowest, process_time() - began)
        growth = _megabytes() - before
        if growth - outcome.growth > MEGABYTES:
            said = f"{growth:,.0f} MB"
        outcome.growth = max(outcome.growth, growth)
        if said in ("result", "sentence"):
            setattr(outcome, f"{said}s", getattr(outcome, f"{said}s") + 1)
        else:
            outcome.wrong[number] = said
    return outcome


def main() -> None:
    """Try them and print a table."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("n", type=int, nargs="?", default=10_000)
    arguments.add_argument("kind", nargs="?", choices=KINDS)
    arguments.add_argument("number", type=int, nargs="?")
    given = arguments.parse_args()
    if given.number is not None:
        kind = KINDS[given.kind]
        made = kind.make(np.random.default_rng([given.number, sorted(KINDS).index(given.kind)]))
        print(repr(made)[:4000])
        kind.use(made)
        return
    kinds = [given.kind] if given.kind else list(KINDS)
    wrong = 0
    print(
        f"{'':12}{'inputs':>8}{'results':>9}{'sentences':>11}{'slowest':>9}{'grew by':>10}  wrong"
    )
    for name in kinds:
        numbers = range(-(-given.n // len(kinds)))
        found = try_all(name, numbers)
        wrong += len(found.wrong)
        print(
            f"{name:12}{len(numbers):8,}{found.results:9,}{found.sentences:11,}"
            f"{found.slowest:8.2f}s{found.growth:7,.0f} MB  {len(found.wrong):,}",
            flush=True,
        )
        seen = Counter(said.partition(": ")[0] for said in found.wrong.values())
        for said, times in seen.most_common(20):
            number = next(n for n, one in found.wrong.items() if one.startswith(said))
            print(f"    {times:5,} {found.wrong[number][:140]}  (number {number})")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
