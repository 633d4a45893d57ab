"""The app in a browser, as its user meets it: for the tests of pages and what measures them."""

import time
from collections.abc import Callable
from typing import Any

# When the page last spoke to the server, last heard of it, and last changed, how many frames
# the browser has drawn since, and whether the page has spoken since it last settled.
WATCH = """
window.traffic = { sent: 0, received: 0, changed: 0, frames: 0, spoke: false };
const record = (what) => { traffic[what] = performance.now(); traffic.frames = 0; };
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) {
    if (!this.isWatched) {
        this.isWatched = true;
        this.addEventListener("message", () => record("received"));
    }
    record("sent");
    traffic.spoke = true;
    return send.call(this, message);
};
new MutationObserver(() => record("changed")).observe(
    document, { attributes: true, characterData: true, childList: true, subtree: true });
"""
# A slider speaks 0.2 s after it was moved; what has spoken already only needs its answer, and the
# figures their time, which on a busy machine is counted in frames. What changes without end (a
# progress line) is waited for 2 s.
AT_REST = """
asked => {
    const now = performance.now();
    const state = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState;
    const quiet = now - Math.max(asked, traffic.sent, traffic.received);
    const isAnswered = traffic.received > traffic.sent || quiet > 1000;
    traffic.frames += 1;
    const isStill = now - traffic.changed > 100 && traffic.frames > 5 || now - asked > 2000;
    if (state !== "notRunning" || !isAnswered || !isStill) return false;
    if (quiet < (traffic.spoke ? 100 : 250)) return false;
    traffic.spoke = false;
    return true;
}
"""
#: Of every panel: left, top, right, bottom, pixels a unit across by those a unit up, and title.
PANELS = """() => [...document.querySelectorAll(
'.st-key-panels .js-plotly-plot, .st-key-steps .js-plotly-plot')].flatMap((plot) => {
    const {left, top} = plot.getBoundingClientRect(), whole = plot._fullLayout;
    return Object.keys(whole).filter((name) => /^xaxis[0-9]*$/.test(name)).map((name, k) => {
        const x = whole[name], y = whole[name.replace('x', 'y')];
        return [left + x._offset, top + y._offset, left + x._offset + x._length,
            top + y._offset + y._length, Math.abs(x._m / y._m), whole.annotations[k]?.text];
    });
})"""
#: Pixels that the page is wider than its window, or a row of choices than its place.
OUT = """Math.max(document.documentElement.scrollWidth - innerWidth, ...Array.from(
    document.querySelectorAll('[role=radiogroup]'), (e) => e.scrollWidth - e.clientWidth))"""

#: Words on the page, and controls: what is removed from a choice is one with it.
COUNT = """() => {
    const main = document.querySelector('[data-testid="stMainBlockContainer"]');
    const seen = (e) => e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true});
    const controls = [...main.querySelectorAll('button, input, textarea, summary')].filter(seen);
    const parts = /^(Remove |Clear all|Open$|Help for )/;
    return [
        main.innerText.split(/\\s+/).filter((word) => /[a-z0-9]/i.test(word)).length,
        controls.filter((e) => !parts.test(e.ariaLabel ?? "")).length,
    ];
}"""


