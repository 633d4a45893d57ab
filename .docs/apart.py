"""What Markdown is not to touch: figures and formulas, put in their places in the finished page."""

from __future__ import annotations

import re

from latex2mathml.converter import convert
from mkdocs.plugins import BasePlugin

_KEPT: list[str] = []
_MARK = re.compile(r"(?:<p>\s*)?xxAPART(\d+)xx(?:\s*</p>)?")
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
#: Fences and code in a line, in which a dollar is a dollar.
_CODE = re.compile(r"(^```.*?^```|^ {4}.*?$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)


def apart(shown: str) -> str:
    """Keep some HTML; what stands for it in the text."""
    _KEPT.append(shown)
    return f"xxAPART{len(_KEPT) - 1}xx"


def _formula(found: re.Match) -> str:
    if found[1]:
        return apart(convert(found[1].strip(), display="block"))
    return f"{apart(convert(found[2]))}"


class Apart(BasePlugin):
    """Takes formulas out of the text, and puts all that was kept into the page."""

    def on_page_markdown(self, markdown: str, **told: object) -> str:
        """Formulas as MathML, which browsers set by themselves."""
        parts = _CODE.split(markdown)
        return "".join(p if i % 2 else _FORMULA.sub(_formula, p) for i, p in enumerate(parts))

    def on_page_content(self, html: str, **told: object) -> str:
        """Back into their places; a paragraph of its own only around what stands in a line."""

        def kept(found: re.Match) -> str:
            shown = _KEPT[int(found[1])]
            alone = found[0].startswith("<p>") and found[0].endswith("</p>")
            is_block = 'display="block"' in shown[:80] or shown.startswith("<div")
            if alone and is_block:
                return shown
            return found[0].replace(f"xxAPART{found[1]}xx", shown)

        return _MARK.sub(kept, html)
