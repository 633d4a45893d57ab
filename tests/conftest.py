"""What tests of several rooms share."""

from __future__ import annotations

import pytest

from core.comparing.comparison import Results
from pages.parts.teach.settings import Classroom
from tests.classroom import fitted, room


@pytest.fixture(scope="session")
def ellipses() -> tuple[Classroom, Results]:
    here = room("5.4", 600)
    return here, fitted(here)
