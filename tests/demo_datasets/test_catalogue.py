"""Every example by its name."""

from __future__ import annotations

import pytest

from mapdp_studio.demo_datasets import (
    DEMOS,
    load_demo,
)


@pytest.mark.parametrize("key", DEMOS)
def test_every_demo_loads(key):
    frame, schema, label = load_demo(key)
    assert schema.label_column == label
    assert len(schema.encode(frame).values) == len(frame)
    if label is not None:
        assert all(isinstance(name, str) for name in frame[label].unique())
        assert 2 <= frame[label].nunique() <= 5


def test_unknown_demo_gets_a_sentence():
    with pytest.raises(ValueError, match="no demo 'irises'"):
        load_demo("irises")
