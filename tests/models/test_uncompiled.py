"""The same fits without the compiler, and what a second process finds in the disk cache."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from mapdp_studio.core import MAPDP, CollapsedGibbs, DPMeans, MixtureEM
from mapdp_studio.core.engine import calls
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.engine.rows import each_family
from mapdp_studio.core.engine.sweeps import add_rows, sweep
from mapdp_studio.core.engine.tiles import move_at_once, new_tile
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.jit import Kernel
from tests.random_tables import as_frame, random_table

ROOT = Path(__file__).resolve().parents[2]


def small_fits() -> list:
    """Labels, E and scores of a few fits that between them use every family and every kernel."""
    answers = []
    for n, families in ((10, list(FAMILIES)), (9, ["poisson", "gaussian"]), (8, ["normal"])):
        table, _ = random_table(np.random.default_rng(n), n, families, missing=0.2, fill=n < 10)
        frame, schema = as_frame(table)
        for model in (
            MAPDP(prior="empirical", patience=2, random_state=1),
            MAPDP(50.0, prior="empirical", refine=False, shuffle=False),
            MAPDP(prior="empirical", missing="impute", patience=1, random_state=1),
            CollapsedGibbs(
                prior="empirical", n_sweeps=3, init=np.zeros(n, dtype=int), random_state=1
            ),
            MixtureEM(n_components=2, random_state=1),
            DPMeans(n_clusters_hint=2),
        ):
            model.fit(frame, schema)
            numbers = [model.objective_]
            if isinstance(model, MAPDP):
                numbers += model.score_samples(frame).tolist()
            answers.append([model.labels_.tolist(), numbers])
    return [*answers, _swept_by_tiles()]


def _swept_by_tiles() -> list:
    """Labels and E after rows moved at once, and a sweep that judges many at once."""
    random = np.random.default_rng(5)
    table, priors = random_table(random, 30, [*FAMILIES, "normal"], missing=0.1)
    partition = Partition(PackedTable.pack(table, priors), 1.0, random.integers(3, size=30))
    order, tile = np.arange(30), new_tile(partition.table, 30)
    move_at_once(partition.table, partition.clusters, partition.labels, order, tile)
    partition.sweep(order, tile=tile)
    return [partition.labels.tolist(), [partition.objective()]]


def kernels() -> dict[str, int]:
    """How often every function of the package that is kept on disk was compiled here, by name."""
    found = {kernel.__qualname__: 1 - kernel.cache_hits for kernel in calls._COMPILED}
    for name, module in list(sys.modules.items()):
        if name.startswith("mapdp_studio.core."):
            for value in vars(module).values():
                value = value.dispatcher if isinstance(value, Kernel) else value
                if isinstance(value, numba.core.dispatcher.Dispatcher):
                    of_module = value.py_func.__module__
                    misses = sum(value.stats.cache_misses.values())
                    found[f"{of_module}.{value.py_func.__name__}"] = misses
    return found


def _fresh_process(**environment: str) -> dict:
    code = (
        "import json; from tests.models.test_uncompiled import kernels, small_fits\n"
        "print(json.dumps({'answers': small_fits(), 'compiled': kernels()}))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def expected() -> list:
    return json.loads(json.dumps(small_fits()))


def test_compiled_and_uncompiled_runs_agree(expected):
    plain = _fresh_process(NUMBA_DISABLE_JIT="1")
    assert plain["compiled"] == {}
    for (labels, numbers), found in zip(expected, plain["answers"], strict=True):
        assert found == [labels, pytest.approx(numbers, rel=1e-9)]


def test_second_process_compiles_nothing(expected):
    again = _fresh_process()
    assert again["answers"] == expected
    assert len(again["compiled"]) > 50
    assert {name: count for name, count in again["compiled"].items() if count} == {}


def test_any_array_is_taken_by_the_same_kernels():
    random = np.random.default_rng(0)
    wide = random.normal(size=(40, 6))
    holes = np.where(random.random(wide.shape) < 0.1, np.nan, wide)
    whole = np.round(wide).astype(int)
    for values in (wide, np.asfortranarray(wide), holes, wide[::2, ::3], whole):
        values.flags.writeable = False
        for likelihood in ("normal", "gaussian", "spherical"):
            MAPDP(1e4, prior="empirical", likelihood=likelihood, patience=1).fit(values)
    for likelihood in ("poisson", "categorical", "binomial", "exponential", "geometric"):
        MAPDP(likelihood=likelihood, patience=0, random_state=0).fit(np.abs(np.round(wide * 3)))
    for kernel in (sweep, each_family, add_rows):
        assert len(kernel.dispatcher.signatures) == 1