class Studio:
    """The app in one browser tab."""

    def __init__(self, page, address: str) -> None:
        self.page = page
        page.set_default_timeout(90_000)
        self.address = address
        self.errors: list[str] = []
        self.sent: list[str] = []
        page.add_init_script(WATCH)
        page.on("requestfinished", lambda request: self.sent.append(request.url))
        page.on("console", self._note)
        page.on("pageerror", self._note_error)

    def _note_error(self, error) -> None:
        # Streamlit's own chart, left for another page while it is drawn, measures a text that is
        # gone: the error is thrown inside its bundle.
        stack = error.stack or str(error)
        thrown_at = "".join(stack.splitlines()[1:2])
        if "reading 'node'" not in stack or "/static/js/PlotlyChart." not in thrown_at:
            self.errors.append(stack)

    def _note(self, message) -> None:
        # Opened at /data, Streamlit's own page first asks for /data/_stcore/.. and then for the
        # right address; the browser reports the first answer.
        probing = "/_stcore/" in message.location.get("url", "")
        if message.type == "error" and not probing:
            self.errors.append(message.text)

    def open(
        self,
        path: str = "",
        shows: str = '[data-testid="stMainBlockContainer"] h1',
        width: int = 1440,
        height: int = 900,
    ) -> None:
        """Go to a page by its address, in a window of that size, and wait until it is drawn."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.goto(f"{self.address}/{path}")
        self.page.wait_for_selector(shows)
        self.settle()

    def go(self, title: str) -> None:
        """Go to a page by the top bar, which keeps the visit, and has room for it if it is wide."""
        self.resize(1440)
        link = self.page.locator('[data-testid="stTopNavLink"]').filter(has_text=title)
        if not link.count():
            self.page.get_by_text("More", exact=True).first.click()
            link = self.page.locator('[data-testid="stTopNavDropdownLink"]').filter(has_text=title)
        link.first.click()
        self.page.get_by_role("heading", name=title, exact=True, level=1).wait_for()
        self.settle()

    def settle(self) -> None:
        """Wait until the server has answered, the script has run and the page stands still."""
        asked = self.page.evaluate("performance.now()")
        self.page.wait_for_function(AT_REST, arg=asked)
        assert self.page.get_by_text("Something went wrong on this page").count() == 0

    def button(self, name: str):
        return self.page.get_by_role("button", name=name, exact=True).first

    def press(self, name: str) -> None:
        self.click(self.button(name))

    def choose(self, name: str) -> None:
        """Press one of a row of choices, such as a view, and wait until it is drawn."""
        self.click(self.page.get_by_role("radio", name=name, exact=True))

    def tab(self, name: str) -> None:
        self.click(self.page.get_by_role("tab", name=name, exact=True))

    def click(self, control) -> None:
        """Click and wait, again where it is there and nothing was asked of the server.

        What is drawn anew under a click loses it.
        """
        before = self.page.evaluate("traffic.sent")
        control.click()
        self.settle()
        if self.page.evaluate("traffic.sent") == before and control.count():
            control.click()
            self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int) -> None:
        """Drag the mouse from a place in the window to another, over so many between them."""
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=steps)
        self.page.mouse.up()

    def move(self, slider: str, key: str) -> None:
        self.page.get_by_role("slider", name=slider).focus()
        self.page.keyboard.press(key)
        self.settle()

    def sees(self, text: str, seconds: float = 60) -> bool:
        """Wait until the page says something, in a cell of a table or elsewhere."""
        from playwright.sync_api import expect

        main = self.page.get_by_test_id("stMainBlockContainer")
        expect(main).to_contain_text(text, timeout=1000 * seconds)
        return True

    def in_address(self, *settings: str) -> bool:
        self.page.wait_for_url(lambda address: all(one in address for one in settings))
        return True

    def until(self, read: str | Callable[[], Any], is_so: Callable[[Any], bool]) -> Any:
        """What a script or a function reads of the page, once it is so: it may be on its way."""
        ends = time.monotonic() + 60
        while not is_so(found := read() if callable(read) else self.page.evaluate(read)):
            assert time.monotonic() < ends, f"It stays at {found}."
            self.page.wait_for_timeout(100)
        return found

    def upload(self, name: str, content: bytes, seen_as: str = "") -> None:
        """Hand a file to the Data page's uploader, and wait for its table."""
        file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        self.sent.clear()
        for _ in range(3):  # a file given while the uploader is drawn anew is lost
            self.settle()
            self.page.locator('input[type="file"]').first.set_input_files(files=[file])
            for _ in range(80):
                self.page.wait_for_timeout(50)
                if any("/upload_file/" in url for url in self.sent):
                    self.has_table(seen_as or name)
                    return
        raise AssertionError(f"The browser never sent {name}.")

    def download(self, name: str) -> bytes:
        """What the button of that name saves."""
        self.settle()  # what is drawn anew under a click saves nothing
        with self.page.expect_download() as download:
            self.button(name).click()
        return download.value.path().read_bytes()

    def has_table(self, name: str) -> bool:
        table = self.page.locator("summary").filter(has_text=name)
        table.or_(self.page.get_by_role("heading", name=name)).first.wait_for(timeout=90_000)
        self.settle()
        return True

    def has_room(self, *widths: int) -> bool:
        """Whether nothing of the page, or of a choice, sticks out on the right at some widths.

        The window keeps the last of them, and begins with its own: to draw anew takes time.
        """
        size = self.page.viewport_size
        for width in sorted(widths, key=lambda width: width != size["width"]):
            self.resize(width, size["height"])
            self.until(OUT, lambda out: out <= 0)
        return True

    def resize(self, width: int, height: int = 900) -> None:
        """Make the window another size and wait until the figures have followed."""
        if self.page.viewport_size != {"width": width, "height": height}:
            self.page.set_viewport_size({"width": width, "height": height})
            self.settle()
