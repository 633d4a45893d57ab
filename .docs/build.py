"""Build the documentation: pages that open from disk, every example run, every link followed.

    pip install -e ".[docs]" && python .docs/build.py

What is written by hand lies in ``pages``; likelihoods, the map of the papers, the gallery, the
glossary and the reference are made of what stands in the code.
"""

from __future__ import annotations

import logging
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE)]

from apart import Apart  # noqa: E402
from executed import executed  # noqa: E402
from generated import changes, gallery, glossary, likelihoods, paper_map  # noqa: E402
from links import lost  # noqa: E402
from mkdocs.commands.build import build  # noqa: E402
from mkdocs.config import load_config  # noqa: E402
from plotly.offline import get_plotlyjs  # noqa: E402
from reference import reference  # noqa: E402

from mapdp_studio.core.command import cluster, fit  # noqa: E402

MADE = {
    "changes": changes,
    "gallery": gallery,
    "glossary": glossary,
    "likelihoods": likelihoods,
    "papers": paper_map,
    "reference": reference,
}


def pages() -> dict[str, str]:
    """Every page by its name, its examples not yet run."""
    written = {path.stem: path.read_text(encoding="utf-8") for path in HERE.glob("pages/*.md")}
    for mark, command in (("COMMAND_CLUSTER", cluster), ("COMMAND_FIT", fit)):
        told = f"```text\n{command.parser().format_help()}```"
        written["command"] = written["command"].replace(mark, told)
    return written | {name: make() for name, make in MADE.items()}


def main() -> None:
    """Write the site into the folder that is named, ``site`` by default."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")  # what ends a strict build
    site = Path(sys.argv[1] if len(sys.argv) > 1 else "site").resolve()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made"
        made.mkdir()
        for name, text in pages().items():
            shown = executed(text, name, Path(folder) / "run" / name)
            (made / f"{name}.md").write_text(shown, encoding="utf-8")
        for path in (*HERE.glob("*.png"), HERE / "style.css", ROOT / ".streamlit" / "icon.svg"):
            shutil.copy(path, made)
        (made / "plotly.min.js").write_text(get_plotlyjs(), encoding="utf-8")
        config = load_config(
            str(HERE / "mkdocs.yml"), docs_dir=str(made), site_dir=str(site), strict=True
        )
        config.plugins["apart"] = Apart()
        build(config)
    if found := lost(site):
        raise SystemExit("Links that lead nowhere:\n" + "\n".join(found))
    print(
        f"{len(list(site.rglob('*.html'))):,} pages, every example run, every link followed: open"
    )
    print(site / "index.html")


if __name__ == "__main__":
    main()
