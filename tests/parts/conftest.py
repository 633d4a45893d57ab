"""A table in files, a few thousand rows of four clusters that hardly overlap, one of them tiny."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core import MAPDPParts, Schema
from core.schema.schema import ColumnSpec

N = 3_000
SCHEMA = Schema(
    [
        *(ColumnSpec(f"m{j}", "normal") for j in range(3)),
        ColumnSpec("colour", "categorical"),
        ColumnSpec("visits", "poisson"),
        ColumnSpec("smokes", "bernoulli"),
    ]
)

#: Of a fit that others are held against.
SETTINGS = {"random_state": 0, "sample": 400, "prior": "empirical"}


def make_frame(n: int = N, seed: int = 0, spread: float = 1.0) -> pd.DataFrame:
    """Mixed columns with missing cells; "truth" is the cluster."""
    random = np.random.default_rng(seed)
    truth = random.choice(4, n, p=[0.5, 0.3, 0.19, 0.01])
    middle = np.array([[0, 0, 0], [8, 0, 4], [0, 9, -5], [-9, -9, 9]])
    frame = pd.DataFrame(middle[truth] + spread * random.normal(size=(n, 3)))
    frame.columns = ["m0", "m1", "m2"]
    frame = frame.mask(random.random(frame.shape) < 0.05)
    words = np.array(["red", "green", "blue"], dtype=object)
    frame["colour"] = words[np.where(random.random(n) < 0.7, truth % 3, random.integers(3, size=n))]
    frame["visits"] = random.poisson(1.0 + 3.0 * truth)
    frame["smokes"] = np.where(random.random(n) < 0.2 + 0.2 * truth, "yes", "no")
    frame["truth"] = truth
    return frame


def write_parts(frame: pd.DataFrame, folder, n_parts: int) -> str:
    """The rows in so many files, of different sizes; one of several is empty."""
    folder.mkdir()
    cuts = np.linspace(0, 1, n_parts + 1) ** 1.5 * len(frame)
    cuts = cuts.astype(int)
    if n_parts > 2:
        cuts[2] = cuts[1]
    for place, (a, b) in enumerate(itertools.pairwise(cuts)):
        table = pa.Table.from_pandas(frame.iloc[a:b], preserve_index=False)
        pq.write_table(table, folder / f"{place:03d}.parquet")
    return str(folder)


@pytest.fixture(scope="session")
def frame() -> pd.DataFrame:
    return make_frame()


@pytest.fixture(scope="session")
def folder(frame, tmp_path_factory) -> str:
    """Four files."""
    return write_parts(frame, tmp_path_factory.mktemp("table") / "parts", 4)


@pytest.fixture(scope="session")
def fitted(folder, tmp_path_factory) -> MAPDPParts:
    """The four files, one after the other."""
    return MAPDPParts(**SETTINGS).fit(folder, SCHEMA, tmp_path_factory.mktemp("labels"))


def digest(model: MAPDPParts) -> str:
    """Of all labels and E."""
    labels = model.read_labels().astype("<i4")
    return hashlib.sha256(labels.tobytes() + repr(model.objective_).encode()).hexdigest()
