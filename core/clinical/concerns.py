"""Checks before roles are locked: circular outcomes, sites, recurring ids."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ..families.family import CATEGORY, YES_NO
from ..models.numeric import numeric_encoding
from ..partitions.scores import ari
from ..schema.roles import holds_centres
from ..schema.schema import Schema, SchemaError
from ..schema.words import names_centre, says, words
from ..statistics.variables import Variable
from ..wording import counted, listed

#: Cross-validated R^2 or AUC above which a validator follows from the clustered columns.
FOLLOWS = 0.8
MOST_CARRIERS = 3
#: Fewest rows, and fewest of each answer, that a cross-validated prediction is worth making on.
FEWEST, FEWEST_EACH = 30, 10


def concerns(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Sentences about columns that cannot be tested, and validators made of the clustered ones."""
    found = []
    for name in (*schema.names("validator"), *schema.names("control")):
        try:
            found.append(Variable.of(frame, schema, name).no_share)
        except SchemaError as error:
            found.append(f"Not testable. {error}")
    # Small matrices: threads that wait for each other would take many times as long.
    with threadpool_limits(1):
        predicted = predictability(frame, schema)
    found += [
        f"'{name}' follows from the clustered columns (cross-validated {measure} {score:.2f}, by "
        f"{listed(carriers, MOST_CARRIERS, '“”')}): that it differs between groups is prognosis "
        "from them, near 1 the same said twice, and no proof of groups. Give it another role, or "
        "leave out the columns that it follows from, or make one its time to the event."
        for name, (measure, score, carriers) in predicted.items()
        if score > FOLLOWS
    ]
    return list(filter(None, found))


def predictability(
    frame: pd.DataFrame, schema: Schema
) -> dict[str, tuple[str, float, tuple[str, ...]]]:
    """How well the clustered columns predict each validator, and which carry it; few are absent."""
    encoded = schema.completed(frame).encode(frame)
    encoding = numeric_encoding(encoded)
    inputs = StandardScaler().fit_transform(np.nan_to_num(encoding.apply(encoded.values)))
    # A 0/1 column of a category is named after its level.
    names = [n if n in schema else n.rpartition(" = ")[0] for n in encoding.names]
    model, folds = RidgeCV(np.logspace(-2, 4, 7)), KFold(5, shuffle=True, random_state=0)
    found = {}
    for name in schema.names("validator"):
        try:
            column = Variable.of(frame, schema, name)
        except SchemaError:
            continue
        observed = column.observed
        if column.events is not None or observed.sum() < FEWEST:
            continue
        seen, values = inputs[observed], column.values[observed]
        measure, score, targets = "R²", r2_score, [values]
        if column.kind in (YES_NO, CATEGORY):
            levels = (values == code for code in np.unique(values))
            targets = [one for one in levels if min(one.sum(), (~one).sum()) >= FEWEST_EACH]
            measure, score = "AUC", roc_auc_score
        for target in targets:
            reached = score(target, cross_val_predict(model, seen, target.astype(float), cv=folds))
            if reached > found.get(name, ("", -np.inf))[1]:
                order = np.argsort(-np.abs(seen.T @ (target - target.mean())), kind="stable")
                carriers = tuple(dict.fromkeys(names[place] for place in order))
                found[name] = measure, float(reached), carriers[:MOST_CARRIERS]
    return found


#: Sites at most that are left out in turn, and fewest patients of one.
MOST_SITES, SMALLEST_SITE = 30, 5
#: Adjusted Rand index with the groups above which these are mostly sites.
MOSTLY = 0.3


def site_columns(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Columns kept out of the groups that may name a site, those whose own name says so first."""
    kept_out = (n for n in _site_like(frame, schema) if schema[n].role not in ("cluster", "id"))
    counts = {name: frame[name].value_counts() for name in kept_out}
    found = [n for n, of in counts.items() if len(of) <= MOST_SITES and of.iloc[1] >= SMALLEST_SITE]
    return sorted(found, key=lambda name: not is_site(frame, name))


def is_site(frame: pd.DataFrame, name: str) -> bool:
    """Whether a column's own name says that it names a site, of which there are few."""
    return _says_where(name) and frame[name].nunique() <= MOST_SITES


def mostly_sites(frame: pd.DataFrame, schema: Schema, labels: np.ndarray) -> str:
    """Say that the groups are mostly those of a column that names a place or a person, or ""."""
    alike = {}
    for name in _site_like(frame, schema):
        observed = frame[name].notna().to_numpy()
        alike[name] = ari(pd.factorize(frame[name][observed])[0], labels[observed])
    name = max(alike, key=alike.get, default="")
    if not alike or alike[name] <= MOSTLY:
        return ""
    return (
        f"The groups are mostly those of “{name}” (adjusted Rand index {alike[name]:.2f}): from "
        f"{MOSTLY} on they are more a place, a device or a person who measured than a kind of "
        "patient. Find them again within the largest site."
    )


def _site_like(frame: pd.DataFrame, schema: Schema) -> Iterator[str]:
    """Columns that recur and may say where, with what or by whom patients were seen."""
    events = {spec.event for spec in schema.values()}
    for name, spec in schema.items():
        if name not in frame.columns or name in events or spec.role in ("validator", "weight"):
            continue
        try:
            n = frame[name].nunique()
        except TypeError:  # lists, say
            continue
        says_so = _says_where(name) or says("perhaps_identifier", name)
        declared = spec.role in ("id", "group", "control") and not says("arm", name)
        recurs = 2 <= n <= len(frame) / SMALLEST_SITE
        if recurs and (says_so or declared or holds_centres(frame[name])):
            yield name


def _says_where(name: str) -> bool:
    return names_centre(name) or "region" in words(name)


MARK = "rows repeat patients: p-values are too small"
PERSON = re.compile(r"patient|subject|participant|person|proband|mrn", re.IGNORECASE)
#: Words by which it is that of something a person has several of.
OCCASION = re.compile(
    r"visit|sample|specimen|encounter|admission|stay|record|row|order|invoice|transaction|ticket"
    r"|accession|barcode|uuid|guid|hash|link|url|event|scan|image|measurement|observation",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Repeats:
    """The patient's id in a table that has several rows of some patients, at most ``most``."""

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


def repeats_of(frame: pd.DataFrame, schema: Schema) -> Repeats | None:
    """The patient's id if it recurs; None if every row is a patient, by the ids."""
    ids = {name: frame[name].dropna() for name in schema.names("id") if name in frame.columns}
    people = [name for name in ids if PERSON.search(name) and not OCCASION.search(name)]
    if not people and any(_tells_units(frame[name]) for name in ids):
        return None
    counts = {
        name: ids[name].value_counts()
        for name in people or ids
        if not is_site(frame, name) and not says("address", name)
    }
    recurs = [name for name, times in counts.items() if times.max() > 1]
    if not recurs:
        return None
    name = max(recurs, key=lambda name: len(counts[name]))
    return Repeats(name, int(counts[name].sum()), len(counts[name]), int(counts[name].max()))


def _tells_units(column: pd.Series) -> bool:
    """Whether an id differs in every row and is more than a number of the row or its occasion."""
    if column.isna().any() or not column.is_unique or OCCASION.search(str(column.name)):
        return False
    return not (pd.api.types.is_numeric_dtype(column) and column.is_monotonic_increasing)
