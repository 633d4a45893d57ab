"""Packages of an extra, such as ``app``, which the library does without."""

from importlib.util import find_spec


def require(
    package: str, what: str, error: type[Exception] = ImportError, extra: str = "app"
) -> None:
    """Raise one sentence, with the command that installs it, where a package is not installed.

    ``package`` is its name as imported, ``what`` the sentence's subject with its verb, such as
    "Figures need".
    """
    if find_spec(package) is None:  # MAP-DP Studio itself is on no index
        how = f'run python -m pip install -e ".[{extra}]" in the folder of MAP-DP Studio'
        raise error(f"{what} {package}: {how}.")
