"""The page's full protocol on clouds, gradients and real classes: how often the light is green.

    python -m tests.benchmarks.light                              # B = 99
    python -m tests.benchmarks.light --draws 19                   # a quick look
    python -m tests.benchmarks.light --only cloud --known light.jsonl

What is known stays in the file that ``--known`` names, a line a table, and is not made again.
The reference of up to B tables of each kind is not drawn where the rank-1 share alone rules green
out. Other patients, other starts and the means can only take green away from what these leave
green: they are asked, in full, where these do, and wherever there are real classes.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from mapdp_studio.core import MAPDP, Schema
from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.clinical.t_tests import TTests, leave_out, read_columns
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.profiling.how_many import how_many
from mapdp_studio.core.statistics.chance import FULL, ONE_LINE, chance
from mapdp_studio.core.statistics.nulls import Search
from mapdp_studio.core.statistics.resampling import Protocol, assess
from tests.benchmarks.light_tables import SCENARIOS, Scenario


def verdict(
    frame: pd.DataFrame, schema: Schema, n_draws: int, has_classes: bool
) -> tuple[str, float, bool, str]:
    """Colour, rank-1 share, whether all references were exceeded, and that which was so least.

    Steps along one line are never green, so that no reference is drawn for them.
    """
    first = MAPDP(3.0, random_state=0).fit(frame, schema)
    groups = Subgroups.of(first, how_many(first).n_groups)
    if not groups.found_any:
        return "grey", np.nan, False, ""
    checks = Checks(groups)
    share = np.nan if checks.rank_one is None else checks.rank_one
    if share >= ONE_LINE and not has_classes:
        return "not green", share, False, "along one line"
    reference = chance(Search.of(first), n_tables=n_draws)
    checks = replace(checks, reference=reference)
    exceeded = reference.is_more
    least = max(reference.draws, key=reference.p, default="")
    if not (has_classes or exceeded):
        return "not green", share, exceeded, least
    tests = left_out_tests(frame, schema, groups)
    light = replace(checks, stability=assess(first, Protocol.full()), tests=tests).light
    return light.colour, share, exceeded, least


def left_out_tests(frame: pd.DataFrame, schema: Schema, groups: Subgroups) -> TTests:
    """The t-tests with every column left out, by which the light judges means."""
    columns, made = read_columns(frame, schema), schema.names("cluster")
    return leave_out(TTests(columns, made, groups.labels, groups.titles), groups)


def verdicts(one: Scenario, n_draws: int, known: Path | None) -> list[dict[str, Any]]:
    """Those of every table, read from the file where they are known."""
    lines = known.read_text().splitlines() if known is not None and known.exists() else []
    have = {
        line["table"]: line
        for line in map(json.loads, lines)
        if (line["scenario"], line["draws"]) == (one.title, n_draws)
    }
    for seed in range(one.n_tables):
        if seed in have:
            continue
        colour, share, exceeded, least = verdict(*one.table(seed), n_draws, one.has_classes)
        have[seed] = {
            "scenario": one.title,
            "draws": n_draws,
            "table": seed,
            "colour": colour,
            "share": share,
            "exceeded": exceeded,
            "least": least,
        }
        if known is not None:
            with known.open("a") as file:
                file.write(json.dumps(have[seed]) + "\n")
    return [have[seed] for seed in range(one.n_tables)]


def measure(one: Scenario, n_draws: int, known: Path | None) -> None:
    """Print the line of a scenario."""
    began = perf_counter()
    found = pd.DataFrame(verdicts(one, n_draws, known))
    shares = found["share"].dropna()
    median = "none" if shares.empty else f"{shares.median():.2f}"
    tally = ", ".join(f"{n} {colour}" for colour, n in Counter(found["colour"]).most_common())
    print(
        f"{one.title:36} {one.n_tables:2} tables: {tally}; more than all references "
        f"{found['exceeded'].sum()}; rank-1 share {median}   ({perf_counter() - began:.0f} s)",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=FULL)
    parser.add_argument("--only", default="", help="part of the titles of the scenarios")
    parser.add_argument("--known", type=Path)
    asked = parser.parse_args()
    for one in SCENARIOS:
        if asked.only in one.title:
            measure(one, asked.draws, asked.known)
