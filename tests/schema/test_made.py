"""Columns that steps made: no place, no id, and no copies."""

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema
from mapdp_studio.core.prepare.columns import Combine, Logarithm
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.prepare.rows import OneRowPer
from mapdp_studio.core.prepare.tables import RenameColumns
from mapdp_studio.core.session.project import Project
from mapdp_studio.core.session.table import Table

RANDOM = np.random.default_rng(0)
GROUP = RANDOM.integers(2, size=240)
FRAME = pd.DataFrame(
    {
        "host_id": np.arange(240) // np.resize([1, 2, 3, 6], 240) + 1000,
        **{f"spent{j}": RANDOM.gamma(3 + 2 * GROUP, 20.0).round(2) for j in range(3)},
        "price": RANDOM.gamma(3 + 2 * GROUP, 40.0).round(2),
        "region": RANDOM.choice(["north", "south", "west"], 240),
        "response": GROUP,
    }
)


def project() -> Project:
    return Project(Table(FRAME, "hosts.csv", "digest"), infer_schema(FRAME))


def asked(project: Project, *subjects: str) -> list[tuple[str, ...]]:
    return [q.columns for q in project.schema.questions if q.about in subjects]


def test_what_is_made_is_wanted_by_its_name_now_and_is_no_last_column():
    table = project()
    before = asked(table, "label", "outcome")
    renamed = RenameColumns((("spend", "all"), ("spent0", "first")))
    step = Combine(("spent0", "spent1"), "sum", "spend")
    table.prepare(Recipe().with_step(step).with_step(renamed))
    assert asked(table, "label", "outcome") == before
    assert {table.schema[name].role for name in ("all", "first", "spent1")} == {"cluster"}


def test_a_summary_follows_its_column_and_a_count_is_no_id():
    table = project()
    table.change({"price": {"role": "validator"}})
    means = [(name, "mean") for name in ("spent0", "spent1", "spent2")]
    step = OneRowPer("host_id", summaries=(*means, ("price", "max")), rows="n of host_id")
    table.prepare(Recipe().with_step(step).with_step(Logarithm(("price, maximum",))))
    assert table.schema["n of host_id"].role == "cluster"
    assert table.schema["price, maximum, log"].role == "validator"
    assert asked(table, "outcome") == []
