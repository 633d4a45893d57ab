"""A dataclass becomes JSON and comes back; what cannot be is said with its place."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any

import numpy as np
import pytest

from mapdp_studio.core.plain import from_plain, saved_as, to_plain


@dataclass(frozen=True)
class Inner:
    size: float
    names: Mapping[int, str] = field(default_factory=dict)
    known: Any = field(default="", metadata=saved_as(None))


@dataclass(frozen=True)
class Outer:
    when: datetime
    is_on: bool
    n_rows: int = field(metadata=saved_as("rows"))
    cell: str | int | float | bool
    inner: Inner | None = None
    pairs: Annotated[tuple[tuple[str, float] | tuple[str], ...], "as asked"] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


OUTER = Outer(
    datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    True,
    7,
    "a",
    Inner(2.5, {0: "first"}, "not saved"),
    (("a", 1.5), ("b",)),
    {"levels": (1, 2)},
)
PLAIN = json.loads(json.dumps(to_plain(OUTER)))


def test_it_comes_back_but_for_what_is_in_no_file():
    assert PLAIN["rows"] == 7
    assert "n_rows" not in PLAIN
    assert PLAIN["inner"] == {"size": 2.5, "names": {"0": "first"}}
    back = from_plain(Outer, PLAIN)
    assert (back.inner, back.inner.known) == (Inner(2.5, {0: "first"}), "")
    assert to_plain(back) == PLAIN
    assert back.pairs == OUTER.pairs
    assert back.more == OUTER.more
    short = from_plain(Outer, {name: PLAIN[name] for name in ("when", "is_on", "rows", "cell")})
    assert (short.inner, short.pairs, short.more) == (None, (), {})
    for cell in (2, 2.5, False, 10**25):
        assert from_plain(Outer, PLAIN | {"cell": cell}).cell is cell
    np.testing.assert_array_equal(from_plain(np.ndarray, to_plain(np.eye(2))), np.eye(2))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"when": "yesterday"}, "'when' cannot be 'yesterday'"),
        ({"is_on": 1}, "'is_on' cannot be 1"),
        ({"rows": 2.0}, r"'rows' cannot be 2\.0"),
        ({"rows": True}, "'rows' cannot be True"),
        ({"rows": 2**63}, "'rows' cannot be 9223372036854775808"),
        ({"n_rows": 7}, "it should not have 'n_rows'"),
        ({"cell": None}, "'cell' cannot be None"),
        ({"inner": 3}, "'inner' cannot be 3"),
        ({"inner": {"size": float("nan")}}, r"'inner\.size' cannot be nan"),
        ({"inner": {"size": 10**400}}, r"'inner\.size' cannot be 1000"),
        ({"inner": {"names": {}}}, "'inner' lacks 'size'"),
        ({"inner": {"size": 1, "known": 1}}, "'inner' should not have 'known'"),
        ({"inner": {"size": 1, "names": {"x": "a"}}}, r"'inner\.names' cannot be 'x'"),
        ({"inner": {"size": 1, "names": {"1": 2}}}, r"'inner\.names\.1' cannot be 2"),
        ({"pairs": "ab"}, "'pairs' cannot be 'ab'"),
        ({"pairs": [["a", 1.5, 2]]}, r"'pairs\.1' cannot be \['a', 1\.5, 2\]"),
        ({"more": []}, r"'more' cannot be \[\]"),
    ],
)
def test_what_cannot_be_is_said_with_its_place(changes, why):
    with pytest.raises(ValueError, match=f"^{why}") as caught:
        from_plain(Outer, PLAIN | changes)
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("values", [[[1.0], [1.0, 2.0]], [float("inf")], ["1"], "1"])
def test_an_array_holds_numbers(values):
    with pytest.raises(ValueError, match=r"'weights' cannot be|inhomogeneous"):
        from_plain(np.ndarray, values, "weights")
