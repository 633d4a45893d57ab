"""Whether any text of a page overlaps another, is cut off or sticks out of it."""

from playwright.sync_api import Page

#: What is wrong with the texts of the page, as sentences.
FAULTS = """() => {
    const main = document.querySelector('[data-testid="stMainBlockContainer"]'), found = [];
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
