"""Time of every step of Prepare, and of the suggestions, on 100,000 rows.

    python -m tests.benchmarks.prepare

The small table of ``tests.prepare.examples`` over and over, with 25,000 ids and densities that are
mostly distinct; each step with its worst example, with and without what it says of how it went.
"""

from __future__ import annotations

from time import process_time

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema
from mapdp_studio.core.profiling.suggestions import suggestions
from tests.prepare.examples import EXAMPLES, FRAME

N = 100_000


def large() -> pd.DataFrame:
    random = np.random.default_rng(0)
    frame = FRAME.iloc[np.arange(N) % len(FRAME)].reset_index(drop=True)
    frame["id"] = random.integers(0, N // 4, N)
    known = frame["weight"].notna()
    frame["weight"] = random.normal(70.0, 3.0, N).clip(50, 90).round(3)
    frame.loc[~known, "weight"] = np.nan
    frame["density"] = [f"{value:.2f} kg" for value in random.exponential(1000.0, N)]
    return frame


def seconds(act, *arguments) -> tuple[float, object]:
    begun = process_time()
    result = act(*arguments)
    return process_time() - begun, result


def main() -> None:
    frame = large()
    print(f"CPU seconds at {len(frame):,} x {frame.shape[1]}; target: 2 a step\n")
    worst: dict[str, tuple[float, float]] = {}
    for step in EXAMPLES:
        taken, changed = seconds(step.apply, frame)
        told, _ = seconds(step.found, frame, changed)
        worst[step.key] = max(worst.get(step.key, (0.0, 0.0)), (taken, told))
    for key, (taken, told) in sorted(worst.items(), key=lambda entry: -sum(entry[1])):
        print(f"{key:22} {taken:6.2f}  {told:6.2f}")
    taken, schema = seconds(infer_schema, frame)
    print(f"\n{'types guessed anew':22} {taken:6.2f}")
    taken, found = seconds(suggestions, frame, schema)
    print(f"{'suggestions':22} {taken:6.2f}")
    for suggestion in found:
        print(f"  {suggestion.why}")


if __name__ == "__main__":
    main()
