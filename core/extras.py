"""Packages that the library does without, and one sentence where one is wanted."""

from __future__ import annotations

from importlib.util import find_spec

from .wording import install

#: The extra of pyproject.toml that brings each package.
EXTRAS = {
    **dict.fromkeys(("openpyxl", "plotly", "pyreadstat", "streamlit"), "app"),
    **dict.fromkeys(("charset_normalizer", "python_calamine"), "app"),
}


class MissingExtra(ImportError):
    """A package that is not installed: one sentence, with the command that installs it."""


def needs(package: str, what: str, refusal: type[Exception] = MissingExtra) -> None:
    """Say what a package is wanted for, unless it is there.

    Parameters
    ----------
    package : str
        Key of ``EXTRAS``.
    what : str
        The sentence's subject with its verb, such as "Figures need".
    refusal : type of exception
        Raised where it is not there.
    """
    if find_spec(package) is None:
        raise refusal(f"{what} {package}: {install(EXTRAS[package])}.")


def explain(error: ModuleNotFoundError, what: str) -> None:
    """Say the same of an import that failed, where it is a package of ``EXTRAS`` that is wanting.

    Raises
    ------
    MissingExtra
    """
    package = (error.name or "").partition(".")[0]
    if package in EXTRAS:
        needs(package, what)
