"""A monkey at the app: it clicks, types, uploads, goes back and reloads at random on all pages.

    python -m tests.benchmarks.monkey 30             # runs of 300 steps; a server of its own
    python -m tests.benchmarks.monkey 1 300 17       # again what run 17 did

Run r draws from seed r alone. Watched after each step: tracebacks and "Something went wrong" on the
page and in the server's log, errors in the browser's console, and a table that was there, that
nobody was told to forget, and that is gone. Printed with the last ten steps before it. A step does
not wait for slow pages, as monkeys do not; links that leave the app are left alone. Four runs stand
side by side: while one looks what became of its step, the pages of the others go on.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.browser.conftest import AT_REST, FLAGS, Studio, _wait_until_healthy
from tests.pages.test_two_servers import Server

SIZES = {"width": 1024, "height": 768}
SIDE_BY_SIDE = 4
#: Least and most that a step waits for the page, a table is missed on a still one before it counts
#: as lost, and a page may take on a busy machine, in milliseconds.
LEAST, PATIENCE, SURE, SLOWEST = 250, 600, 8_000, 180_000
EXAMPLES = ("teach", "compare?scenario=5.1", "compare?scenario=parkinsonism", "data")
WORDS = (
    *("", "0", "-1", "3", "1e308", "nan", "x", "<b>x</b>", "=1+1", "$x$ **y**", "a,b;c", "÷ ü"),
    *("12.5", "2020-02-30", "level 1", "y" * 300, "'\"`", "../..", "[a](b)"),
)
KEYS = ("Escape", "Enter", "Tab", "ArrowDown", "ArrowLeft", "Delete", " ")
#: How often each kind of step is taken where it can be.
WEIGHTS = {
    "press": 10,
    "choose": 4,
    "type": 4,
    "slide": 3,
    "go": 3,
    "surface": 3,
    "file": 1,
    "back": 1,
    "forward": 1,
    "reload": 1,
    "key": 1,
}
# What can be worked with now, numbered in the page: [kind, what it says] of each.
FOUND = """() => {
    document.querySelectorAll('[data-monkey]').forEach((one) => one.removeAttribute('data-monkey'));
    const kinds = {
        go: 'a[href]', slide: '[role="slider"]', choose: '[role="combobox"], select',
        surface: '[data-testid="stDataFrame"], .js-plotly-plot, canvas',
        file: 'input[type="file"]',
        type: 'textarea, input[type="text"], input[type="number"], input:not([type])',
        press: 'button, summary, label, [role="option"], [role="tab"], [role="menuitem"]',
    };
    const known = new Set(), found = [];
    for (const [kind, selector] of Object.entries(kinds)) {
        for (const one of document.querySelectorAll(selector)) {
            const box = one.getBoundingClientRect();
            const shown = kind === 'file'
                || box.width > 1 && box.height > 1 && one.checkVisibility();
            const leaves = kind === 'go' && (one.origin !== location.origin
                || one.target === '_blank' || one.hasAttribute('download'));
            if (known.has(one) || !shown || leaves || one.disabled) continue;
            known.add(one);
            const says = one.getAttribute('aria-label') || one.innerText || one.placeholder || '';
            const key = one.closest('[class*="st-key-"]')?.className.match(/st-key-\\S+/)[0] ?? '';
            one.dataset.monkey = found.length;
            found.push([kind, says.trim().slice(0, 40) || key]);
        }
    }
    return found;
}"""
# Where the middle of the numbered element is, brought into view.
PLACE = """(number) => {
    const one = document.querySelector(`[data-monkey="${number}"]`);
    if (one === null) return null;
    one.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { x, y, width, height } = one.getBoundingClientRect();
    return [x, y, width, height];
}"""
# What is wrong on the page, and whether it has a table.
SEEN = """() => {
    const text = document.body.innerText;
    const sentences = ['Something went wrong on this page', 'Traceback', 'Bad message format',
        'Component Error', 'Bad delta path', 'RangeError', 'your table is not there any more'];
    const wrong = sentences.filter((sentence) => text.includes(sentence));
    if (document.querySelector('.stException')) wrong.push('stException');
    return [wrong, document.querySelector('.st-key-undo') !== null];
}"""


def mixed_table(seed: int, rows: int = 60) -> bytes:
    """A small table of eight columns of all kinds, with holes and odd names."""
    draw = np.random.default_rng(seed)
    group = draw.integers(3, size=rows)
    columns = {
        "patient": [f"p{row:03}" for row in range(rows)],
        "weight, kg": np.round(60 + 12 * group + draw.normal(size=rows), 1),
        "falls": draw.poisson(1 + 3 * group),
        "sex": draw.choice(["f", "m"], size=rows),
        "stage": draw.choice(["I", "II", "III", "IV"], size=rows),
        "<b>dose</b>": np.round(draw.gamma(2.0, size=rows), 3),
        "seen": [f"2020-0{1 + month}-15" for month in draw.integers(9, size=rows)],
        "smokes": draw.choice(["yes", "no", ""], size=rows),
    }
    lines = [";".join(columns)]
    lines += [";".join(str(cell) for cell in row) for row in zip(*columns.values(), strict=True)]
    return "\n".join(lines).encode()


def files(seed: int) -> dict[str, bytes]:
    """What is handed to an uploader, by name."""
    return {
        "mixed.csv": mixed_table(seed),
        "other.csv": mixed_table(seed + 1, 25),
        "empty.csv": b"",
        "heads.csv": b"a,b,c\n",
        "one.csv": b"a\n1\n",
        "noise.xlsx": np.random.default_rng(seed).bytes(3000),
        "noise.json": b'{"schema": [1, 2], "table": null',
        "noise.mapdp": b"PK\x03\x04 no archive",
    }


class Monkey:
    """One run: what it did last, and what went wrong."""

    def __init__(self, page: Page, address: str, seed: int) -> None:
        self.page, self.seed = page, seed
        self.draw = random.Random(seed)
        self.files = files(seed)
        self.studio = Studio(page, address)
        self.steps: list[str] = []
        self.slow, self.acted = 0, time.monotonic()
        self.has_table = self.may_lose = False
        self.wrong_before: set[str] = set()
        self.found: Counter[str] = Counter()
        self.heard = 0

    def begin(self) -> None:
        """Open a table: an example, or a file."""
        where = self.draw.choice(EXAMPLES)
        self.studio.open(where)
        if where == "data":
            self.studio.upload("mixed.csv", self.files["mixed.csv"])
        self.steps.append(f"open {where}")

    def step(self) -> None:
        """Do something."""
        began = time.monotonic()
        try:
            found = self.page.evaluate(FOUND)
            self.steps.append(self.act(found))
        except Error as error:  # the page was on its way elsewhere
            self.steps.append(f"missed ({str(error).splitlines()[0][:60]})")
        self.acted = time.monotonic()
        self.slow += self.acted - began > 1.0

    def finish(self) -> None:
        """See what became of the last step, once it has had its time; another table if need be."""
        passed = 1000 * (time.monotonic() - self.acted)
        self.look(self.rest(max(PATIENCE - passed, LEAST), passed))
        if len(self.steps) % 40 == 0 and not self.has_table:  # it was told to forget it
            self.begin()

    def act(self, found: list[list[str]]) -> str:
        """One step of a kind that can be taken; what it was."""
        kinds = {kind for kind, _ in found} | {"back", "forward", "reload", "key"}
        able = [kind for kind in WEIGHTS if kind in kinds]
        (kind,) = self.draw.choices(able, [WEIGHTS[one] for one in able])
        if kind in ("back", "forward"):
            self.page.evaluate(f"history.{kind}()")
            return kind
        if kind == "reload":
            self.page.reload(wait_until="commit")
            return kind
        if kind == "key":
            key = self.draw.choice(KEYS)
            self.page.keyboard.press(key)
            return f"key {key!r}"
        number = self.draw.choice([at for at, (one, _) in enumerate(found) if one == kind])
        says = found[number][1].replace("\n", " ")
        self.may_lose |= "Forget my data" in says or "Drop" in says
        return f"{kind} {says!r}{getattr(self, kind)(number)}"

    def click(self, number: int, x: float = 0.5, y: float = 0.5) -> bool:
        """Press the mouse at a share of an element's width and height."""
        place = self.page.evaluate(PLACE, number)
        if place is not None:
            left, top, width, height = place
            self.page.mouse.click(left + x * width, top + y * height)
        return place is not None

    def press(self, number: int) -> str:
        """A button, a tab, a choice."""
        self.click(number)
        return ""

    go = press

    def choose(self, number: int) -> str:
        """One of the options that a list opens."""
        self.click(number)
        options = self.page.get_by_role("option")
        with suppress(Error):
            options.first.wait_for(timeout=300)
        at, shown = self.draw.randrange(1000), options.count()
        if not shown:
            return ""
        option = options.nth(at % shown)
        says = option.inner_text(timeout=300)[:40]
        option.click(timeout=500, force=True)
        return f" -> {says!r}"

    def type(self, number: int) -> str:
        """Something into a field."""
        word = self.draw.choice(WORDS)
        self.click(number)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(word)
        self.page.keyboard.press(self.draw.choice(("Enter", "Tab")))
        return f" <- {word[:20]!r}"

    def slide(self, number: int) -> str:
        """A slider, by its keys."""
        key = self.draw.choice(("ArrowLeft", "ArrowRight", "Home", "End"))
        times = self.draw.randrange(1, 5)
        self.page.locator(f'[data-monkey="{number}"]').focus(timeout=300)
        for _ in range(times):
            self.page.keyboard.press(key)
        return f" {times} x {key}"

    def surface(self, number: int) -> str:
        """A table's cell or a chart: pressed, dragged over, or written into."""
        how = self.draw.choice(("click", "drag", "write"))
        x, y = self.draw.random(), self.draw.random()
        if self.click(number, x, y) and how == "drag":
            self.page.mouse.down()
            self.page.mouse.move(SIZES["width"] * self.draw.random(), 400 * self.draw.random())
            self.page.mouse.up()
        elif how == "write":
            word = self.draw.choice(WORDS)
            self.page.keyboard.press("Enter")
            self.page.keyboard.insert_text(word)
            self.page.keyboard.press("Enter")
            how += f" {word[:20]!r}"
        return f" {how} at {x:.2f}, {y:.2f}"

    def file(self, number: int) -> str:
        """A file to an uploader."""
        name = self.draw.choice(list(self.files))
        given = {"name": name, "mimeType": "text/csv", "buffer": self.files[name]}
        field = self.page.locator(f'[data-monkey="{number}"]')
        field.set_input_files(files=[given], timeout=500)
        return f" <- {name}"

    def rest(self, most: float = PATIENCE, passed: float = 0.0) -> bool:
        """Wait a little for the page; whether it has come to rest since so long ago."""
        if not self.page.url.startswith(self.studio.address):  # back beyond the first page
            self.page.goto(self.studio.address)
        try:
            asked = self.page.evaluate("performance.now()") - passed
            self.page.wait_for_function(AT_REST, arg=asked, timeout=most)
        except Error:
            return False
        return True

    def look(self, is_still: bool) -> None:
        """Note what went wrong since the last look; a still page has done what it was told to."""
        try:
            wrong, has_table = self.page.evaluate(SEEN)
        except Error:
            return
        self.note(set(wrong) - self.wrong_before)
        self.wrong_before = set(wrong)
        self.note(self.studio.errors[self.heard :])
        self.heard = len(self.studio.errors)
        if self.has_table and not has_table:
            has_table = self.is_really_there()
            if not has_table and not self.may_lose:
                text = self.page.locator("body").inner_text().replace("\n", " | ")
                self.note([f"the table is gone\n{text[:800]}"])
        self.may_lose &= not (has_table and is_still)
        self.has_table = has_table
        if wrong:
            self.studio.page.goto(self.studio.address)

    def is_really_there(self) -> bool:
        """Whether there is a table once the page has come to rest, however slow the machine is."""
        looks, ends = SURE // PATIENCE, time.monotonic() + SLOWEST / 1000
        while looks and time.monotonic() < ends:
            with suppress(Error):
                looks -= self.rest()
                if self.page.evaluate(SEEN)[1]:
                    return True
        return False

    def note(self, wrong: set[str] | list[str]) -> None:
        """Print what went wrong, with the last ten steps before it."""
        for what in wrong:
            self.found[what.strip().splitlines()[0][:60]] += 1
            print(f"  run {self.seed}, step {len(self.steps) - 1}: {what.strip()[-1500:]}")
            print(f"    at {self.page.url}")
            print(*(f"    {one}" for one in self.steps[-10:]), sep="\n", flush=True)


