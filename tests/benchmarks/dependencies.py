"""What the library and the app stand on: versions, licences, and weaknesses that are known.

    python -m tests.benchmarks.dependencies      # `pip install -e ".[audit]"` for the weaknesses

Of every distribution that pyproject.toml asks for, however far down: the extra that needs it first,
its version, its licence, and what pip-audit knows of it. A licence that is not on the list of those
that let anybody use, change and hand on what is theirs is marked; so is one that is not told. What
could not be looked up, such as without a network, is said to be unknown, not taken for sound.
"""

from __future__ import annotations

import importlib.metadata as metadata
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
#: Words of licences under which anybody may use, change and hand on.
FREE = re.compile(
    r"\b(MIT|BSD|Apache|ISC|PSF|Python Software|HPND|MPL|Mozilla|Zlib|Unlicense|0BSD)"
)
#: The library first, then what only some need.
LIBRARY, APP = "library", "app"


@dataclass(frozen=True)
class Distribution:
    """One that is installed."""

    name: str
    version: str
    #: What needs it first: the library, or an extra.
    needed_by: str
    licence: str

    @property
    def is_free(self) -> bool:
        """Whether its licence is one that is known to let anybody hand it on."""
        return bool(FREE.search(self.licence))


def installed() -> list[Distribution]:
    """All that the project asks for and that is here, by what needs it first."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = {LIBRARY: project["dependencies"], APP: extras[APP], **extras}
    found: dict[str, Distribution] = {}
    for part, lines in asked.items():
        _collect(map(Requirement, lines), part, found)
    return list(found.values())


def _collect(
    wanted: Iterable[Requirement], part: str, found: dict[str, Distribution], extra: str = ""
) -> None:
    for requirement in wanted:
        name = canonicalize_name(requirement.name)
        is_asked = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
        if not is_asked or name in found or name == "mapdp-studio":
            continue
        try:
            one = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # an extra that is not installed
        found[name] = Distribution(name, one.version, part, _licence(one))
        for of in ("", *requirement.extras):
            _collect(map(Requirement, one.requires or ()), part, found, of)


def _licence(one: metadata.Distribution) -> str:
    """As the distribution says it: an expression, a line of text, or its classifiers."""
    said = one.metadata.get("License-Expression") or ""
    classes = one.metadata.get_all("Classifier") or []
    named = [c.rpartition(" :: ")[2] for c in classes if c.startswith("License :: ")]
    text = (one.metadata.get("License") or "").strip().partition("\n")[0]
    return said or ", ".join(named) or text or "not told"


def weaknesses(found: list[Distribution]) -> tuple[dict[str, list[str]], set[str], str]:
    """Numbers of known weaknesses by name, what could not be looked up, and why not."""
    names = {one.name for one in found}
    if find_spec("pip_audit") is None:
        return {}, names, 'pip-audit is not installed: pip install -e ".[audit]"'
    lines = "".join(f"{one.name}=={one.version}\n" for one in found)
    command = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--format", "json"]
    done = subprocess.run(
        [*command, "--progress-spinner", "off", "-r", "/dev/stdin"],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        told = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        return {}, names, f"pip-audit reached no list of weaknesses ({last[0][:90]})"
    known = {canonicalize_name(one["name"]): one for one in told if "vulns" in one}
    found_in = {
        name: [v["id"] for v in one["vulns"]] for name, one in known.items() if one["vulns"]
    }
    unknown = names - set(known)
    return found_in, unknown, "pip-audit found them on no list that it could reach"


def main() -> int:
    """Print them; 1 where a weakness is known."""
    found = installed()
    weak, unknown, why = weaknesses(found)
    print(f"{'distribution':28}{'version':14}{'needed by':11}{'licence':40}weaknesses")
    for one in found:
        said = ", ".join(weak.get(one.name, [])) or ("unknown" if one.name in unknown else "none")
        mark = "" if one.is_free else "  LOOK AT ITS LICENCE"
        row = f"{one.name:28}{one.version:14}{one.needed_by:11}{one.licence[:38]:40}{said}{mark}"
        print(row)
    odd = sum(not one.is_free for one in found)
    print(f"{len(found)} distributions, {odd} with a licence to look at,", end=" ")
    print(f"{len(weak)} with known weaknesses, {len(unknown)} not looked up", end="")
    print(f": {why}." if unknown else ".")
    return bool(weak)


if __name__ == "__main__":
    sys.exit(main())
