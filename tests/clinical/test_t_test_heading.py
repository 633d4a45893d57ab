"""Where the light is not green, the t-tests say so first, on the page, in CSV and report."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.clinical.verdict import heading, in_short, traffic_light
from tests.clinical.test_traffic_light import known, reference_of


@pytest.mark.parametrize(
    ("stability", "p", "words", "short"),
    [
        (known(), 0.01, "", "light green"),
        (known(), 0.5, "is amber", "light amber"),
        (known(jaccard=0.5), 0.5, "is red", "light red"),
        (None, None, "not known yet", "not known yet"),
    ],
)
def test_a_light_that_is_not_green_heads_the_tests(stability, p, words, short):
    reference = None if p is None else reference_of(p)
    light = traffic_light(np.repeat([0, 1], [50, 40]), stability, reference)
    assert words in heading(light)
    assert ("66 of 71" in heading(light)) == bool(words)
    assert short in in_short(light)
    assert light.advice
