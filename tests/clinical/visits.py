"""A table of visits as R writes it: a row number, then the patient's id, which recurs."""

from __future__ import annotations

import numpy as np
import pandas as pd


def visits(n_patients: int = 300) -> pd.DataFrame:
    """2 to 12 visits of every patient, who are of two kinds; relapse has nothing to do with it."""
    random = np.random.default_rng(14)
    times = random.integers(2, 13, n_patients)
    who = np.repeat(np.arange(n_patients), times)
    kind = random.integers(2, size=n_patients)

    def measured(middle: float, spread: float, moved: float = 0.0) -> np.ndarray:
        own = random.normal(middle + moved * spread * kind, spread)
        return (own[who] + random.normal(0, spread / 2, who.size)).round(2)

    return pd.DataFrame(
        {
            "rownames": np.arange(1, who.size + 1),
            "id": who + 1,
            "albumin": measured(3.4, 0.3, -4),
            "bilirubin": measured(9.0, 1.0, 5),
            "platelets": measured(250, 40, 4),
            "relapse": random.choice(["no", "yes"], n_patients, p=[0.7, 0.3])[who],
        }
    )
