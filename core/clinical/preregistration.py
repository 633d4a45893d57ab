"""The lock of a study as a pre-registration: what was decided, exported before anything is tested.

As JSON, from which the same lock can be made on the same table, and as one page of text for a
registry or an ethics committee. It holds no cell of the table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import fill
from typing import Any

from ..families import FAMILIES
from ..families.family import CATEGORY, COUNT, MEASUREMENT, RATING, YES_NO
from ..schema.spec import TIME_TO_EVENT
from ..schema.transforms import of_what
from ..statistics.adjustment import NAMES
from ..statistics.bootstraps import ASSESSABLE, DOUBTFUL, STABLE
from ..statistics.copula import FULL, ONE_LINE
from ..statistics.detectable import GROUPS, POWER, detectable
from ..statistics.multiplicity import HOLM_UP_TO, LEVEL
from ..wording import listed, percent
from .study import JUDGED, PARTS, Lock, without_reasons
from .subgroups import SMALLEST
from .traffic_light import REACHED, SAME_ANSWER

KIND, VERSION = "MAP-DP Studio pre-registration", 1
#: Letters a line of the text, and columns of a kind that it names; the JSON names all.
WIDTH, MOST = 100, 20
#: Test between two groups and effect with its 95 % interval, by kind of outcome.
TESTS = {
    MEASUREMENT: (
        "Welch's t-test, with and without a correction for skewness where skewed",
        "difference of means",
    ),
    RATING: ("Welch's test of mean scores", "difference of mean scores"),
    YES_NO: ("Fisher or chi-square", "risk difference"),
    CATEGORY: ("chi-square or Monte-Carlo Fisher", "Cramér's V"),
    COUNT: ("Wald's test, sandwich variance", "rate ratio"),
    TIME_TO_EVENT: ("log-rank", "hazard ratio, difference of restricted mean times"),
}


def as_json(lock: Lock, versions: dict[str, str]) -> str:
    """Everything that was locked, and what follows from it."""
    saved = lock.to_dict() | {"schema": without_reasons(lock.schema)}
    return json.dumps(
        {
            "kind": KIND,
            "version": VERSION,
            "hash": lock.hash,
            "made by": versions,
            "lock": saved,
            "model": lock.model,
            "outcomes": [_outcome(lock, name) for name in lock.columns("validator")],
            "multiplicity": multiplicity(lock),
            "light": light_rules(),
            "smallest differences": smallest_differences(lock.n_rows),
        },
        indent=2,
        ensure_ascii=False,
    )


def read(text: str) -> Lock:
    """The lock that a pre-registration holds.

    Raises
    ------
    ValueError
        The text is no pre-registration, or was changed: its hash is not that of what it holds.
    """
    try:
        saved = json.loads(text)
        if saved["kind"] != KIND:
            raise ValueError("This JSON is no pre-registration of a study.")
        lock = Lock.from_dict(saved["lock"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("This file is no pre-registration of a study.") from error
    if lock.hash != saved.get("hash"):
        raise ValueError("This pre-registration was changed after it was made: its hash differs.")
    return lock


def as_text(lock: Lock, versions: dict[str, str]) -> str:
    """The same on one page of plain text, for people."""
    said = [line for title, text in _sections(lock) for line in (title.upper(), *text, "")]
    made = ", ".join(f"{name} {version}" for name, version in versions.items())
    head = ["PRE-REGISTRATION OF A STUDY OF PATIENT SUBGROUPS", f"Locked {lock.time}", ""]
    foot = [f"SHA-256 of all that was locked: {lock.hash}", f"SHA-256 of data: {lock.data_hash}"]
    foot.append(f"Software: {made}.")
    lines = [*head, *said, *foot]
    return lock.said("\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in lines)) + "\n"


def _sections(lock: Lock) -> Iterator[tuple[str, list[str]]]:
    plan = lock.plan
    yield "Purpose", [plan.purpose or "Not stated."]
    repeated = [] if lock.repeats is None else [lock.repeats.reservation]
    yield "Patients", [f"{lock.n_rows:,} patients. {lock.preparation}", *repeated]
    yield "Columns that make the groups", [*_clustered(lock), plan.why or "No reason was stated."]
    yield "Model and search", [lock.model, search(lock)]
    yield "Outcomes, kept out of the search", _outcomes(lock)
    controls = listed(lock.titles("control"), MOST) or "none"
    yield "Negative controls", [f"Columns {PARTS['control']}: {controls}."]
    yield "Adjustment and multiplicity", [covariates(lock), multiplicity(lock)]
    yield "What the groups will be judged by", light_rules()
    yield "Smallest differences that can be shown", smallest_differences(lock.n_rows)


def _clustered(lock: Lock) -> list[str]:
    """Columns by likelihood, blocks apart."""
    of: dict[str, list[str]] = {}
    for name in lock.columns("cluster"):
        spec = lock.schema[name]
        label = FAMILIES[spec.family].label + of_what(spec.transform)
        of.setdefault(label, []).append(spec.title)
    said = [f"{len(names):,} as {label}: {listed(names, MOST)}." for label, names in of.items()]
    joint = [", ".join(block.columns) for block in lock.schema.blocks.values()]
    return said + [f"Together, with their correlations: {names}." for names in joint]


def search(lock: Lock) -> str:
    """How the groups are looked for, in a sentence."""
    plan = lock.plan
    scale = "" if lock.schema.priors else "the first search chooses the priors' scale by E; "
    return (
        f"MAP-DP (Raykov et al. 2016), concentration N₀ = {plan.concentration:g}, "
        f"{plan.restarts:,} searches, seed {plan.seed}; {scale}the search of lowest E "
        f"gives the groups. Judged: {JUDGED[plan.judged][0].lower()}{JUDGED[plan.judged][1:]}. "
        f"Groups of fewer than {SMALLEST} patients are atypical, and left out of every description "
        "and test."
    )


def _outcome(lock: Lock, name: str) -> dict[str, Any]:
    """An outcome with the test and the effect of two groups."""
    spec = lock.schema[name]
    test, effect = TESTS.get(spec.kind, ("none: its type is not known", ""))
    found = {"column": name, "counted": spec.title, "kind": spec.kind, "test": test}
    if spec.kind == TIME_TO_EVENT:
        codes = " or ".join(map(str, spec.event_codes or ()))
        found["counted"] = f"{name} until {spec.event} = {codes}"
    if spec.special:
        found["in two parts"] = "who has a number, and the numbers"
    regression = NAMES.get(spec.kind, ("", ""))[1]
    return found | {"effect": effect, "regression": regression}


def _outcomes(lock: Lock) -> list[str]:
    names = lock.columns("validator")
    if not names:
        return ["None: the groups can be described, and not tested."]
    return [
        f"{found['counted']}: {found['test']}; {found['effect']}"
        + (f"; {found['regression']}." if found["regression"] else ".")
        for found in (_outcome(lock, name) for name in names)
    ]


def covariates(lock: Lock) -> str:
    """What effects are adjusted for, in a sentence."""
    names = [lock.schema[name].title for name in lock.plan.covariates]
    if not names:
        return "Effects on outcomes are not adjusted: no covariate was named."
    return f"Effects on outcomes are also shown adjusted for {', '.join(names)}."


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


def light_rules() -> list[str]:
    """What is asked of groups that are called reproducible."""
    return [
        f"Other patients: each group's mean Jaccard over resamples at least {STABLE:.2f}; below "
        f"{DOUBTFUL:.2f} it is not to be trusted, below {ASSESSABLE} patients not assessed.",
        f"Other starts: at least {percent(REACHED)} end at the best answer; answers that fit as "
        f"well agree by an adjusted Rand index of at least {SAME_ANSWER:.2f}.",
        f"Chance or severity: p at most {LEVEL:g} against {FULL} tables without groups of each "
        f"kind; less than {percent(ONE_LINE)} of the groups' differences along one line.",
    ]


def smallest_differences(n: int) -> list[str]:
    """What ``n`` patients can show in two groups of sizes that nobody knows yet."""
    said = [
        f"At {percent(POWER)} power and two-sided p {LEVEL:g}, not corrected, between two groups "
        "that together are all patients:"
    ]
    for share in GROUPS:
        found = detectable(n, share)
        a, b = found.sizes
        if found.means is None:
            said.append(f"{a:,} and {b:,} patients: too few to show any.")
            continue
        risks = "no risk" if found.risks is None else f"a risk of {percent(0.5 + found.risks)}"
        hazards = ", ".join(f"{hr:.2f} with {d:,} events" for d, hr in found.hazards.items())
        said.append(
            f"{a:,} and {b:,} patients: means {found.means:.2f} standard deviations apart; {risks} "
            f"against 50 %; a hazard ratio of {hazards} in both groups together."
        )
    return said
