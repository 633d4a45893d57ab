"""What a study did, in words: the paragraph for a paper, and its settings."""

from __future__ import annotations

import platform
from collections import Counter
from functools import cache
from importlib import metadata
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..families import FAMILIES
from ..statistics.correct import HOLM_UP_TO, LEVEL
from ..version import __version__
from ..wording import counted, percent
from .checks import Checks
from .groups import SMALLEST
from .outcomes import (
    Validation,
)
from .small_counts import OFF
from .study import JUDGED, Lock, Study

_METHODS = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
).get_template("methods.txt.j2")
_PACKAGES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "statsmodels", "plotly")


def settings_table(lock: Lock, least: int) -> pd.DataFrame:
    """How the study was carried out, as it was locked, and what the report hides."""
    plan = lock.plan
    rows = [
        ("Concentration N₀", f"{plan.concentration:g}"),
        ("Searches", f"{plan.restarts:,}"),
        ("Seed", f"{plan.seed}"),
        ("Groups judged", JUDGED[plan.judged]),
        ("Model", lock.model),
        ("Adjustment", lock.adjustment),
        ("Multiplicity", multiplicity(lock)),
        ("Counts hidden", "none" if least == OFF else f"below {least}"),
        *versions().items(),
    ]
    return pd.DataFrame(rows, columns=["Setting", "Value"])


def multiplicity(lock: Lock) -> str:
    """How p-values are corrected, in a sentence."""
    n = len(lock.columns("validator"))
    method = "Holm" if n <= HOLM_UP_TO else "Benjamini-Hochberg"
    return (
        f"P-values of the outcomes are corrected by {method} over outcomes x pairs of groups; "
        f"a corrected p of at most {LEVEL:g} counts as a difference. Available cases; fewer than "
        "10 observed in a group are described and not tested, 10 to 19 tested exactly or by "
        "permutation."
    )


def versions() -> dict[str, str]:
    """Versions of everything that the numbers depend on."""
    found = {"mapdp-studio": __version__, "python": platform.python_version()}
    return found | _installed()


@cache
def _installed() -> dict[str, str]:
    return {name: metadata.version(name) for name in _PACKAGES}


def methods_paragraph(
    study: Study, checks: Checks, validation: Validation | None, table_name: str
) -> str:
    """A paragraph on a locked study for the methods section of a paper."""
    lock, groups, stability = study.lock, checks.groups, checks.stability
    encoded, best = groups.model.columns_.encoded, groups.objectives.min()
    units = (unit for unit in encoded.units if not unit.is_outcome)
    tally = Counter(unit.family for unit in units for _ in unit.columns)
    draws = None if stability is None else stability.bootstraps
    written = _METHODS.render(
        study=study,
        lock=lock,
        plan=lock.plan,
        groups=groups,
        encoded=encoded,
        reference=checks.reference,
        validation=validation,
        table_name=table_name,
        types=", ".join(f"{n:,} {FAMILIES[f].label.lower()}" for f, n in tally.most_common()),
        # In how many columns, and no share of the cells, which would tell of hidden groups.
        n_incomplete=int(encoded.is_missing.any(axis=0).sum()),
        best=f"{best:,.1f}",
        reached=int((groups.objectives < best + 0.01).sum()),
        survivors=groups.survivors,
        power=f"{groups.model.likelihood_power:.2g}",
        smallest=SMALLEST,
        draws=None if draws is None else draws.draws,
        restarts=None if stability is None else stability.restarts,
        names=lock.titles("validator"),
        in_parts=[name for name in lock.columns("validator") if lock.schema[name].special],
        n_controls=len(lock.columns("control")),
        software=", ".join(f"{name} {version}" for name, version in versions().items()),
        counted=counted,
        percent=percent,
        number="{:g}".format,
    )
    return " ".join(written.split())
