"""The groups of a fitted model in words, a table and a picture."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..engine.packed import PackedTable, default_priors
from ..engine.partition import Partition
from ..exports.report import written
from ..inference.contributions import column_contributions
from ..inference.prediction import put_back
from ..models.mapdp import MAPDP
from ..models.priors import EMPIRICAL_SCALE
from ..partitions.naming import Groups, Naming
from ..profiling.by_group import CAPTION, group_table, summarise
from ..profiling.cards import Card, profile_cards, sentence
from ..profiling.profiles import (
    ALL,
    LEAST_ROWS,
    natural_columns,
    standardised_differences,
    strongest,
)
from ..profiling.rules import rules_of_table
from ..schema.encoded import Encoded
from ..schema.frames import as_frame
from ..wording import counted, listed, percent

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_NAMED, MOST_DRAWN = 3, 30


@dataclass(frozen=True, eq=False)
class Description:
    """Description of the groups of a fitted model, worked out when asked for.

    No tests: groups differ on the columns that they were made from by construction. Single rows may
    show; for what may leave a clinic see ``Study.report``.
    """

    #: Numbers of the rows, and their groups, "Cluster 1" the largest.
    encoded: Encoded
    groups: Groups
    partition: Partition
    frame: pd.DataFrame

    @cached_property
    def table(self) -> pd.DataFrame:
        """One line a column, one column a group, all rows first; every cell is text."""
        titles = {ALL: "All rows", **dict(enumerate(self.groups.titles))}
        parts = (part for column in natural_columns(self.encoded) for part in column.parts)
        return group_table([summarise(part, self.groups.labels) for part in parts], titles)[0]

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """A card a group: size, share, what sets it apart, and from which group."""
        return profile_cards(self.encoded, self.groups.labels)

    @cached_property
    def contributions(self) -> pd.DataFrame:
        """How much each column drove the grouping, by its name, the most first."""
        found = column_contributions(self.partition)
        return found.sort_values("nats", ascending=False, kind="stable")

    @property
    def sentences(self) -> tuple[str, ...]:
        """One a group: which other it is like, and what separates the two."""
        titles = self.groups.titles
        return tuple(
            f"{title}, {counted(card.size, 'row')}. "
            + ("" if card.nearest is None else sentence(card, titles[card.nearest]))
            for title, card in zip(titles, self.cards, strict=True)
        )

    @property
    def sentence(self) -> str:
        """How many groups there are, how large, and which columns drove them."""
        n, sizes = self.groups.labels.size, self.groups.sizes
        if sizes.size == 1:
            return f"One group of {counted(n, 'row')}: no groups were found."
        drove = self.contributions.query("nats > 0").index[:MOST_NAMED]
        by = f"; told apart most by {listed(drove, MOST_NAMED)}" if len(drove) else ""
        return (
            f"{counted(sizes.size, 'group')} of {counted(n, 'row')}, the largest of "
            f"{percent(sizes[0], n)}, the smallest of {percent(sizes[-1], n)}{by}."
        )

    @cached_property
    def rules(self) -> pd.DataFrame:
        """A short rule a group, and how often it is right.

        ``rule`` in words ("" where none is found), ``named`` rows, ``right`` of them among the
        ``size`` of the group; ``named_apart`` and ``right_apart``: the same of rows that the rule
        was made without.
        """
        columns = ["rule", "named", "right", "size", "named_apart", "right_apart"]
        lines = [["", 0, 0, 0, 0, 0] for _ in self.groups.titles]
        rules = rules_of_table(self.frame, self.encoded, self.groups.labels)
        for rule in filter(None, rules.rules if rules else ()):
            made, apart = rule.tally, rule.apart
            counts = made.named, made.right, made.size, apart.named, apart.right
            lines[rule.group] = [rule.text(rules.cells), *counts]
        return pd.DataFrame(lines, pd.Index(self.groups.titles, name="group"), columns)

    def figure(self) -> "go.Figure":
        """What sets the groups apart, in standard deviations, as a heat map; needs plotly."""
        from ..plots.heat_maps import differences_figure

        found = standardised_differences(self.encoded, self.groups.labels, LEAST_ROWS)
        return differences_figure(strongest(found, MOST_DRAWN), self.groups.titles)

    def to_html(self, path: str | Path | None = None) -> str:
        """Page that needs no network: sentences, picture, table, contributions, rules.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it, in UTF-8; None only returns it.
        """
        template, title = Path(__file__).with_suffix(".html.j2"), "What the groups are like"
        page = written(template, title, self.sentence, found=self, caption=CAPTION)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def _repr_html_(self) -> str:
        text = pd.Series(self.sentences, name=self.sentence).to_frame()
        return text.to_html(index=False, border=0) + self.table.to_html(index=False, border=0)

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *self.sentences])


def describe(model: Any, frame: Any = None) -> Description:
    """Say what the groups of a fitted model are like.

    Parameters
    ----------
    model : estimator
        Any of this library, fitted to a table.
    frame : DataFrame of pandas or polars, N rows, optional
        The table that it was fitted to: rules then speak of its cells as they stand there.

    Returns
    -------
    Description
        ``table``, ``cards``, ``contributions``, ``sentence``, ``rules``, ``figure()``,
        ``to_html()``.

    Raises
    ------
    NotFittedError, ValueError
        The model holds no rows, or the table has another number of them.

    Examples
    --------
    >>> import pandas as pd
    >>> from mapdp_studio import MAPDP, describe
    >>> frame = pd.DataFrame({"height": [1.5, 1.6, 1.7, 9.5, 9.6, 9.7] * 8})
    >>> found = describe(MAPDP(random_state=0).fit(frame))
    >>> found.sentence
    '2 groups of 48 rows, the largest of 50 %, the smallest of 50 %; told apart most by height.'
    """
    rows = rows_of(model)
    if frame is not None:
        table = as_frame(frame)
    elif model.schema_ is None:
        table = pd.DataFrame(rows.values, columns=list(rows.names))
    else:  # the columns clustered on, in the user's words
        empty, values = pd.DataFrame(index=range(len(rows.values))), np.nan_to_num(rows.values)
        table, _ = put_back(empty, model.schema_, rows, values, np.zeros(values.shape))
        table = table.mask(rows.is_missing)
    if len(table) != len(rows.values):
        raise ValueError(
            f"The model was fitted to {len(rows.values):,} rows and the table has {len(table):,}:"
            " give the table that the groups were found in."
        )
    partition = getattr(model, "partition_", None)
    if partition is None:  # of another method: judged under MAP-DP's model, with weak priors
        packed = PackedTable.pack(rows, default_priors(rows, EMPIRICAL_SCALE))
        partition = Partition.of_labels(packed, MAPDP().concentration, model.result_.labels)
    return Description(rows, Naming().apply(model.result_.labels), partition, table)


def rows_of(model: Any) -> Encoded:
    """Rows that an estimator was fitted to; a ValueError or NotFittedError if it has none."""
    if isinstance(model, BaseEstimator):  # a model read from a file is no estimator, but fitted
        check_is_fitted(model)
    for holder, name in ((model, "encoded_"), (getattr(model, "columns_", None), "encoded")):
        encoded = getattr(holder, name, None)
        if encoded is not None and len(encoded.values):
            return encoded
    raise ValueError(
        f"This {type(model).__name__} holds no rows that it was fitted to: give a model that was"
        " fitted to a table in this session, and not read from a file."
    )
