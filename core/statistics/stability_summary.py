"""How firm groups are: other rows, other starts, other settings, other orders of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.side_by_side import Refits
from ..schema.encoded import Encoded
from .bootstraps import Bootstraps, Draw
from .refits import refit
from .stability import FACTORS, Protocol, Stability, assess, n_fits

#: Orders that the published algorithm visits the rows in.
ORDERS = 20
# A fit under a given prior took about so much of one that also chooses its prior's scale, and
# what runs on two threads about so much of the time on one (measured on wine and the cohort).
_WITHOUT_SCALES, _TWO_THREADS = 0.6, 0.8


@dataclass(frozen=True)
class StabilitySummary:
    """What is known so far; a part that is not there yet is None."""

    #: The published algorithm on all rows, visited in other orders; one draw an order.
    orders: Bootstraps | None = None
    stability: Stability | None = None

    @property
    def starts(self) -> Bootstraps | None:
        """The restarts of the search, row by row."""
        if self.stability is None or self.stability.restarts is None:
            return None
        draws = tuple(Draw(labels, None) for labels in self.stability.restarts.labels)
        return Bootstraps(self.stability.labels, draws)

    def rows(self) -> pd.DataFrame:
        """How often every row came out in its own group.

        ``other rows``, ``other starts`` and ``other orders`` are shares, NaN where not known;
        ``second`` is the group it went to most often else, K for none of them.
        """
        parts = {
            "other rows": None if self.stability is None else self.stability.bootstraps,
            "other starts": self.starts,
            "other orders": self.orders,
        }
        found = {name: draws.patients for name, draws in parts.items() if draws and draws.draws}
        table = pd.DataFrame(
            {
                name: np.where(found[name].n_draws > 0, found[name].share, np.nan)
                if name in found
                else np.nan
                for name in parts
            },
            index=range(next(iter(found.values())).group.size),
        )
        table["second"] = next(iter(found.values())).second
        return table


def stability_summary(
    model: MAPDP,
    protocol: Protocol,
    callback: Callback,
    share: Callable[[StabilitySummary], None] | None = None,
    executor: Any = None,
) -> StabilitySummary:
    """Judge the groups of a fitted MAP-DP.

    What the callback raises ends the work; ``share`` is given what there is whenever there is more.
    The fits run on the workers of an executor, as ``Refits`` says.
    """
    tell = share or (lambda so_far: None)
    orders = _other_orders(model, protocol.seed, callback, executor)
    found = StabilitySummary(orders)
    tell(found)
    stability = assess(
        model,
        protocol,
        callback=callback,
        share=lambda so_far: tell(replace(found, stability=so_far)),
        executor=executor,
    )
    return replace(found, stability=stability)


def seconds_expected(model: MAPDP, protocol: Protocol) -> float:
    """About how long ``stability_summary`` will take, from how long the fit took."""
    known_prior = protocol.restarts
    searches = n_fits(protocol, model.columns_.encoded) - known_prior
    settings_with_prior = searches - protocol.bootstraps - len(FACTORS) * protocol.fits
    known_prior += settings_with_prior
    searches -= settings_with_prior
    one = model.result_.seconds / model.n_init
    return one * (searches + _WITHOUT_SCALES * known_prior) * _TWO_THREADS


def _other_orders(model: MAPDP, seed: int, callback: Callback, executor: Any) -> Bootstraps:
    """Single moves alone, as published: there the order of the rows matters most."""
    refits = Refits(ORDERS, callback, executor)
    work = partial(_in_other_order, model, model.columns_.encoded)
    draws = refits.map(work, range(seed + 2_000, seed + 2_000 + ORDERS), "other orders")
    return Bootstraps(model.labels_, tuple(draws))


def _in_other_order(model: MAPDP, encoded: Encoded, seed: int, callback: Callback) -> Draw:
    run = refit(model, encoded, seed, callback, prior=list(model.prior_), refine=False)
    return Draw(run.labels_.astype(np.int32), None)
