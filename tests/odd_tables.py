"""Tables that people really have, and that break pages."""

import numpy as np
import pandas as pd

_RANDOM = np.random.default_rng(5)
_ROWS = 30
_GROUP = np.repeat([0, 1, 2], 10)
_HEIGHT = _RANDOM.normal(160.0, 3.0, _ROWS) + 14.0 * _GROUP
_VISITS = _RANDOM.poisson(1.0 + 4.0 * _GROUP)

ODD_TABLES = {
    "40 columns": pd.DataFrame(_RANDOM.normal(size=(_ROWS, 80))[:, :40]).add_prefix("c"),
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
    "amounts as written": pd.DataFrame(
        {
            "paid": [f"${1000 * n + x:,.2f}" for n, x in zip(_VISITS, _HEIGHT, strict=True)],
            "weight": [f"{x / 2:.1f} kg".replace(".", ",") for x in _HEIGHT],
            "share": [f"{x / 3:.1f} %" for x in _HEIGHT],
            "woken": [f"{6 + n // 4}:{7 * n % 60:02d}" for n in _VISITS],
            "Zufriedenheit": _RANDOM.choice(["niedrig", "mittel", "hoch"], _ROWS),
        }
    ),
    "zeros, limits and codes": pd.DataFrame(
        {
            "cost": np.where(_GROUP == 0, 0.0, np.exp(_GROUP + _RANDOM.normal(size=_ROWS))),
            "crp": [f"{x:.2f}" if x > 1 else "<1" for x in np.exp(_RANDOM.normal(1, 1, _ROWS))],
            "score": np.where(_RANDOM.random(_ROWS) < 0.15, 99, _RANDOM.integers(1, 6, _ROWS)),
            "class": _GROUP,
        }
    ),
    "many codes in one column": pd.DataFrame(
        {
            "satisfied": np.r_[[-1, -1, 99, 99], _RANDOM.integers(1, 6, 26)],
            "dose": ["<1", "<1", "999", "999", "0", "0", *(f"{x:.1f}" for x in _HEIGHT[6:] / 9)],
        }
    ),
    "no headers": pd.DataFrame(
        {
            "column 1": _HEIGHT.round(2),
            "column 2": _HEIGHT.round(2)[::-1] / 3,
            "column 3": _RANDOM.normal(size=_ROWS),
            "column 4": np.array(["a", "b", "c"])[_GROUP],
        }
    ),
}
