"""Groups of patients: of the study, of a second table, and found again without each site."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from ..inference.contributions import assignments
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.progress import Refits
from ..partitions.scores import ari, overlaps
from ..schema.rows import copies, with_copies
from ..schema.schema import SchemaError
from ..statistics.compare import Associations, associations
from ..statistics.resampling import prior_procedure, refit
from ..wording import percent
from .concerns import MOST_SITES, SMALLEST_SITE
from .groups import Subgroups
from .lock import Lock
from .small_counts import HIDDEN, OFF, hide_small

NONE_OF_THESE = "none of these"


def group_assignments(
    groups: Subgroups, frame: pd.DataFrame, lock: Lock, with_id: bool
) -> pd.DataFrame:
    """One row a patient: row of the table, their ids if asked for, and group."""
    rows = copies(frame, lock.schema)
    ids = lock.columns("id") if with_id else ()
    is_atypical = np.isin(groups.labels, groups.atypical)
    columns = {
        "Row": rows + 1,
        **{name: frame[name].to_numpy()[rows] for name in ids},
        "Group": np.array(groups.titles)[groups.labels],
        "Treated as": np.where(is_atypical, "atypical patient", "a group"),
    }
    return lock.marked(pd.DataFrame(columns))


@dataclass(frozen=True)
class SecondCohort:
    """A second table, each patient placed in the group of the first that suits him best."""

    #: int64, shape (n,). Group of the first table; K where a new group suits better than any.
    labels: np.ndarray
    #: The same of the patients whom a group suits, who are tested.
    placed: np.ndarray
    n_columns: int
    validators: Associations
    absent: tuple[str, ...]

    def sizes(self, groups: Subgroups, least: int = OFF) -> pd.DataFrame:
        """Group sizes of both tables, ready to print; counts below ``least`` hidden."""
        names = [
            title + (", atypical" if k in groups.atypical else "")
            for k, title in enumerate(groups.titles)
        ]
        table = pd.DataFrame({"Group": [*names, NONE_OF_THESE]})
        for cohort, share, labels in (
            ("First cohort", "Share", groups.labels),
            ("Second cohort", "Share ", self.labels),
        ):
            sizes = np.bincount(labels, minlength=len(table))
            hidden = hide_small(pd.Series([*sizes, labels.size]), least).isna().to_numpy()[:-1]
            table[cohort] = np.where(hidden, HIDDEN, [f"{n:,}" for n in sizes])
            table[share] = np.where(hidden, HIDDEN, [percent(int(n), labels.size) for n in sizes])
        return table


def apply_to(
    groups: Subgroups, lock: Lock, frame: pd.DataFrame, callback: Callback | None = None
) -> SecondCohort:
    """Place the patients of a second table, and test its validators."""
    schema = lock.schema
    for name in set(schema.names("weight")) - set(frame.columns):
        schema = schema.with_column(name, role="ignore")
    frame = with_copies(frame, schema)
    placed = assignments(groups.model, frame)
    inside = placed.labels < groups.model.n_clusters_
    if not inside.any():
        raise SchemaError("No patient of the second table suits any group of the first.")
    outcomes, labels = lock.columns("validator"), placed.labels[inside]
    absent = tuple(name for name in outcomes if name not in frame.columns)
    tested = associations(
        frame[inside].reset_index(drop=True),
        schema,
        labels,
        [name for name in outcomes if name not in absent],
        random_state=lock.plan.seed,
        callback=callback,
    )
    return SecondCohort(placed.labels, labels, placed.n_columns, tested, absent)


def sites_left_out(
    groups: Subgroups,
    sites: pd.Series,
    seed: int = 0,
    callback: Callback | None = None,
    share: Callable[[pd.DataFrame], None] | None = None,
) -> pd.DataFrame:
    """Find the groups again without the patients of every site in turn."""
    counts = sites.value_counts()
    names = [name for name in counts.index if counts[name] >= SMALLEST_SITE][:MOST_SITES]
    kept_rows = [(sites != name).to_numpy() for name in names]
    work = partial(_groups_of, groups.model, seed)
    refits = Refits(len(names), groups.encoded.values.size, callback)
    found = refits.map(work, kept_rows, "groups without a site")
    lines = []
    for name, rows, labels in zip(names, kept_rows, found, strict=True):
        own = groups.labels[rows]
        best = pd.Series(overlaps(own, labels).max(axis=1), np.unique(own))
        line = {
            "Left out": f"{name:g}" if isinstance(name, float) else str(name),
            "Patients": int(counts[name]),
            "Groups": int(labels.max()) + 1,
            "Agreement (ARI)": round(ari(own, labels), 2),
        }
        overlap = {groups.titles[k]: round(float(best.get(k, 0.0)), 2) for k in groups.profiled}
        lines.append(line | overlap)
        if share is not None:
            share(pd.DataFrame(lines))
    return pd.DataFrame(lines)


def _groups_of(model: MAPDP, seed: int, rows: np.ndarray, callback: Callback) -> np.ndarray:
    some = model.columns_.encoded.rows(np.flatnonzero(rows))
    return refit(model, some, seed, callback, prior=prior_procedure(model)).labels_
