"""What if a column were left out, or another likelihood its own: both fits, honestly compared."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, how_many
from mapdp_studio.core.comparing.snapshots import side_by_side
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.profiling.what_if import find_groups, possible_changes, with_change
from mapdp_studio.core.schema.chosen import LEFT_OUT, change_in_words
from mapdp_studio.core.schema.schema import ColumnSpec, Schema

RANDOM = np.random.default_rng(5)
GROUP = np.repeat([0, 1], 60)
FRAME = pd.DataFrame(
    {
        "a": RANDOM.normal(size=120) + 5.0 * GROUP,
        "b": RANDOM.normal(size=120) + 5.0 * GROUP,
        # Three groups of its own, across the others'.
        "across": RANDOM.normal(size=120) + 30.0 * (np.arange(120) % 3),
        "skewed": np.exp(RANDOM.normal(size=120) * 1.5),
    }
)
SCHEMA = Schema([ColumnSpec(name, "normal") for name in FRAME])
IN_LOGS = SCHEMA.with_column("skewed", transform="log")
AS_NORMAL, WAITS = "as measurement (normal)", SCHEMA.with_column("skewed", family="exponential")


@pytest.mark.parametrize(
    ("schema", "name", "changes"),
    [
        (SCHEMA, "skewed", ["left out", "in logarithms", "as waiting time (exponential)"]),
        (SCHEMA, "a", ["left out"]),
        (IN_LOGS, "skewed", ["left out", "without logarithms"]),
        (WAITS, "skewed", ["left out", f"{AS_NORMAL} in logarithms", AS_NORMAL]),
        (Schema([ColumnSpec("a", "normal")]), "a", []),
    ],
)
def test_changes_are_those_that_the_table_allows(schema, name, changes):
    found = [change_in_words(change) for change in possible_changes(schema, FRAME, name)]
    assert found == changes


def test_without_the_column_that_cuts_across_the_groups_are_the_others():
    schema = with_change(IN_LOGS, "across", LEFT_OUT, "tried")
    before = find_groups(FRAME, IN_LOGS, Settings(), "MAPDP")
    after = find_groups(FRAME, schema, Settings(), "MAPDP")
    direct = MAPDP(concentration=3.0, random_state=0).fit(FRAME, schema)
    np.testing.assert_array_equal(after.groups.labels, direct.labels_)
    assert after.objective == pytest.approx(direct.objective_)
    assert before.groups.n_groups > after.groups.n_groups == 2
    assert side_by_side(before, after)[1:] == (None, ["without across"])


def test_the_groups_are_those_that_come_back_where_the_pages_put_them_together():
    fitted, shown = (
        find_groups(FRAME, IN_LOGS, Settings(), "MAPDP", puts_together=fewer)
        for fewer in (False, True)
    )
    model = MAPDP(concentration=3.0, random_state=0).fit(FRAME, IN_LOGS)
    number = how_many(model)
    assert shown.groups.n_groups == number.n_groups <= fitted.groups.n_groups
    np.testing.assert_array_equal(shown.groups.labels, number.labels)
