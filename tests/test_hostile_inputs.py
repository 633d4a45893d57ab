"""A part of the fuzz benchmark: broken, hostile and odd inputs end in a result or a sentence."""

from __future__ import annotations

import pytest

from tests.benchmarks.fuzz import try_all
from tests.benchmarks.fuzz_kinds import KINDS
from tests.benchmarks.pipelines import RIGHT
from tests.benchmarks.pipelines import attempt as through_all


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_given_a_sentence_or_a_result_comes_back(kind):
    outcome = try_all(kind, range(150))
    assert outcome.wrong == {}
    assert outcome.results > 10
    assert outcome.sentences > 10


@pytest.mark.parametrize("number", [58, 1327, 16, 1])
def test_a_whole_pipeline_ends_in_groups_or_a_sentence(number):
    """The first two once ended otherwise: a new row too large, a site that is pandas' own NA."""
    assert through_all(number)["said"] in RIGHT
