"""What a clinician should settle before locking the roles of a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from ..families import FAMILIES
from ..families.family import YES_NO
from ..models.numeric import NumericEncoding, numeric_encoding
from ..schema.encode import complete, encode_column
from ..schema.schema import Schema, SchemaError
from ..schema.spec import TIME_TO_EVENT
from ..statistics.variables import unnamed_codes
from ..wording import listed

#: Predicted this well from the clustered columns a validator follows from them to a large part, and
#: this well it is made of them: R squared of an amount, area under the ROC curve of a level.
NEARLY, MADE_OF = 0.8, 0.95
#: Columns named that carry such a prediction, and levels up to which each is looked at by itself.
MOST_CARRIERS, FEW_LEVELS = 3, 10
FOLDS = 5
#: Fewest rows, and fewest of each answer, that a cross-validated prediction is worth making on.
FEWEST, FEWEST_EACH = 30, 10


def concerns(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Sentences about unnamed events and validators made of the columns."""
    # Small matrices: threads that wait for each other would take many times as long.
    with threadpool_limits(1):
        circular = circular_validators(frame, schema)
    return [
        *unnamed_events(frame, schema),
        *unusable(frame, schema),
        *circular,
    ]


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
    for name, told in predictability(frame, schema).items():
        if told.score <= NEARLY:
            continue
        carried = listed(told.carriers, MOST_CARRIERS, "“”")
        score = f"cross-validated {told.measure} {told.score:.2f}, carried by {carried}"
        if told.score >= MADE_OF:
            found.append(
                f"'{name}' is nearly a function of the clustered columns ({score}): finding it "
                "differ between groups would be circular. Give it another role, or leave out the "
                "columns it is made from."
            )
        else:
            found.append(
                f"'{name}' follows from the clustered columns to a large part ({score}): that it "
                "differs between groups is then prognosis from these columns, not proof of groups."
            )
    return found


def unexplained(frame: pd.DataFrame, schema: Schema) -> dict[str, tuple[Any, Any]]:
    """Yes/no columns whose codes say nothing, such as 1 and 2: the level not counted, the other.

    Outcomes first. 0 and 1 are a convention, and words speak for themselves.
    """
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


@dataclass(frozen=True)
class Predicted:
    """How well the clustered columns predict a validator."""

    #: "R²" or "AUC".
    measure: str
    score: float
    #: Columns with the largest weights in a linear model.
    carriers: tuple[str, ...]


def predictability(frame: pd.DataFrame, schema: Schema) -> dict[str, Predicted]:
    """How well the clustered columns predict each validator, cross-validated: "R²" or "AUC".

    The better of a linear model and a shallow tree, so that sums and thresholds are both seen.
    Validators with too few values are absent.
    """
    completed = schema.completed(frame)
    encoded = completed.encode(frame)
    encoding = numeric_encoding(encoded)
    inputs = np.nan_to_num(encoding.apply(encoded.values))
    scores = {}
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
        if FAMILIES[spec.family].is_nominal:
            score = _separation(inputs[known], codes[known].astype(np.int64))
            measure = "AUC"
        else:
            score, measure = _explained(inputs[known], codes[known]), "R²"
        if score is not None:
            carriers = _carriers(encoding, inputs[known], codes[known], schema)
            scores[name] = Predicted(measure, score, carriers)
    return scores


def _carriers(
    encoding: NumericEncoding, inputs: np.ndarray, codes: np.ndarray, schema: Schema
) -> tuple[str, ...]:
    """Columns that go with a validator most closely, each by itself, the closest first."""
    targets = [codes]
    if np.unique(codes).size <= FEW_LEVELS:
        targets = [codes == code for code in np.unique(codes)]
    inputs = inputs - inputs.mean(axis=0)
    spread = np.sqrt((inputs**2).sum(axis=0))
    closeness = np.zeros(inputs.shape[1])
    for target in targets:
        target = target - target.mean()
        length = np.sqrt((target**2).sum())
        if length:
            along = np.abs(inputs.T @ target) / np.where(spread > 0, spread, np.inf) / length
            closeness = np.maximum(closeness, along)
    order = np.argsort(-closeness, kind="stable")
    names = [encoding.names[place] for place in order]
    # A 0/1 column of a category is named after its level.
    columns = [name if name in schema else name.rpartition(" = ")[0] for name in names]
    return tuple(dict.fromkeys(columns))[:MOST_CARRIERS]


def _explained(inputs: np.ndarray, values: np.ndarray) -> float:
    """Largest cross-validated R squared of the two models."""
    folds = KFold(FOLDS, shuffle=True, random_state=0)
    linear = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 4, 7)))
    tree = DecisionTreeRegressor(max_depth=4, min_samples_leaf=5, random_state=0)
    return max(
        r2_score(values, cross_val_predict(model, inputs, values, cv=folds))
        for model in (linear, tree)
    )


def _separation(inputs: np.ndarray, codes: np.ndarray) -> float | None:
    """Largest cross-validated area under the ROC curve of any level against the others."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    areas = []
    for code in np.unique(codes):
        is_it = codes == code
        if min(is_it.sum(), (~is_it).sum()) < FEWEST_EACH:
            continue
        linear = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=500))
        tree = DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0)
        for model in (linear, tree):
            chances = cross_val_predict(model, inputs, is_it, cv=folds, method="predict_proba")
            areas.append(roc_auc_score(is_it, chances[:, 1]))
    return max(areas, default=None)
