"""What to settle before roles are locked: circular outcomes, sites, ids that recur."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ..families import FAMILIES
from ..families.family import YES_NO
from ..models.numeric import numeric_encoding
from ..partitions.scores import ari
from ..schema.encode import complete, encode_column
from ..schema.roles import holds_centres
from ..schema.schema import Schema, SchemaError
from ..schema.spec import TIME_TO_EVENT
from ..schema.words import may_name_identifier, names_centre, says, words
from ..statistics.variables import unnamed_codes
from ..wording import counted, listed

#: A validator predicted so well follows from the clustered columns, or is made of them (R^2, AUC).
NEARLY, MADE_OF = 0.8, 0.95
CIRCULAR = (
    (
        MADE_OF,
        "'{}' is nearly a function of the clustered columns ({}): finding it differ between groups "
        "would be circular. Give it another role, or leave out the columns it is made from.",
    ),
    (
        NEARLY,
        "'{}' follows from the clustered columns to a large part ({}): that it differs between "
        "groups is then prognosis from these columns, not proof of groups.",
    ),
)
MOST_CARRIERS = 3
_SHUFFLED = {"shuffle": True, "random_state": 0}
_FOLDS = KFold(5, **_SHUFFLED)
#: Fewest rows, and fewest of each answer, that a cross-validated prediction is worth making on.
FEWEST, FEWEST_EACH = 30, 10


def concerns(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Sentences about unnamed events and validators made of the columns."""
    # Small matrices: threads that wait for each other would take many times as long.
    with threadpool_limits(1):
        circular = circular_validators(frame, schema)
    return [*unnamed_events(frame, schema), *unusable(frame, schema), *circular]


