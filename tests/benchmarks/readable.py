"""Groups that a person can read: the sentences of the cards, and the proposed cut, table by table.

    python -m tests.benchmarks.readable

On tables with known classes, raw ones and exports: how many groups are fitted and proposed, how
well both agree with the classes (NMI), what a reader would get right who goes by the short rules
(share of rows given their own group, cross-validated, beside the largest group's share), and every
sentence of a card that breaks a rule: two equal figures, a "no" that is rare, the mean of codes, a
figure that is not the one in the summary's CSV.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mapdp_studio.core import MAPDP, Schema, infer_schema, read_table, tolerance_path
from mapdp_studio.core.exports.tables import as_csv, summary_table
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.profiling.cards import USUAL, Card, Trait, profile_cards
from mapdp_studio.core.profiling.profiles import natural_column, natural_columns
from mapdp_studio.core.profiling.rules import rules_of_table
from mapdp_studio.core.profiling.survivors import Survivors
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.schema.words import denies

SHARED = Path(__file__).parents[3] / "shared"
RAW = (
    *("abalone", "adult", "animals", "auto_imports", "ecoli", "german"),
    *("haberman", "winequality-red"),
)
#: Classes that the proposed cut must keep half of the finest partition's agreement with.
KEPT = ("wine", "iris", "breast-cancer-wisconsin-original")
MOST_ROWS, MOST_GROUPS = 4_000, 8
NO_TABLES = ("peers",)


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """The tables that are here, each with its name."""
    for folder in sorted((SHARED / "data").glob("*")):
        path = folder / f"{folder.name}.csv"
        if path.exists():
            yield folder.name, read_table(path)
    paths = [SHARED / "raw-tables" / f"{name}.csv" for name in RAW]
    for folder in ("exports", "labelled"):
        paths += sorted(p for p in (SHARED / folder).glob("*") if p.suffix in (".csv", ".sav"))
    for path in paths:
        if path.exists() and path.stem not in NO_TABLES:
            frame = read_table(path)
            yield path.stem, frame.iloc[:: -(-len(frame) // MOST_ROWS)].reset_index(drop=True)


def classes(name: str, frame: pd.DataFrame, schema: Schema) -> np.ndarray | None:
    """Known classes, from the notes beside a table; -1 where a cell is missing."""
    notes = SHARED / "data" / name / "schema.json"
    label = json.loads(notes.read_text()).get("class_column") if notes.exists() else None
    label = label if label in frame else schema.label_column
    return None if label is None else pd.factorize(frame[label])[0]


def broken_rules(encoded: Encoded, trait: Trait) -> list[str]:
    """What is wrong with one line of a card."""
    column, _, level = trait.what.partition(" = ")
    found = []
    if trait.here == trait.overall:
        found.append("equal figures")
    if trait.word == "less often" and denies(level):
        found.append("double negative")
    names = {name for unit in encoded.units for name in unit.columns}
    if trait.word in ("high", "low"):
        name = column if column in names else column.removeprefix("mean ").removeprefix("median ")
        known = natural_column(encoded, name)
        if known.is_worded or not known.has_amounts:
            found.append("mean of codes")
    return found


def saved_summary(encoded: Encoded, labels: np.ndarray, titles: tuple[str, ...]) -> pd.DataFrame:
    """The summary's CSV as a reader has it: texts, "" for an empty cell."""
    content = as_csv(summary_table(encoded, labels, titles))
    return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)


def not_saved(encoded: Encoded, saved: pd.DataFrame, title: str, card: Card) -> list[Trait]:
    """Lines of a card with a figure that is not the saved one, rounded as it is shown."""
    rows = {name: saved[saved["cluster"] == name] for name in (title, "all rows")}
    here = rows[title]
    if {*here["rows"]} != {str(card.size)}:
        return list(card.traits)
    return [
        trait
        for trait in card.traits
        if not (
            _is_saved(encoded, here, trait, trait.here, trait.n_observed)
            and _is_saved(encoded, rows["all rows"], trait, trait.overall, None)
        )
    ]


