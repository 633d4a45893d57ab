"""A small cohort, and previews of few draws."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.clinical import verdict
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.statistics.resampling import Protocol


@pytest.fixture
def cohort() -> pd.DataFrame:
    random = np.random.default_rng(0)
    group = random.integers(2, size=60)
    return pd.DataFrame(
        {
            "patient": [f"P{i:02d}" for i in range(60)],
            "age": random.normal([40.0, 70.0], 4.0, (60, 2))[range(60), group].round(1),
            "visits": random.poisson(np.array([2.0, 14.0])[group]),
            "pressure": random.normal([110.0, 150.0], 9.0, (60, 2))[range(60), group].round(),
            "died": np.where(random.random(60) < np.array([0.2, 0.6])[group], "yes", "no"),
        }
    )


@pytest.fixture
def few_draws(monkeypatch) -> None:
    few = classmethod(lambda kind, seed=0: kind(2, 2, 1, seed))
    monkeypatch.setattr(Protocol, "preview", few)
    monkeypatch.setattr(verdict, "QUICK", 1)
    monkeypatch.setattr(
        "mapdp_studio.core.statistics.resampling.EFFORTS", {"preview": Protocol.preview}
    )


@pytest.fixture
def no_checks(monkeypatch) -> None:
    monkeypatch.setattr(
        "mapdp_studio.core.clinical.study.run_checks",
        lambda frame, lock, found, is_full, callback: Checks(found),
    )
