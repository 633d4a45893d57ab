"""A method in one file, its estimator and its record, planted where a test asks for it."""

import numpy as np

from mapdp_studio.core.inference.fit import Fit
from mapdp_studio.core.methods.record import DISTANCE, Method, RowCosts
from mapdp_studio.core.methods.steps import Procedure, Step
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.partitions.labels import by_size


class Halves(ClusterEstimator):
    """Rows above and below a quantile of the first column; rows without it below."""

    def __init__(self, turned: bool = False, share: float = 0.5) -> None:
        self.turned = turned
        self.share = share

    def _fit(self, encoded, callback):
        first = encoded.values[:, 0]
        labels, _ = by_size((first > np.nanquantile(first, self.share)).astype(np.int64))
        trace = np.array([float(first.size)])
        return Fit("Halves", labels, trace[0], trace, n_iter=1, converged=True, seconds=0.0)


def _steps(inputs):
    first = inputs.sample.values[:, 0]
    for share in (0.25, 0.5):
        labels = (first > np.quantile(first, share)).astype(np.int64)
        yield Step(f"cut at {share:g}", labels, share)


HALVES = Method(
    title="Halves",
    glossary=("Halves", "Cuts the rows in two."),
    estimator=Halves,
    arguments=lambda settings, n_cells: {"turned": settings.bic},
    reads=("bic",),
    remark=lambda model: "cut in two",
    explanation=lambda model: "Looks at one column only.",
    table="by one column",
    most_rows=2_000,
    row_costs=lambda model, one, row, numbers: RowCosts(
        DISTANCE, (int(numbers[0]),), {DISTANCE: np.zeros(1)}, 0, "There is nothing to weigh."
    ),
    procedures={"halves": Procedure("Halves", "share", "Watch the cut move.", _steps)},
)
