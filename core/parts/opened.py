"""A finished search, taken up again with a sample of its rows: what the app shows."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..inference.fit import Fit
from ..inference.model_file import ModelFileError, load_model
from ..models.mapdp import MAPDP
from ..schema.schema import Schema
from .place import place_of
from .sums import Sums, TableSpec, WholePartition

#: Of a folder of labels: the model, some of the rows, and what neither of them says.
MODEL, SAMPLE, ABOUT = "model.json", "sample.parquet", "about.json"


@dataclass(frozen=True, eq=False)
class Opened:
    """The clusters of all rows, and a sample of the rows with their labels."""

    #: Columns as they are stored; those that were not clustered on, too.
    frame: pd.DataFrame
    schema: Schema
    #: Its labels are those of the sample; E, merges and predictions are of all rows.
    model: MAPDP
    #: Rows in all, and in each cluster.
    n_rows: int
    sizes: np.ndarray


def open_finished(folder: str | Path) -> Opened:
    """Read what ``MAPDPParts`` left in its folder of labels.

    Raises
    ------
    ModelFileError
        There is no finished search, or what it left is damaged.
    """
    place = place_of(folder)
    try:
        saved = load_model((place / MODEL).read().decode())
        frame = pd.read_parquet(io.BytesIO((place / SAMPLE).read()))
        about = json.loads((place / ABOUT).read())
        labels = frame.pop("label").to_numpy(dtype=np.int64)
        frame = frame.drop(columns="row")
        n_rows, scale = int(about["rows"]), about["prior_scale"]
        assert saved.schema_ is not None
        encoded = saved.schema_.encode_part(frame)
    except ModelFileError:
        raise
    except (OSError, LookupError, ValueError, TypeError, AssertionError) as error:
        raise ModelFileError(
            f"There is no finished search in {place} ({error}): name the folder of labels of"
            " 'mapdp-studio fit'."
        ) from None
    n = saved.n_clusters_
    sizes = np.array([cluster.size for cluster in saved.clusters_], dtype=np.int64)
    sums = Sums(saved.state.state[:, :n].copy(), sizes)
    # What rescaling took from E is not in the file, but follows from E.
    whole = TableSpec(saved.columns_, n_rows, 0.0, saved.concentration)
    partition = WholePartition(whole, sums, encoded, labels).of_rows_at_hand()
    partition.log_scale = saved.objective_ - partition.objective()
    model = MAPDP(saved.concentration)
    model._take(partition, scale, saved.clusters_)
    model.schema_, model.n_features_in_ = saved.schema_, len(encoded.columns)
    details = {"prior_scale": scale, "scale_objectives": {}}
    trace = np.array([saved.objective_])
    model._publish(Fit("MAPDP", labels, saved.objective_, trace, 0, True, 0.0, details, partition))
    return Opened(frame, saved.schema_, model, n_rows, sizes)
