"""What the page shows first: is it as near to the classes as the fit, with a K people can use?

    python -m tests.benchmarks.first_answer [--folder FOLDER] [table ...]

Tables with known classes, as in `tests.benchmarks.labelled`; with `--folder`, the CSV files of that
folder instead, each with its classes in a column CLASS. For each: the fit of the chosen model
and the groups shown first (`core.statistics.redraws`), with AMI and counted K; what shuffled
columns gain (`core.statistics.chance`), and whether the table is called chance; and the same of the
table with its own columns shuffled, which has no groups. The four numbers of the rule were chosen
on these tables and 26 others, so other tables decide. About 40 minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_mutual_info_score

from mapdp_studio.core import choose_model, infer_schema
from mapdp_studio.core.statistics.chance import chance
from mapdp_studio.core.statistics.gains import Search
from mapdp_studio.core.statistics.nulls import shuffled
from mapdp_studio.core.statistics.redraws import redraws
from tests.benchmarks.labelled import SIMULATED, counted, tables, tables_in

#: Seed of the shuffle that a table is called without groups for.
OTHER_SHUFFLE = 1_000


def measured(name: str, frame: pd.DataFrame, label: str) -> dict[str, object]:
    """One table."""
    truth = pd.factorize(frame[label].astype(str))[0]
    schema = infer_schema(frame, label=label)
    choice = choose_model(frame, schema)
    path = choice.model.merge_path_
    drawn = redraws(choice.model, path)
    first = path.labels_at(1 if drawn is None else drawn.first)
    search = Search.of(choice.model)
    found = chance(search)
    table = shuffled(search.encoded).draw(np.random.default_rng(OTHER_SHUFFLE))
    of_shuffled = chance(replace(search, encoded=table))
    return {
        "table": name,
        "classes": int(truth.max()) + 1,
        "K": counted(path.labels),
        "AMI": adjusted_mutual_info_score(truth, path.labels),
        "first K": counted(first),
        "first AMI": adjusted_mutual_info_score(truth, first),
        "overlap": np.nan if drawn is None else drawn.of(drawn.first),
        "gain": found.observed(),
        "by chance": found.share(found.gains.size) or 0.0,
        "is chance": found.is_chance,
        "shuffled is chance": of_shuffled.is_chance,
    }


def summary(found: pd.DataFrame) -> Iterator[str]:
    """Means over the real tables."""
    real = found[~found["table"].str.startswith(SIMULATED)]
    for sort in ("", "first "):
        ratio = real[f"{sort}K"] / real["classes"]
        near = ((ratio <= 1.5) & (ratio >= 1 / 1.5)).mean()
        yield (
            f"{sort or 'fit '}: mean AMI {real[f'{sort}AMI'].mean():.3f}, K within 1.5 on "
            f"{near:.0%}, median ratio {ratio.median():.2f}"
        )
    grouped = real[real["AMI"] > 0.3]
    yield f"called chance, of those with AMI above .3: {grouped['is chance'].mean():.0%}"
    yield f"called chance, of those shuffled: {found['shuffled is chance'].mean():.0%}"


def main() -> None:
    """Measure, and print every table as it is done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", nargs="*")
    parser.add_argument("--folder", type=Path, help="tables of one's own")
    asked = parser.parse_args()
    lines = []
    for name, frame, label in tables_in(asked.folder) if asked.folder else tables():
        if asked.table and name not in asked.table:
            continue
        lines.append(measured(name, frame, label))
        print(pd.DataFrame(lines[-1:]).round(3).to_string(index=False, header=len(lines) == 1))
        sys.stdout.flush()
    print("\n".join(summary(pd.DataFrame(lines))))


if __name__ == "__main__":
    main()
