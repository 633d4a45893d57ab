"""Broken, hostile and odd inputs end in a result or a sentence."""

from collections import Counter
from resource import RUSAGE_SELF, getrusage

import pytest

from tests.hostile_inputs import KINDS, attempt, outcome
from tests.hostile_pipelines import run_pipeline

RIGHT = ("result", "sentence")


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_given_a_sentence_or_a_result_comes_back(kind):
    before = getrusage(RUSAGE_SELF).ru_maxrss
    said = {number: attempt(kind, number) for number in range(150)}
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 2**20  # a gigabyte
    assert {number: one for number, one in said.items() if one not in RIGHT} == {}
    assert min(Counter(said.values())[right] for right in RIGHT) > 10


@pytest.mark.parametrize(
    "which",
    [
        (58, "sizes", "CollapsedGibbs"),  # once a new row too large
        (1327, "mixed", "AffinityPropagation"),  # once a site that is pandas' own NA
        (16, "tiny", "DPMeans"),
        (1, "mixed", "MAPDP"),
    ],
)
def test_a_whole_pipeline_ends_in_groups_or_a_sentence(which):
    assert outcome(30.0, lambda: run_pipeline(*which)) in RIGHT