def run(browser: Browser, server: Server, seeds: range, steps: int) -> Counter[str]:
    """Runs side by side, each in a browser's tab of its own; what went wrong how often."""
    began, logged = time.monotonic(), len(server.log())
    address = f"http://127.0.0.1:{server.port}"
    # Coarse, as nobody looks at the pages: drawing them took most of the processor's time.
    coarse = {"viewport": SIZES, "device_scale_factor": 0.25}
    pages = [browser.new_context(**coarse).new_page() for _ in seeds]
    monkeys = [Monkey(page, address, seed) for page, seed in zip(pages, seeds, strict=True)]
    for monkey in monkeys:
        monkey.page.set_default_timeout(SLOWEST)
        monkey.page.on("dialog", lambda dialog: dialog.accept())
        monkey.begin()
    for _ in range(steps):
        for monkey in monkeys:
            monkey.finish()
            monkey.step()
        log = server.log()
        if "Traceback" in log[logged:] or "File " in log[logged:]:
            for monkey in monkeys:  # whose step it was the log does not say
                monkey.note([f"server's log: {log[logged:]}"])
        logged = len(log)
    for monkey in monkeys:
        monkey.look(monkey.rest(SURE))
        monkey.page.context.close()
        seconds = time.monotonic() - began
        said = json.dumps(monkey.found) if monkey.found else "nothing"
        print(f"{monkey.seed:4}{steps:7}{seconds:9.0f}{monkey.slow:12}   {said}", flush=True)
    return sum((monkey.found for monkey in monkeys), Counter())


def main(runs: int, steps: int = 300, first: int = 0) -> int:
    """Run, and print a line for each; 1 where anything went wrong."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        server = Server(Path(made) / "one")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            _wait_until_healthy(f"http://127.0.0.1:{server.port}/_stcore/health", server.process)
            print(f"{'seed':>4}{'steps':>7}{'seconds':>9}{'over 1 s':>12}   what went wrong")
            seeds = range(first, first + runs)
            for place in range(0, runs, SIDE_BY_SIDE):
                found += run(browser, server, seeds[place : place + SIDE_BY_SIDE], steps)
            print(f"{runs} runs, {runs * steps:,} steps, {found.total()} things went wrong")
        finally:
            browser.close()
            server.kill()
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
