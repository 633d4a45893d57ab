"""Whether every link inside the finished pages leads somewhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.places: set[str] = {""}
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.places |= {told[key] for key in ("id", "name") if told.get(key)}
        self.links += [told[key] for key in ("href", "src") if told.get(key)]


def lost(folder: Path) -> list[str]:
    """Links of the pages in a folder that lead nowhere, a line each; those elsewhere are passed."""
    pages = {}
    for path in folder.rglob("*.html"):
        pages[path] = _Page()
        pages[path].feed(path.read_text(encoding="utf-8"))
    found = []
    for path, page in pages.items():
        for link in page.links:
            said = urlsplit(link)
            if said.scheme or said.netloc or path.name == "404.html":
                continue
            to = (path.parent / unquote(said.path)).resolve() if said.path else path.resolve()
            to = to / "index.html" if to.is_dir() else to
            there = pages.get(to)
            if not to.exists() or (there and unquote(said.fragment) not in there.places):
                found.append(f"{path.relative_to(folder)}: {link}")
    return found
