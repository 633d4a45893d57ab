"""What tests of the pages share."""

from __future__ import annotations

import time

import pytest

from pages.parts.shared.engine import engine


def in_store(results, name):
    """What the store keeps under a name that has one value."""
    (value,) = results._kept[name].values()
    return value


def until(at, is_there) -> None:
    """Run a page again until something stands there."""
    for _ in range(100):
        if is_there(at):
            return
        time.sleep(0.1)
        at.run()
        assert not at.exception
    raise AssertionError("It did not come.")


@pytest.fixture(scope="session")
def ready() -> None:
    """The engine, compiled."""
    for _ in range(1800):
        if engine().ready:
            return
        time.sleep(0.1)
    raise AssertionError("The engine was not ready within 180 s.")
