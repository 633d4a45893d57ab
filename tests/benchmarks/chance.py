"""How often groups are said where there are none, and how often those that are there are found.

    python -m tests.benchmarks.chance [--first 1000] [--tables 40] [--known chance.jsonl]

The tables of `tests.benchmarks.chance_tables`, each as Clusters comes to it: the model chosen by E,
and what chance makes of its groups. At most 5 of 40 tables of a design without groups, and 24 of
320, may be said to have more groups than chance makes; at least 18 of 20 with three groups have to
be, and all of the places. Those numbered from ``OTHERS`` on decide. Half an hour on one core.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import pandas as pd

from mapdp_studio.core import choose_model
from mapdp_studio.core.statistics.chance import Chance, chance
from mapdp_studio.core.statistics.nulls import Search
from tests.benchmarks.chance_tables import (
    OTHERS,
    WITHOUT,
    three_groups,
    three_places,
    without_groups,
)

#: Tables of every design without groups, and of those with.
LEVEL_TABLES, POWER_TABLES = 40, 20
POWER: dict[str, Callable[[int], pd.DataFrame]] = {
    "three groups 1.5 SD apart": three_groups,
    "places 30 SD apart": three_places,
}


def verdict(found: Chance) -> str:
    """In one word: "more", "chance", or "cloud"."""
    return "more" if found.is_more else "chance" if found.is_chance else "cloud"


def judged(frame: pd.DataFrame) -> dict[str, Any]:
    """K of the chosen model, what is said of its groups, and the seconds of processor for that."""
    model = choose_model(frame).model
    began = process_time()
    said = "one" if model.n_clusters_ == 1 else verdict(chance(Search.of(model)))
    return {"K": int(model.n_clusters_), "said": said, "seconds": process_time() - began}


def verdicts(design: str, numbers: range, known: Path | None = None) -> list[dict[str, Any]]:
    """Of the tables of a design with these numbers; those in the file are not made again."""
    table = POWER[design] if design in POWER else partial(without_groups, design)
    lines = known.read_text().splitlines() if known is not None and known.exists() else []
    have = {(line["design"], line["table"]): line for line in map(json.loads, lines)}
    for number in numbers:
        if (design, number) not in have:
            line = {"design": design, "table": number} | judged(table(number))
            have[design, number] = line
            if known is not None:
                with known.open("a") as file:
                    file.write(json.dumps(line) + "\n")
    return [have[design, number] for number in numbers]


def main() -> None:
    """Print a line for every design."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=OTHERS)
    parser.add_argument("--tables", type=int, default=LEVEL_TABLES)
    parser.add_argument("--known", type=Path)
    asked = parser.parse_args()
    wrong = 0
    for design in [*WITHOUT, *POWER]:
        n = min(asked.tables, POWER_TABLES) if design in POWER else asked.tables
        found = verdicts(design, range(asked.first, asked.first + n), asked.known)
        tally = Counter(line["said"] for line in found)
        wrong += tally["more"] if design in WITHOUT else 0
        seconds = sum(line["seconds"] for line in found) / n
        print(f"{design:26} {n} tables: {dict(tally)}; {seconds:.1f} CPU s a table", flush=True)
    print(f"without groups, said to have more than chance makes: {wrong}")


if __name__ == "__main__":
    main()
