"""What a study did, in words written from its settings: a paragraph, a checklist, questions."""

from __future__ import annotations

import platform
from collections import Counter
from functools import cache
from importlib import metadata

from ..families import FAMILIES
from ..version import __version__
from ..wording import counted, percent
from .checks import Checks
from .study import Lock, Study
from .subgroups import SMALLEST, Subgroups
from .validation import Validation

LIMITATIONS = (
    "The groups were found in the same patients whom they describe; they depend on which columns "
    "made them, on the likelihoods chosen and on who is in the cohort. An association of an "
    "outcome with the groups does not show that distinct subtypes exist, and adjustment removes "
    "only what was measured. Whether the lock was registered anywhere before the search is for the "
    "authors to say. Whether the groups are found elsewhere needs other patients."
)
#: Left for the clinician: no computation answers them.
APPLICABILITY = (
    "Are these patients, their setting and their time like those the groups would be applied to?",
    "Would the same columns be measured elsewhere, in the same way and at the same point of the "
    "illness?",
    "What do the groups add to what is already used, such as stage, severity or age?",
    "Would anything be done differently for a patient in one group than for one in another, and "
    "does any evidence outside this study support that?",
    "Who is missing from this cohort, and what harm would follow from a patient being placed in "
    "the wrong group?",
)
_PACKAGES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "statsmodels", "plotly")


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
    parts = [
        _data(study, checks, table_name),
        _search(study, checks),
        _lock(study),
        *_checked(checks),
        *_tested(study, validation),
    ]
    made_with = ", ".join(f"{name} {version}" for name, version in versions().items())
    return " ".join([*parts, f"Software: {made_with}."])


def checklist(study: Study, checks: Checks, validation: Validation | None) -> list[tuple[str, str]]:
    """What a reader of a clustering study looks for, each with this study's answer."""
    lock, model = study.lock, checks.groups.model
    plan, encoded = lock.plan, model.columns_.encoded
    stability, reference = checks.stability, checks.reference
    tests = "none kept out" if validation is None else validation.validators.pairs_adjusted.sentence
    light = checks.light
    return [
        ("Purpose", plan.purpose or "not stated"),
        ("Columns, and why", f"{len(encoded.columns):,}; {plan.why or 'no reason stated'}"),
        ("Preparation of the table", lock.preparation),
        ("Types", _types(checks)),
        ("Missing cells", _missing(checks)),
        (
            "Algorithm",
            "MAP-DP on the exact objective: merges, splits and searches from disturbed answers",
        ),
        (
            "Prior",
            f"N₀ = {plan.concentration:g}; {_priors(checks.groups)}",
        ),
        ("Restarts", f"{checks.groups.objectives.size:,}; the most probable grouping was kept"),
        ("Groups judged", _judged(checks) or "those of the likelihood itself"),
        ("Number of groups", f"{len(checks.groups.profiled):,}, found and not given"),
        (
            "Stability",
            "not checked"
            if stability is None or stability.bootstraps is None
            else f"{counted(len(stability.bootstraps.draws), 'resample')} of the patients",
        ),
        (
            "Reference without groups",
            "not compared" if reference is None else reference.sentence,
        ),
        ("Verdict", f"{light.colour}{', provisional' if light.provisional else ''}"),
        ("Validators", f"{len(lock.columns('validator')):,}; {tests}"),
        ("Roles locked", f"{lock.time}, hash {lock.hash[:16]}"),
        ("Reservations", study.reservation or "none"),
        ("Version and seed", f"{versions()['mapdp-studio']}; seed {plan.seed}"),
    ]


def _data(study: Study, checks: Checks, table_name: str) -> str:
    encoded = checks.groups.model.columns_.encoded
    said = "".join(
        f"Each row of the table was as many patients as its column {name} says. "
        for name in study.lock.columns("weight")
    )
    return said + (
        f"{study.lock.who} ({table_name}) were grouped on "
        f"{counted(len(encoded.columns), 'column')}: {_types(checks)}. {_missing(checks)}."
    )


def _types(checks: Checks) -> str:
    units = checks.groups.model.columns_.encoded.units
    tally = Counter(u.family for u in units if not u.is_outcome for _ in u.columns)
    return ", ".join(f"{n:,} {FAMILIES[family].label.lower()}" for family, n in tally.most_common())


def _missing(checks: Checks) -> str:
    """In how many columns cells were missing; no share, which would tell of hidden groups."""
    is_missing = checks.groups.model.columns_.encoded.is_missing.any(axis=0)
    if not is_missing.any():
        return "No cell missing"
    return (
        f"Cells were missing in {int(is_missing.sum()):,} of {is_missing.size:,} columns; they "
        "were left out of the likelihood, and no value was filled in"
    )


def _priors(groups: Subgroups) -> str:
    """Where the priors of the columns come from."""
    if groups.prior_scale is None:
        return "priors that were chosen with the groups before the lock, by the same probability"
    return (
        f"weak priors from the data whose scale ({percent(groups.prior_scale, 1)}) was chosen by "
        "the same probability"
    )


