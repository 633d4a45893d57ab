"""Tables that people really have, and that break pages."""

from __future__ import annotations

import numpy as np
import pandas as pd

_RANDOM = np.random.default_rng(5)
_ROWS = 30
_GROUP = np.repeat([0, 1, 2], 10)
_HEIGHT = _RANDOM.normal(160.0, 3.0, _ROWS) + 14.0 * _GROUP
_VISITS = _RANDOM.poisson(1.0 + 4.0 * _GROUP)

ODD_TABLES = {
    "200 columns": pd.DataFrame(
        _RANDOM.normal(size=(_ROWS, 200)), columns=[f"c{j}" for j in range(200)]
    ),
    "two rows": pd.DataFrame({"height": _HEIGHT[[1, 29]], "visits": _VISITS[[1, 29]]}),
    "one column": pd.DataFrame({"height": np.where(_GROUP == 1, np.nan, _HEIGHT)}),
    "all categories": pd.DataFrame(
        {name: _RANDOM.choice(list("xyz"), _ROWS) for name in ("one", "two", "three")}
    ),
    "a column of nothing": pd.DataFrame({"height": _HEIGHT, "empty": np.nan}),
    "markup, emoji and formulas": pd.DataFrame(
        {
            "🌡️ 身長": _HEIGHT,
            "<b>n</b> ![x](http://a/b)": _VISITS,
            "=вес": _RANDOM.choice(["да", "нет"], _ROWS),
            "cluster": _RANDOM.poisson(3, _ROWS),
        }
    ),
    "10,000 identifiers": pd.DataFrame(
        {"id": [f"T{k}-{7 * k}" for k in range(10_000)], "x": _RANDOM.normal(size=10_000)}
    ),
    "dates": pd.DataFrame(
        {
            "when": pd.date_range("2020-01-01", periods=_ROWS),
            "seen": pd.date_range("2024-01-01", periods=_ROWS).astype(str),
            "height": _HEIGHT,
        }
    ),
}
