"""Does the model that a table chooses describe rows that it has not seen better than the suggested?

    python -m tests.benchmarks.chosen_heldout [table ...]

Held-out log density in nats a row, of the columns that make groups, on the tables of
`tests.benchmarks.labelled`, whose classes nobody is told. Five folds, the same for all. The
suggested schema is that of the whole table, levels included, so that no fold lacks one; groups,
priors, likelihoods, transforms and blocks are learnt from the training rows. All densities are in
the data's units: the Jacobian of every transform is taken off, and a rating or count that is read
as a measurement counts with its step.

"As suggested" is MAP-DP as it is fitted, whose measurements are points: on values that repeat, a
cluster of equal ones has a density without bound. "As intervals" is the same groups with every
measurement an interval as wide as its step, as E compares the suggested model with the chosen one;
of the two it is the fair comparison. A count read as a category gives a value that no training row
has no probability: it is charged as one row in n + 1, and such cells are counted. The
GaussianMixture (full covariances, up to ten, by BIC) stands beside where every column is a
measurement without a hole; its components are points, too. About six minutes.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.mixture import GaussianMixture

from mapdp_studio.core import MAPDP, Schema, choose_model, infer_schema
from mapdp_studio.core.models.choice.candidates import candidates_of
from mapdp_studio.core.models.choice.choose import State
from mapdp_studio.core.models.choice.model import Ground, suggested
from mapdp_studio.core.schema.encode import encode_column
from tests.benchmarks.labelled import SIMULATED, tables

FOLDS, K_MAX, STARTS = 5, 10, 3
SUGGESTED, INTERVALS, CHOSEN, MIXTURE = "as suggested", "as intervals", "chosen", "mixture"


def jacobian(frame: pd.DataFrame, schema: Schema, stated: Schema) -> np.ndarray:
    """What every row's density under ``stated`` is above that in the data's units, in nats; (N,).

    ``schema`` is the one that the candidates for ``stated`` come from.
    """
    total = np.zeros(len(frame))
    for name, candidates in candidates_of(frame, schema, 1.0).items():
        wanted = stated[name].family, stated[name].transform
        for candidate in candidates:
            if (candidate.spec.family, candidate.spec.transform) == wanted:
                total += candidate.jacobian
    return total


def unseen(test: pd.DataFrame, schema: Schema, stated: Schema) -> np.ndarray:
    """How many of every row's cells ``stated`` has no level for, though they hold something."""
    return sum(
        np.isnan(encode_column(test[name], stated[name], new_rows=True))
        & ~np.isnan(encode_column(test[name], schema[name], new_rows=True))
        for name in schema.names("cluster")
        if not schema[name].special
    )


def as_intervals(model: MAPDP, train: pd.DataFrame, schema: Schema) -> MAPDP:
    """The groups and priors of a fit with every measurement an interval, as E compares it."""
    stepped = suggested(Ground.of(train, schema), model.prior_)
    partition = State.of(stepped, model.concentration, model.labels_).partition
    return MAPDP(model.concentration, prior=stepped.priors).adopt(partition, None, schema)


def held_out(
    train: pd.DataFrame, test: pd.DataFrame, schema: Schema
) -> tuple[dict[str, np.ndarray], int]:
    """Log density of every test row by model, in the data's units, and cells that were unseen."""
    choice = choose_model(train, schema)
    plain = MAPDP(random_state=0).fit(train, schema)
    models = {
        SUGGESTED: (plain, schema),
        INTERVALS: (as_intervals(plain, train, schema), schema),
        CHOSEN: (choice.model, choice.schema),
    }
    rows = pd.concat([test, train])  # the steps of ratings and counts are those of all rows
    found = {
        name: model.score_samples(test) - jacobian(rows, schema, stated)[: len(test)]
        for name, (model, stated) in models.items()
    }
    lost = unseen(test, schema, choice.schema)
    found[CHOSEN] -= lost * np.log(len(train) + 1)
    if _for_a_mixture(rows, schema):
        found[MIXTURE] = mixture(train, test, schema)
    return found, int(lost.sum())


def _for_a_mixture(frame: pd.DataFrame, schema: Schema) -> bool:
    """Whether every column is a measurement without a hole."""
    names = list(schema.names("cluster"))
    plain = all(schema[name].family == "normal" and not schema[name].special for name in names)
    return plain and not frame[names].isna().any(axis=None)


def mixture(train: pd.DataFrame, test: pd.DataFrame, schema: Schema) -> np.ndarray:
    """The same of the GaussianMixture of lowest BIC, on columns of unit variance."""
    names = list(schema.names("cluster"))
    mean, sd = train[names].mean(), train[names].std()
    x, new = (((rows[names] - mean) / sd).to_numpy(float) for rows in (train, test))
    fits = (
        GaussianMixture(k, n_init=STARTS, reg_covar=1e-4, random_state=0).fit(x)
        for k in range(1, K_MAX + 1)
    )
    return min(fits, key=lambda fit: fit.bic(x)).score_samples(new) - np.log(sd).sum()


def measured(frame: pd.DataFrame, label: str | None) -> tuple[pd.DataFrame, int]:
    """Held-out log density of every row (rows) by model (columns), and the cells unseen."""
    schema = infer_schema(frame, label=label).completed(frame)
    fold = np.random.default_rng(0).permutation(len(frame)) % FOLDS
    parts, lost = [], 0
    for f in range(FOLDS):
        found, cells = held_out(frame[fold != f], frame[fold == f], schema)
        parts.append(pd.DataFrame(found, index=frame.index[fold == f]))
        lost += cells
    return pd.concat(parts), lost


def line(name: str, found: pd.DataFrame, lost: int, seconds: float) -> dict[str, object]:
    """One line of the table that is printed."""
    means, n = found.mean(), np.sqrt(len(found))
    above = {
        f"{heading} {other}": value
        for other in (SUGGESTED, INTERVALS)
        for heading, value in (
            ("above", means[CHOSEN] - means[other]),
            ("SE", (found[CHOSEN] - found[other]).std() / n),
        )
    }
    nats = {which: means.get(which, np.nan) for which in (SUGGESTED, INTERVALS, CHOSEN, MIXTURE)}
    rest = {"unseen": lost, "CPU s": seconds}
    return {"table": name, "N": len(found), **nats, **above, **rest}


def summary(lines: pd.DataFrame) -> Iterator[str]:
    """On how many real tables the chosen model is not below, and by how much it is above."""
    real = lines[~lines["table"].str.startswith(SIMULATED)]
    for other in (SUGGESTED, INTERVALS, MIXTURE):
        gain = (real[CHOSEN] - real[other]).dropna()
        yield (
            f"chosen not below {other}: {(gain >= 0).sum()} of {len(gain)} tables, on average "
            f"{gain.mean():+.3f} nats a row, median {gain.median():+.3f}"
        )


def main(names: list[str]) -> None:
    """Measure, and print every table as it is done."""
    warnings.simplefilter("ignore")  # of mixtures that do not converge
    lines = []
    for name, frame, label in tables():
        if names and name not in names:
            continue
        began = time.process_time()
        found, lost = measured(frame, label)
        lines.append(line(name, found, lost, time.process_time() - began))
        print(pd.DataFrame(lines[-1:]).round(3).to_string(index=False), flush=True)
    done = pd.DataFrame(lines)
    print("\n".join(summary(done)))


if __name__ == "__main__":
    main(sys.argv[1:])