def _is_saved(encoded: Encoded, rows: pd.DataFrame, trait: Trait, said: str, n: int | None) -> bool:
    for column in natural_columns(encoded):
        statistic = USUAL[column.kind != "measurement"]
        own = rows[rows["column"].str.removeprefix("'") == column.name]
        levels = own.set_index(own["level"].str.removeprefix("'"))
        if n is not None and not own.empty and str(n) not in {*own["n_observed"]}:
            continue
        if trait.what == column.name and column.outcomes is None:
            return _is_rounded(said, levels.loc["", statistic])
        if trait.what in {f"{name} {column.name}" for name in USUAL}:
            return _is_rounded(said, levels.loc["", trait.what.partition(" ")[0]])
        if column.outcomes is not None and (
            trait.what == column.name or trait.what.startswith(f"{column.name} = ")
        ):
            return _parts_are_saved(said, levels)
        if trait.what.startswith(f"{column.name} = "):
            level = trait.what.removeprefix(f"{column.name} = ")
            return level in levels.index and _is_rounded(said, levels.loc[level, "share"])
    return False


def _parts_are_saved(said: str, levels: pd.DataFrame) -> bool:
    """Of "below 0.5 in 47 %, else median 3.1": every share and the median."""
    whole, is_told, median = said.rpartition("median ")
    shares = [
        (level, re.search(rf"(?:^|, ){re.escape(level)} in ([^,]* %)", whole))
        for level in levels.index
        if level
    ]
    return all(
        found is None or _is_rounded(found[1], levels.loc[level, "share"])
        for level, found in shares
    ) and (not is_told or _is_rounded(median, levels.loc["", "median"]))


def _is_rounded(said: str, saved: str) -> bool:
    """Whether a figure on screen is the saved number with as many digits as it shows."""
    text = said.removesuffix(" %").replace(",", "")
    digits, _, power = text.partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    number = float(saved) * (100 if said.endswith(" %") else 1)
    return abs(float(text) - number) <= 0.5 * unit * (1 + 1e-9) + 1e-12 * abs(number)


def main() -> None:
    print(
        f"{'':36}{'rows':>7}{'K':>5}{'cut':>5}{'NMI':>7}{'of cut':>8}"
        f"{'rules':>7}{'largest':>9}  lines  broken"
    )
    for name, frame in tables():
        schema = infer_schema(frame)
        known = classes(name, frame, schema)
        model = MAPDP(concentration=3.0, random_state=0).fit(frame, schema)
        encoded = model.columns_.encoded
        cards = profile_cards(encoded, model.labels_)
        titles = tuple(f"Cluster {k + 1}" for k in range(len(cards)))
        lines = [t for card in cards for t in card.traits]
        broken = [(t, rule) for t in lines for rule in broken_rules(encoded, t)]
        saved = saved_summary(encoded, model.labels_, titles)
        broken += [
            (t, "not the CSV's")
            for title, card in zip(titles, cards, strict=True)
            for t in not_saved(encoded, saved, title, card)
        ]
        survivors = Survivors.of(tolerance_path(model), model.labels_)
        cut = Naming(survivors.merged).apply(model.labels_)
        has_cut = survivors.n_surviving is not None
        scores = ["", ""]
        if known is not None and (known >= 0).any():
            rows = known >= 0
            partitions = [model.labels_, cut.labels if has_cut else None]
            scores = ["" if p is None else f"{nmi(known[rows], p[rows]):.2f}" for p in partitions]
        remarks = [f"{rule}: {t.word} {t.what} {t.here}, all {t.overall}" for t, rule in broken[:3]]
        if has_cut and survivors.n_surviving > MOST_GROUPS:
            remarks.append("too many groups proposed")
        if name in KEPT and has_cut and float(scores[1]) < float(scores[0]) / 2:
            remarks.append("the cut loses the classes")
        shown = survivors.n_surviving if has_cut else "-"
        rules = rules_of_table(frame, encoded, model.labels_)
        told = () if rules is None else (rules.found.agreement, rules.found.largest)
        read, largest = [f"{share:.2f}" for share in told] or ["", ""]
        print(
            f"{name:36}{len(frame):7,}{model.n_clusters_:5}{shown:>5}{scores[0]:>7}{scores[1]:>8}"
            f"{read:>7}{largest:>9}{len(lines):7}{len(broken):8}  {'; '.join(remarks)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
