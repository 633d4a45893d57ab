"""Every scenario in every view of the Teach page, looked at as a room sees it.

    mapdp-studio --server.port 8791 &
    python -m tests.benchmarks.screens http://127.0.0.1:8791 pictures [Watch Step ...]

At 1024 x 768, 1440 x 900 and 800 x 900, on a light and a dark page: how much of the picture is on
the first screen, and whether any text overlaps another, is cut off, sticks out of the page, or is
hard to read (a contrast below 4.5, of large letters and icons below 3). The pictures are saved:
look at them. About 12 minutes.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from mapdp_studio.demo_datasets import TAUGHT
from mapdp_studio.pages.parts.teach.controls import VIEWS
from tests.browser.conftest import FLAGS, Studio

SIZES = ((1024, 768), (1440, 900), (800, 900))
THEMES = ("light", "dark")
#: Views that show no scenario.
WITHOUT_DATA = ("Draw", "Restaurant")
#: What a view says when it has measured all that it shows.
MEASURED = {"Strips": " at the right."}
#: So much of the picture, or of the screen, has to be on the first screen.
LEAST = 0.5
#: Share of the first picture that is seen without scrolling; of one higher than the screen, share
#: of the screen.
SEEN = """() => {
    const pictures = '.js-plotly-plot, svg[role=application], table';
    const box = document.querySelector('[data-testid="stMainBlockContainer"]')
        .querySelector(pictures)?.getBoundingClientRect();
    if (!box) return 0;
    const seen = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    return Math.max(seen, 0) / Math.min(box.height, innerHeight);
}"""
#: What is wrong with the texts of the page, as sentences.
FAULTS = """() => {
    const main = document.querySelector('[data-testid="stMainBlockContainer"]'), found = [];
    const parse = (colour) => {
        const [r, g, b, a = 1] = colour.match(/[0-9.]+/g).map(Number);
        return colour.startsWith('color(srgb') ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
    };
    const over = (top, under) =>
        top.slice(0, 3).map((c, k) => c * top[3] + under[k] * (1 - top[3]));
    const luminance = (colour) => colour.slice(0, 3).map((c) => c / 255)
        .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
    const behind = (node) => {
        const layers = [];
        for (let at = node; at; at = at.parentElement) {
            const colour = parse(getComputedStyle(at).backgroundColor);
            if (colour[3] > 0) layers.push(colour);
            if (colour[3] === 1) break;
        }
        return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
    };
    const contrast = (node) => {
        const style = getComputedStyle(node), under = behind(node);
        const ink = parse(node.closest('svg') ? style.fill : style.color);
        let opacity = 1;
        for (let at = node; at; at = at.parentElement) opacity *= getComputedStyle(at).opacity;
        const seen = over([...ink.slice(0, 3), ink[3] * opacity], under);
        const [low, high] = [luminance(seen), luminance(under)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const clip = (node, box) => {
        for (let at = node; at && at !== main; at = at.parentElement) {
            const frame = at.getBoundingClientRect(), style = getComputedStyle(at);
            if (frame.width < 3 || frame.height < 3) return 'hidden';
            const isPlot = at.matches('.js-plotly-plot');
            if (!isPlot && !['hidden', 'clip'].includes(style.overflowX)) continue;
            if (box.right > frame.right + 2 || box.left < frame.left - 2) return 'cut off';
            if (box.bottom > frame.bottom + 3 || box.top < frame.top - 3) return 'cut off';
        }
        return '';
    };
    const texts = [], walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
        if (!text || node.closest('style, script, output:empty') || !node.checkVisibility({
            opacityProperty: true, visibilityProperty: true })) continue;
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        const block = node.closest('text, p, h1, h2, h3, li, label, button, td, th') ?? node;
        const boxes = node.closest('svg') ? [node.closest('text').getBoundingClientRect()]
            : [...range.getClientRects()];
        if (!boxes.length || boxes[0].width < 1 || boxes[0].height < 1) continue;
        const said = text.slice(0, 40), state = clip(node, boxes[0]);
        if (state === 'hidden') continue;
        if (state) found.push(`“${said}” is ${state}`);
        if (boxes[0].right > innerWidth + 1 || boxes[0].left < -1) {
            found.push(`“${said}” sticks out of the page`);
        }
        // The number of a slider stands above the thumb that it is a part of.
        const isOff = node.closest('[disabled], [aria-disabled=true], .textpoint, '
            + '[data-testid=stSliderThumbValue]');
        const size = parseFloat(getComputedStyle(node).fontSize), ratio = contrast(node);
        const isIcon = node.matches('[data-testid=stIconMaterial]');
        if (!isOff && ratio < (size >= 24 || isIcon ? 3 : 4.5)) {
            found.push(`“${said}” has a contrast of ${ratio.toFixed(1)}`);
        }
        if (!node.closest('.textpoint')) boxes.forEach((box) => texts.push([said, block, box]));
    }
    for (const plot of main.querySelectorAll('.js-plotly-plot, svg[role=application]')) {
        texts.push(['the picture', plot, plot.getBoundingClientRect()]);
    }
    texts.forEach(([one, a, p], k) => texts.slice(0, k).forEach(([two, b, q]) => {
        if (a === b || a.contains(b) || b.contains(a)) return;
        const apart = p.right <= q.left + 1 || q.right <= p.left + 1
            || p.bottom <= q.top + 2 || q.bottom <= p.top + 2;
        if (!apart) found.push(`“${one}” lies on “${two}”`);
    }));
    const beyond = document.documentElement.scrollWidth - innerWidth;
    if (beyond > 0) found.push(`the page is ${beyond} pixels too wide`);
    return [...new Set(found)];
}"""


def faults(page: Page, patience: float = 5.0) -> list[str]:
    """What is wrong with the texts of a page, and stays so for some seconds.

    A page is drawn anew for another width, on a busy machine after it has come to rest.
    """
    for _ in range(round(4 * patience)):
        if not (found := page.evaluate(FAULTS)):
            break
        page.wait_for_timeout(250)
    return found


def screens(views: list[str]) -> Iterator[tuple[str, str]]:
    """Every view, and the data set in it; none where the view shows no data set."""
    for view in views:
        yield from product([view], [""] if view in WITHOUT_DATA else TAUGHT)


def look(browser: Browser, address: str, theme: str, view: str, key: str, folder: Path) -> int:
    """Open one screen, save it at every size and print what was found; how many faults."""
    context = browser.new_context(color_scheme=theme)
    studio, n_faults = Studio(context.new_page(), address), 0
    studio.page.set_viewport_size({"width": 1440, "height": 900})
    studio.page.set_default_timeout(300_000)
    # Strips of a few rows look alike and are measured sooner.
    rows = "&rows=300" if view == "Strips" else ""
    studio.open(f"teach?view={view}&scenario={key or '5.1'}{rows}")
    studio.page.wait_for_selector(".js-plotly-plot .main-svg, table")
    if view in MEASURED:
        studio.sees(MEASURED[view], seconds=300)
        studio.page.wait_for_function("() => !document.querySelector('[role=progressbar]')")
    studio.settle()
    for width, height in SIZES:
        studio.resize(width, height)
        studio.page.wait_for_timeout(600)  # it may be drawn anew for another width
        studio.settle()
        share, found = studio.page.evaluate(SEEN), faults(studio.page)
        if share < LEAST:
            found.insert(0, "the picture is not on the first screen")
        name = "-".join(filter(None, (view.replace(" ", ""), key, str(width), theme)))
        studio.page.screenshot(path=folder / f"{name}.png")
        print(f"{view:14}{key:6}{width:6} {theme:6}{100 * share:5.0f} %  {'; '.join(found)}")
        n_faults += len(found)
    n_faults += len(studio.errors)
    print(*studio.errors, sep="\n", end="\n" if studio.errors else "", flush=True)
    context.close()
    return n_faults


def main(address: str, folder: Path, views: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{'view':14}{'data':6}{'width':>6} {'page':6}{'seen':>5}    faults")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        chosen = product(THEMES, screens(views or list(VIEWS)))
        n_faults = sum(look(browser, address, theme, *one, folder) for theme, one in chosen)
        browser.close()
    print(f"{n_faults} faults")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
