"""Buttons that work a Plotly figure in the browser, without the server: save it, step through it.

A figure's own slider and tools cannot be reached with the keyboard; these buttons press them.
"""

from __future__ import annotations

from streamlit.components.v2 import component

#: A figure that only shows: no zoom, no box; its one tool is pressed by ``save_buttons``.
STILL = {"displaylogo": False, "modeBarButtons": [["toImage"]], "scrollZoom": False}

_STYLE = """
div { display: flex; gap: 0.375rem; align-items: center; flex-wrap: wrap; }
button, select, label {
    font: inherit; font-size: 0.875rem; color: var(--st-text-color);
}
button, select {
    padding: 0.3rem 0.7rem; border: 1px solid var(--st-border-color);
    border-radius: var(--st-base-radius); background: var(--st-background-color); cursor: pointer;
}
button:hover, select:hover { border-color: var(--st-primary-color); }
button:focus-visible, select:focus-visible {
    outline: 2px solid var(--st-primary-color); outline-offset: 1px;
}
"""
_FIND = """
const figure = (data) => document.querySelector(`.st-key-${data.figure} .js-plotly-plot`);
"""
_SAVE_SCRIPT = (
    _FIND
    + """
export default function ({ parentElement, data }) {
    const save = (format) => {
        const plot = figure(data);
        const tool = plot?.querySelector('.modebar-btn[data-attr], .modebar-btn');
        if (!tool) return;
        plot._context.toImageButtonOptions = { format, filename: data.name, scale: 2 };
        tool.click();
    };
    for (const button of parentElement.querySelectorAll("button")) {
        button.onclick = () => save(button.value);
    }
}
"""
)
_STEP_SCRIPT = (
    _FIND
    + """
export default function ({ parentElement, data }) {
    const INSET = 10;  // of the first and the last step on Plotly's slider, in pixels
    const part = (name) => parentElement.querySelector(`[name="${name}"]`);
    const slider = () => figure(data)?._fullLayout?.sliders?.[0];
    let timer = null;
    const last = () => slider().steps.length - 1;
    const go = (step) => {
        const rail = figure(data).querySelector(".slider-rail-touch-rect");
        const box = rail.getBoundingClientRect();
        const share = Math.min(Math.max(step, 0), last()) / Math.max(last(), 1);
        const clientX = box.left + INSET + (box.width - 2 * INSET) * share;
        const where = { clientX, clientY: box.top + 5, bubbles: true, cancelable: true };
        rail.dispatchEvent(new MouseEvent("mousedown", where));
        rail.dispatchEvent(new MouseEvent("mouseup", where));
    };
    const pause = () => {
        clearInterval(timer);
        timer = null;
        part("play").textContent = "Play";
    };
    const tick = () => {
        if (!slider() || slider().active >= last()) return pause();
        go(slider().active + 1);
    };
    const play = () => {
        if (slider().active >= last()) go(0);
        timer = setInterval(tick, Number(part("speed").value));
        part("play").textContent = "Pause";
    };
    const actions = {
        first: () => { pause(); go(0); },
        back: () => { pause(); go(slider().active - 1); },
        play: () => (timer === null ? play() : pause()),
        next: () => { pause(); go(slider().active + 1); },
        last: () => { pause(); go(last()); },
    };
    for (const [name, action] of Object.entries(actions)) {
        part(name).onclick = () => slider() && action();
    }
    part("speed").onchange = () => { if (timer !== null) { clearInterval(timer); play(); } };
    parentElement.querySelector("div").onkeydown = (event) => {
        if (event.target.name === "speed" || !slider()) return;
        if (event.key === "ArrowLeft") actions.back();
        if (event.key === "ArrowRight") actions.next();
    };
    return () => clearInterval(timer);
}
"""
)
_save = component(
    "mapdp_studio_save_figure",
    html="""<div role="group" aria-label="Save the picture">
        <button value="png">Save PNG</button><button value="svg">Save SVG</button></div>""",
    css=_STYLE,
    js=_SAVE_SCRIPT,
)
_step = component(
    "mapdp_studio_step_figure",
    html="""<div role="group" aria-label="Steps">
        <button name="first">First</button>
        <button name="back">Step back</button>
        <button name="play">Play</button>
        <button name="next">Step</button>
        <button name="last">Last</button>
        <label>Speed <select name="speed">
            <option value="1600">slow</option><option value="800" selected>normal</option>
            <option value="300">fast</option></select></label></div>""",
    css=_STYLE,
    js=_STEP_SCRIPT,
)


def save_buttons(figure: str, name: str) -> None:
    """Buttons that save a figure as PNG or SVG.

    Parameters
    ----------
    figure : str
        Key of the container that holds it.
    name : str
        Of the file, without its ending.
    """
    _save(key=f"save {figure}", data={"figure": figure, "name": name}, height="content")


def step_buttons(figure: str) -> None:
    """Buttons that move a figure's slider: step, step back, play, pause, speed.

    Parameters
    ----------
    figure : str
        Key of the container that holds it.
    """
    _step(key=f"step {figure}", data={"figure": figure}, height="content")