def _search(study: Study, checks: Checks) -> str:
    groups, plan = checks.groups, study.lock.plan
    best, blocks = groups.objectives.min(), study.lock.schema.blocks.values()
    joined = "".join(f", but for {', '.join(block.columns)} together," for block in blocks)
    reached = int((groups.objectives < best + 0.01).sum())
    said = (
        "Groups were sought with MAP-DP (Raykov et al., PLoS ONE 2016;11(9):e0162259), the most "
        f"probable partition of a Dirichlet process mixture in which columns{joined} are "
        f"independent within a group, with concentration N₀ = {plan.concentration:g} and "
        f"{_priors(groups)}. "
        f"Of {counted(groups.objectives.size, 'run')} of the search with merges and "
        f"splits (seed {plan.seed}) the most probable one (E = {best:,.1f}, minus its log "
        f"probability, reached "
        f"{counted(reached, 'time')}) gave the groups. "
    )
    if judged := _judged(checks):
        said += f"As planned before the search, they are {judged}. "
    if not groups.found_any:
        return said + "No groups were found."
    said += f"{counted(len(groups.profiled), 'group')} of at least {SMALLEST} patients were found"
    return said + (
        f"; fewer than {SMALLEST} similar patients were called atypical and left out of profiles "
        "and tests."
        if groups.atypical
        else "."
    )


def _judged(checks: Checks) -> str:
    """Which groups are judged where not those of the likelihood itself; empty else."""
    survivors = checks.groups.survivors
    if survivors is None:
        return ""
    power = checks.groups.model.likelihood_power
    return (
        f"those that stay as the evidence counts less: the likelihood to the power {power:.2g} "
        "(Miller and Dunson, JASA 2019), about which the same groups stay "
        f"({survivors.sentence.rstrip('.')})"
        if survivors.power is not None
        else "those that stay as the evidence counts less (Miller and Dunson, JASA 2019), and none "
        "do: no groups stay over a range of powers of the likelihood"
    )


def _lock(study: Study) -> str:
    lock = study.lock
    said = f"The table was prepared. {lock.preparation} " if lock.prepared else ""
    said += (
        f"The roles of all columns, their likelihoods and these settings were locked at "
        f"{lock.time} before the search (SHA-256 {lock.hash[:16]}; data {lock.data_hash[:16]})."
    )
    return f"{said} {study.reservation}" if study.reservation else said


def _checked(checks: Checks) -> list[str]:
    said, stability, reference = [], checks.stability, checks.reference
    if reference is not None and reference.n_drawn:
        said.append(
            "To tell groups from chance and from a gradient of severity, groups were sought anew, "
            "under the same likelihoods, on "
            f"{counted(reference.n_drawn, 'table')} with the same margins and missing cells: with "
            "shuffled columns, from a Gaussian copula with the same rank correlations, from a t "
            "copula with one spread a patient and the table's own kurtosis (Demarta and McNeil "
            "2005), and from one whose first component is skewed as the table's is. Beside all but "
            "the first, what the correlations of one cloud explain is taken off the gain (Cox "
            "1962). Tables were drawn until the answer was known (Besag and Clifford 1991): "
            f"{reference.sentence}"
        )
    if stability is not None and stability.bootstraps is not None:
        said.append(
            f"Stability was judged by {counted(len(stability.bootstraps.draws), 'resample')} of "
            "distinct patients (mean clusterwise Jaccard similarity, Hennig 2007)"
            + (
                f" and {counted(stability.restarts.objectives.size, 'further start')}."
                if stability.restarts is not None
                else "."
            )
        )
    return said


def _in_parts(lock: Lock) -> str:
    """That columns with special outcomes are tested in two parts, where there are any."""
    names = [name for name in lock.columns("validator") if lock.schema[name].special]
    said = f" ({', '.join(names)} in two parts: who has a number, and the numbers)"
    return said if names else ""


def _tested(study: Study, validation: Validation | None) -> list[str]:
    lock = study.lock
    if validation is None or not lock.columns("validator"):
        return ["No column was kept out to test the groups against."]
    names = lock.titles("validator")
    return [
        f"{counted(len(names), 'column')} kept out of the search ({', '.join(names)}) "
        f"{'was' if len(names) == 1 else 'were'} tested between groups{_in_parts(lock)}: Welch's "
        "test for "
        "measurements and mean scores, together with the same corrected for skewness (Zhou and "
        "Dinh 2005) where a column is skewed for the size of a group (the larger p-value and the "
        "interval that holds both count), Fisher or "
        "chi-square for yes/no, Monte-Carlo Fisher for categories, a rate ratio with a sandwich "
        "variance for counts, the log-rank test for times (Gray's where another event may come "
        "first) with hazard ratios (Cox, Efron) and differences of restricted means or cumulative "
        "incidences, proportional hazards judged by the Grambsch-Therneau test; exact or "
        "studentised permutation "
        "tests in groups of 10 to 19 but for counts, no test below 10 or where none holds its "
        "level; available cases; "
        f"{validation.validators.pairs_adjusted.sentence} between pairs of groups."
        + _controls(lock)
    ]


def _controls(lock: Lock) -> str:
    n = len(lock.columns("control"))
    return f" {counted(n, 'negative control')} went through the same tests." if n else ""
