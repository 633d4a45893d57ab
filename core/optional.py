"""Packages of an extra, such as ``app``, which the library does without."""

from importlib.util import find_spec

from .wording import install


def require(
    package: str, what: str, error: type[Exception] = ImportError, extra: str = "app"
) -> None:
    """Raise one sentence, with the command that installs it, where a package is not installed.

    ``package`` is its name as imported, ``what`` the sentence's subject with its verb, such as
    "Figures need".
    """
    if find_spec(package) is None:
        raise error(f"{what} {package}: {install(extra)}.")