def unnamed_events(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Times whose status column, event, or codes beside the event nobody named."""
    found = []
    for name, spec in schema.items():
        if spec.family != TIME_TO_EVENT or spec.role not in ("validator", "control"):
            continue
        if spec.event is None:
            found.append(f"'{name}' is a time to an event, but no column says who had the event.")
        elif not spec.event_codes:
            codes = ", ".join(map(str, sorted(frame[spec.event].dropna().unique(), key=str)[:8]))
            found.append(
                f"'{spec.event}' has the values {codes}, but nobody said which of them mean that "
                f"the event of '{name}' happened; it is not tested until then."
            )
        elif codes := unnamed_codes(frame, schema, name):
            found.append(
                f"'{spec.event}' has the values {', '.join(map(str, codes[:8]))} beside the event "
                f"of '{name}': which of them mean “not yet, when last seen”? What is left is "
                "another event that rules this one out. Say so under “Survival”; until then no "
                "share of patients with or without the event is shown."
            )
    return found


def unusable(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Validators and controls that cannot be read as what they are said to be."""
    found = []
    for name, spec in schema.items():
        if spec.role not in ("validator", "control") or spec.family == TIME_TO_EVENT:
            continue
        if spec.family is None:
            found.append(
                f"'{name}' is to be tested but has no likelihood: say what kind of column it is."
            )
            continue
        try:
            encode_column(frame[name], complete(frame[name], spec))
        except SchemaError as error:
            found.append(f"Not testable. {error}")
    return found


def circular_validators(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Validators that the clustered columns predict well, with the columns that carry it."""
    found = []
    for name, (measure, score, carriers) in predictability(frame, schema).items():
        carried = listed(carriers, MOST_CARRIERS, "“”")
        told = f"cross-validated {measure} {score:.2f}, carried by {carried}"
        found += [words.format(name, told) for least, words in CIRCULAR if score > least][:1]
    return found


def unexplained(frame: pd.DataFrame, schema: Schema) -> dict[str, tuple[Any, Any]]:
    """Yes/no columns whose codes say nothing, such as 1 and 2: the level not counted, the other."""
    found = {}
    for role in ("validator", "control", "cluster"):
        for name in schema.names(role):
            if schema[name].kind != YES_NO:
                continue
            try:
                levels = complete(frame[name], schema[name]).levels
            except SchemaError:
                continue
            if levels != (0, 1) and all(_is_code(level) for level in levels):
                found[name] = levels
    return found


def _is_code(level: Any) -> bool:
    return not isinstance(level, str) or (level.strip().isdigit() or len(level.strip()) < 2)


def predictability(
    frame: pd.DataFrame, schema: Schema
) -> dict[str, tuple[str, float, tuple[str, ...]]]:
    """How well the clustered columns predict each validator, and which carry it; few are absent."""
    encoded = schema.completed(frame).encode(frame)
    encoding = numeric_encoding(encoded)
    inputs = StandardScaler().fit_transform(np.nan_to_num(encoding.apply(encoded.values)))
    # A 0/1 column of a category is named after its level.
    names = [n if n in schema else n.rpartition(" = ")[0] for n in encoding.names]
    found = {}
    for name in schema.names("validator"):
        spec = schema[name]
        if spec.family in (None, TIME_TO_EVENT):
            continue
        try:
            codes = encode_column(frame[name], complete(frame[name], spec))
        except SchemaError:
            continue
        known = ~np.isnan(codes)
        if known.sum() < FEWEST:
            continue
        seen, codes = inputs[known], codes[known]
        if FAMILIES[spec.family].is_nominal:
            levels = [codes == code for code in np.unique(codes)]
            levels = [one for one in levels if min(one.sum(), (~one).sum()) >= FEWEST_EACH]
            scores = [(_area(seen, one), place) for place, one in enumerate(levels)]
            measure, (score, place) = "AUC", max(scores, default=(None, 0))
            target = levels[place] if levels else codes
        else:
            predicted = cross_val_predict(RidgeCV(np.logspace(-2, 4, 7)), seen, codes, cv=_FOLDS)
            measure, score, target = "R²", r2_score(codes, predicted), codes
        if score is not None:
            order = np.argsort(-np.abs(seen.T @ (target - target.mean())), kind="stable")
            carriers = tuple(dict.fromkeys(names[place] for place in order))[:MOST_CARRIERS]
            found[name] = measure, float(score), carriers
    return found


def _area(inputs: np.ndarray, is_level: np.ndarray) -> float:
    """Under the ROC curve of a logistic regression, cross-validated."""
    model, folds = LogisticRegression(C=0.1, max_iter=500), StratifiedKFold(5, **_SHUFFLED)
    chances = cross_val_predict(model, inputs, is_level, cv=folds, method="predict_proba")
    return float(roc_auc_score(is_level, chances[:, 1]))


#: Sites at most that are left out in turn, and fewest patients of one.
MOST_SITES, SMALLEST_SITE = 30, 5


def site_columns(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Columns kept out of the groups that may name a site, those whose own name says so first."""
    kept_out = (n for n in _site_like(frame, schema) if schema[n].role not in ("cluster", "id"))
    counts = {name: frame[name].value_counts() for name in kept_out}
    found = [n for n, of in counts.items() if len(of) <= MOST_SITES and of.iloc[1] >= SMALLEST_SITE]
    return sorted(found, key=lambda name: not is_site(frame, name))


def is_site(frame: pd.DataFrame, name: str) -> bool:
    """Whether a column's own name says that it names a site, of which there are few."""
    named = names_centre(name) or "region" in words(name)
    return named and frame[name].nunique() <= MOST_SITES


#: Adjusted Rand index with the groups above which these are mostly sites.
MOSTLY = 0.3


def mostly_sites(frame: pd.DataFrame, schema: Schema, labels: np.ndarray) -> str:
    """Say that the groups are mostly those of a column that tells where or by whom, or ""."""
    told = []
    for name in _site_like(frame, schema):
        known = frame[name].notna().to_numpy()
        codes = pd.factorize(frame[name][known])[0]
        agreement = ari(codes, labels[known]) if known.any() else 0.0
        if agreement > MOSTLY:
            told.append((agreement, name))
    if not told:
        return ""
    (most, name), more = max(told), len(told) - 1
    also = f" ({counted(more, 'other column')} nearly as much)" if more else ""
    return (
        f"The groups are mostly those of “{name}”{also}: the adjusted Rand index between the two "
        f"is {most:.2f}, and from {MOSTLY} on groups are more a place, a device or a person who "
        "measured than a kind of patient. Find them again within the largest site, or without the "
        "columns that are measured differently."
    )


def _site_like(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Columns that recur and may say where, with what or by whom patients were seen."""
    events = {spec.event for spec in schema.values()}
    found = []
    for name, spec in schema.items():
        if name not in frame.columns or name in events or spec.role in ("validator", "weight"):
            continue
        try:
            n = frame[name].nunique()
        except TypeError:  # lists, say
            continue
        if not 2 <= n <= len(frame) / SMALLEST_SITE:
            continue
        says_so = names_centre(name) or may_name_identifier(name) or "region" in words(name)
        declared = spec.role in ("id", "group", "control") and not says("arm", name)
        if says_so or declared or holds_centres(frame[name]):
            found.append(name)
    return found


MARK = "rows repeat patients: p-values are too small"
PERSON = re.compile(r"patient|subject|participant|person|proband|mrn", re.IGNORECASE)
#: Words by which it is that of something a person has several of.
OCCASION = re.compile(
    r"visit|sample|specimen|encounter|admission|stay|record|row|order|invoice|transaction|ticket"
    r"|accession|barcode|uuid|guid|hash|link|url|event|scan|image|measurement|observation",
    re.IGNORECASE,
)
#: Words of the name of an id that says where somebody lives, and not who.
PLACES = {
    *("zip", "zipcode", "postcode", "postal", "plz", "postleitzahl", "cep", "address", "adresse"),
    *("street", "city", "town", "village", "county", "municipality", "district", "commune"),
    *("gemeinde", "ort", "stadt", "município", "municipio", "ville", "ciudad", "comune"),
}


@dataclass(frozen=True)
class Repeats:
    """The patient's id in a table that has several rows of some patients."""

    name: str
    n_rows: int
    n_patients: int
    most: int = 1

    @property
    def sentence(self) -> str:
        """What is wrong with the table."""
        return (
            f"A row is not a patient here: “{self.name}” recurs, {counted(self.n_rows, 'row')} "
            f"belong to {counted(self.n_patients, 'patient')}."
        )

    @property
    def reservation(self) -> str:
        """What must be known about every count and every p-value."""
        return (
            f"{self.sentence} Groups, counts and tests are of rows, also where they are said to be "
            f"of patients, and {MARK}."
        )


def marked(table: pd.DataFrame) -> pd.DataFrame:
    """A table to hand out with the mark as its last column, where it has p-values."""
    has_p = any(re.match(r"p\b|p_", str(name), re.IGNORECASE) for name in table)
    return table.assign(Note=MARK) if has_p else table


def repeats_of(frame: pd.DataFrame, schema: Schema) -> Repeats | None:
    """The patient's id where it recurs; None where a row is a patient, as far as ids tell.

    Ids named as a person's count alone, if any. Else None where an id tells all rows apart; of
    those that recur, sites and places aside, the one with the most values.
    """
    ids = {name: frame[name].dropna() for name in schema.names("id") if name in frame.columns}
    recurs = {name: bool(column.duplicated().any()) for name, column in ids.items()}
    people = [name for name in ids if PERSON.search(name) and not OCCASION.search(name)]
    if not people and any(_tells_units(frame[name]) for name in ids):
        return None
    asked = [
        name
        for name in people or ids
        if recurs[name] and not is_site(frame, name) and PLACES.isdisjoint(words(name))
    ]
    name = max(asked, key=lambda name: ids[name].nunique(), default=None)
    if name is None:
        return None
    counts = ids[name].value_counts()
    return Repeats(name, ids[name].size, len(counts), int(counts.iloc[0]))


def _tells_units(column: pd.Series) -> bool:
    """Whether an id differs in every row and is more than a number of the row or its occasion."""
    if column.isna().any() or not column.is_unique or OCCASION.search(str(column.name)):
        return False
    return not (pd.api.types.is_numeric_dtype(column) and column.is_monotonic_increasing)
