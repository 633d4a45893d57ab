"""Dispatch of ``mapdp-studio``'s commands, what they share, and errors in one sentence."""

import argparse
import math
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from ..models.progress import Progress
from ..version import __version__

HELP = """\
mapdp-studio                       the app, in the browser
mapdp-studio TABLE                 the app with this table or project (.mapdp)
mapdp-studio cluster TABLE ...     groups of one table, without the app
mapdp-studio fit FOLDER ...        groups of Parquet files larger than memory, here or on dask
mapdp-studio --help | --version    this; "cluster --help" and "fit --help" tell of each command

Options of the server go to the app: mapdp-studio TABLE --server.port 8600
"""
COMMANDS = ("cluster", "fit")
#: Exit statuses besides argparse's 2, which is for wrong usage.
REFUSED, STOPPED = 1, 130
WIDTH = 24  # of the progress, in letters


def run(words: Sequence[str], serve: Callable[[list[str], Path | None], None]) -> int:
    """Do what the words say, and return the exit status; ``serve`` opens the app."""
    for stream in (sys.stdout, sys.stderr):  # a terminal's encoding may lack a letter
        if hasattr(stream, "reconfigure"):  # a notebook's has not, and pythonw has no stream
            stream.reconfigure(errors="replace")
    first = words[0] if words else ""
    if first in ("-h", "--help", "help"):
        print(HELP, end="")
    elif first in ("-V", "--version"):
        print(f"mapdp-studio {__version__}")
    elif first in COMMANDS:
        command = import_module(f".{first}", __package__)
        return _status(lambda: command.run(words[1:]), command.STOPPED)
    else:
        return _status(lambda: serve(*_asked_of_app(words)), "Stopped.")
    return 0


def _status(work: Callable[[], None], stopped: str) -> int:
    """Do some work, printing one sentence for an error; return the exit status."""
    try:
        work()
        return 0
    except KeyboardInterrupt:
        print(stopped, file=sys.stderr)
        return STOPPED
    except BrokenPipeError:  # such as ``head`` that has read enough
        sys.stdout = None
        return 0
    except OSError as error:
        text = f"'{error.filename}': {error.strerror}." if error.filename else str(error)
    except (ValueError, RuntimeError, ImportError) as error:
        text = str(error)
    except MemoryError:
        text = "This computer has too little memory for that table: leave some rows out."
    except Exception as error:
        # The message may hold values of the table.
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"
        text = f"This should not have happened ({where}): please report it."
    print(" ".join(text.split()), file=sys.stderr)
    return REFUSED


def _asked_of_app(words: Sequence[str]) -> tuple[list[str], Path | None]:
    """Options of the server, each with its value, and what the app opens."""
    options: list[str] = []
    opened: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-"):
            opened.append(word)
        elif "." not in word:
            raise ValueError(f"There is no option '{word}': see mapdp-studio --help.")
        else:
            options += [word] if "=" in word else [word, next(waiting, "")]
    if len(opened) > 1:
        raise ValueError("The app opens one table: give one path, or see mapdp-studio --help.")
    for name in opened:
        if "://" in name:  # an address may hold a key
            raise ValueError("The app opens what is on this computer: give a path of it.")
        if not Path(name).exists():
            raise ValueError(
                f"There is no file or command '{name}': give the path of a table or of a saved"
                " project, or see mapdp-studio --help."
            )
    return options, Path(opened[0]).resolve() if opened else None


class Parser(argparse.ArgumentParser):
    """Parser that says in one sentence what is wrong, without argparse's usage."""

    def __init__(self, **kwargs: str) -> None:
        super().__init__(allow_abbrev=False, **kwargs)

    def error(self, message: str) -> NoReturn:
        """Exit with status 2."""
        text = " ".join(message.split()).removesuffix(".")
        self.exit(2, f"{text[:1].upper()}{text[1:]}: see {self.prog} --help.\n")


def positive(kind: type[int] | type[float]) -> Callable[[str], float]:
    """Parser of a number above 0 of a kind."""

    def read(text: str) -> float:
        with suppress(ValueError):
            if 0 < (number := kind(text)) < math.inf:
                return number
        expected = "a whole number" if kind is int else "a number"
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected} above 0")

    return read


def show_progress(progress: Progress) -> None:
    """Draw the progress on a terminal; a log would keep every line."""
    if not sys.stderr.isatty():
        return
    filled = "#" * round(min(progress.done / max(progress.total, 1), 1.0) * WIDTH)
    clusters = f"  K = {progress.n_clusters}" if progress.n_clusters else ""
    line = f"\r[{filled:<{WIDTH}}] {progress.phase}{clusters}\x1b[K"
    print(line, end="", file=sys.stderr, flush=True)


@contextmanager
def progress_line() -> Iterator[None]:
    """Leave the line of the progress empty at the end."""
    try:
        yield
    finally:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
