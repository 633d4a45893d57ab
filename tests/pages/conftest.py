"""What tests of the pages share."""

from __future__ import annotations

import time
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

from pages.parts.shared.engine import engine

# At every run of a page under test Streamlit looks through all installed packages for components,
# which takes longer than most pages: once will do.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


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
