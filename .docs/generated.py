"""Pages whose words stand elsewhere: in registry, docstrings, catalogue and glossary."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mapdp_studio.core import FAMILIES, MAPDP, KMeansBIC
from mapdp_studio.core.plots.template import colour_of
from mapdp_studio.core.schema.rules import COLUMN_RULES
from mapdp_studio.core.teaching.glossary import words
from mapdp_studio.demo_datasets import DEMOS, SCENARIOS, load_scenario

ROOT = Path(__file__).parents[1]
#: A place in a paper, as docstrings name it.
PLACE = re.compile(
    r"\b(R16|R14|KJ12|M12),? (\(\d+\)|(?:Algorithm|Appendix|[Ss]ection|Figure|Table|equation) "
    r"[A-Z0-9][\w.]*)"
)
SIDE = 220


def likelihoods() -> str:
    """Which likelihood for which column, from the registry, and the rules that guess one."""
    lines = ["# Which likelihood?", "", "`infer_schema` proposes one and says why; change it by"]
    lines += ["`schema.with_column(name, family=...)`.", "", "| Cells | Family | When | Options |"]
    lines += ["| --- | --- | --- | --- |"]
    for name, family in FAMILIES.items():
        options = ", ".join(family.options) or "none"
        joint = "several columns: " if family.is_block else ""
        lines.append(f"| {joint}{family.kind} | `{name}` | {family.help} | {options} |")
    lines += [
        "",
        "## How a column is guessed",
        "",
        "The first rule that applies to its cells wins:",
    ]
    lines += ["zeros, codes and limits that stand apart from numbers are looked past.", ""]
    lines += ["| Rule | What is said of such a column |", "| --- | --- |"]
    for rule in COLUMN_RULES:
        lines.append(f"| {rule.key} | {re.sub('{[^}]*}', '…', rule.reason)} |")
    return "\n".join(lines)


def places() -> Iterator[tuple[str, str, str, str]]:
    """Paper, place in it, module and name, wherever a docstring of the library says one.

    Or of the experiments that lie beside it.
    """
    tops = ROOT / "core", ROOT / "tests" / "reproductions"
    for path in sorted(path for top in tops for path in top.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not PLACE.search(text):  # most files name none, and reading code takes long
            continue
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                name = getattr(node, "name", "")
                for paper, place in PLACE.findall(ast.get_docstring(node) or ""):
                    yield paper, place.rstrip(".").replace("Section", "section"), module, name


def paper_map() -> str:
    """Where each place of a paper is in the code."""
    lines = [
        "# From the papers to the code",
        "",
        "What the letters mean: [sources](method.md#sources).",
    ]
    everywhere = list(places())
    for paper in ("R16", "KJ12", "R14", "M12"):
        found: dict[str, dict[str, None]] = {}
        for said, place, module, name in everywhere:
            if said == paper:
                found.setdefault(place, {})[f"`{module}{'.' + name if name else ''}`"] = None
        if found:
            lines += ["", f"## {paper}", "", "| In the paper | In the code |", "| --- | --- |"]
            in_order = sorted(found, key=lambda place: (place.split()[0], _natural(place)))
            lines += [f"| {place} | {', '.join(found[place])} |" for place in in_order]
    return "\n".join(lines)


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part or 0), word) for part, word in re.findall(r"(\d+)|(\D+)", text)]


def gallery(n: int = 400) -> str:
    """Every example, and of the scenarios what K-means told K and MAP-DP not told make of it."""
    lines = ["# Gallery", ""]
    for key, demo in DEMOS.items():
        lines += [f"## {demo.title}", "", html.escape(demo.text), ""]
        loader = f"load_scenario({key!r}, n={n})" if key in SCENARIOS else f"load_demo({key!r})"
        name = loader.partition("(")[0]
        lines += ["```python", f"from mapdp_studio.demo_datasets import {name}", loader, "```", ""]
        if key in SCENARIOS:
            frame, truth = load_scenario(key, n=n, seed=0)
            k = int(np.unique(truth).size)
            found = {
                "the truth": truth,
                f"K-means, told {k}": KMeansBIC(k, k, random_state=0).fit(frame).labels_,
                "MAP-DP": MAPDP(random_state=0).fit(frame).labels_,
            }
            points = frame.to_numpy(dtype=float)
            lines += ["<p>" + "".join(_panel(points, *one) for one in found.items()) + "</p>", ""]
    return "\n".join(lines)


def _panel(points: np.ndarray, title: str, labels: np.ndarray) -> str:
    """A scatter of two columns, as SVG."""
    low, high = points.min(axis=0), points.max(axis=0)
    at = 10 + (SIDE - 20) * (points - low) / (high - low)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{SIDE - y:.1f}" r="2" fill="{colour_of(int(k))}"/>'
        for (x, y), k in zip(at, labels, strict=True)
    )
    said = html.escape(f"{title}: {np.unique(labels).size} groups")
    return (
        f'<svg width="{SIDE}" height="{SIDE + 20}" role="img" aria-label="{said}">{dots}'
        f'<text x="10" y="{SIDE + 14}" font-size="13">{said}</text></svg>'
    )


def glossary() -> str:
    """The words of the pages, each explained."""
    lines = ["# Glossary", ""]
    for word, meaning in words().items():
        lines += [f"**{word}**", f": {meaning}", ""]
    return "\n".join(lines)


def changes() -> str:
    """What changed, release by release."""
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
