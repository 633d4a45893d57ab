// One figure of many panels that stays in the page: parts come by themselves, as they are ready.
const store = (window.mapdpPanels ??= { parts: new Map(), redraw: () => {} });
const PATIENCE = 400; // milliseconds until a panel that waits for its result turns faint
const charts = new WeakMap();
const plotly = () => new Promise((resolve) => {
    if (window.Plotly) resolve(window.Plotly);
    window.addEventListener("mapdp-plotly", () => resolve(window.Plotly), { once: true });
});
const rowsOf = (event) => {
    const rows = new Set();
    for (const point of event?.points ?? []) {
        if (point.customdata !== undefined) rows.add(Number(point.customdata));
    }
    return [...rows];
};
const TYPED = { f4: Float32Array, f8: Float64Array, i4: Int32Array };
const unpacked = ({ dtype, bdata }) => {
    const bytes = Uint8Array.from(atob(bdata), (letter) => letter.charCodeAt(0));
    return new TYPED[dtype](bytes.buffer);
};
// A part's traces, their numbers ready: Plotly would unpack them at every drawing.
const read = (text) => JSON.parse(text).map((trace) => {
    for (const name of ["x", "y", "customdata"]) {
        if (trace[name]?.bdata) trace[name] = unpacked(trace[name]);
    }
    return trace;
});
const placesOf = (rows, trace) => {
    const standing = new Set(rows), places = [];
    trace.customdata.forEach((row, place) => { if (standing.has(row)) places.push(place); });
    return places;
};
// A veil over what waits for its result: to draw it fainter would delay what is already there.
const veil = (chart, stale) => {
    const { plot, base } = chart, { layout } = base;
    const { l, r, t, b } = layout.margin;
    const width = plot.clientWidth - l - r, height = layout.height - t - b;
    const paper = getComputedStyle(document.querySelector(".stApp")).backgroundColor;
    const through = (share) => `color-mix(in srgb, ${paper} ${100 * share}%, transparent)`;
    const veils = stale.map((place) => {
        const number = place ? place + 1 : "";
        const [left, right] = layout[`xaxis${number}`].domain;
        const [low, high] = layout[`yaxis${number}`].domain;
        const cover = document.createElement("div");
        Object.assign(cover.style, {
            position: "absolute", pointerEvents: "none",
            left: `${plot.offsetLeft + l + left * width}px`, width: `${(right - left) * width}px`,
            top: `${plot.offsetTop + (1 - high) * height}px`,
            height: `${t + (high - low) * height}px`,
            background: `linear-gradient(${through(0.4)} ${t}px, ${through(0.75)} ${t}px)`,
        });
        return cover;
    });
    chart.veils.replaceChildren(...veils);
};
// Plotly keeps where tied axes once stood, beyond the figure they belonged to.
const forget = ({ _fullLayout }) => {
    for (const [name, axis] of Object.entries(_fullLayout ?? {})) {
        if (!/^[xy]axis[0-9]*$/.test(name)) continue;
        delete axis._inputDomain;
        delete axis._inputRange;
    }
};
const draw = async (chart) => {
    const { plot, base } = chart;
    const { react } = await plotly();
    const width = plot.clientWidth;
    if (!plot.isConnected || width === 0) return;
    const parts = base.panels.map(({ name }) => {
        const part = store.parts.get(name);
        return part?.about === base.about ? part : undefined;
    });
    const stale = base.panels.flatMap(({ version }, place) =>
        parts[place] && parts[place].version !== version ? [place] : []);
    const isPatient = performance.now() - chart.asked < PATIENCE;
    veil(chart, isPatient ? [] : stale);
    clearTimeout(chart.later);
    if (stale.length && isPatient) chart.later = setTimeout(chart.redraw, PATIENCE);
    const { color, fontFamily } = getComputedStyle(plot);
    const shown = [width, base.about, base.marking, base.drag, color, fontFamily, ...parts];
    if (chart.shown?.every((one, place) => one === shown[place])) return;
    const data = [], annotations = [], said = [base.alt];
    base.panels.forEach(({ heading }, place) => {
        const part = parts[place];
        annotations.push(part?.heading ?? heading);
        if (!part) return;
        const standing = base.lit ? part.apart : base.marked;
        for (const trace of part.data) {
            data.push(trace.customdata && standing ? {
                ...trace,
                selectedpoints: placesOf(standing, trace),
                selected: { marker: { opacity: 1 } },
                unselected: { marker: { opacity: base.faint } },
            } : { ...trace });
        }
        said.push(part.alt);
    });
    // A copy: Plotly writes a zoom into the layout it was given.
    const layout = {
        ...structuredClone(base.layout), annotations, width, dragmode: base.drag,
        font: { color, family: fontFamily }, paper_bgcolor: "transparent",
        uirevision: base.about, selectionrevision: base.marking,
    };
    forget(plot);
    await react(plot, { data, layout, config: base.config });
    Object.assign(chart, { width, shown });
    plot.setAttribute("aria-label", said.join(" "));
    plot.removeAllListeners("plotly_selected");
    plot.removeAllListeners("plotly_doubleclick");
    plot.removeAllListeners("plotly_click");
    // A redrawing under other marks tells of a selection of nothing.
    plot.on("plotly_selected", (event) => event?.points?.length && chart.tell(rowsOf(event)));
    // Not plotly_deselect, which a redrawing under other marks fires as well.
    plot.on("plotly_doubleclick", () => base.drag !== "zoom" && chart.tell([]));
    plot.on("plotly_click", (event) => base.drag === "zoom" && chart.tell(rowsOf(event)));
};
const made = (plot) => {
    const veils = document.createElement("div");
    Object.assign(plot.parentElement.style, { position: "relative" });
    plot.after(veils);
    const chart = { plot, veils, width: 0, last: Promise.resolve(), isWaiting: false };
    // One after the other, and once for all that came meanwhile.
    chart.redraw = () => {
        if (chart.isWaiting) return;
        chart.isWaiting = true;
        chart.last = chart.last.then(() => new Promise(requestAnimationFrame)).then(() => {
            chart.isWaiting = false;
            return draw(chart);
        });
    };
    chart.observer = new ResizeObserver(() => {
        if (plot.clientWidth !== chart.width) chart.redraw();
    });
    chart.observer.observe(plot);
    charts.set(plot, chart);
    return chart;
};
const clear = async (chart) => {
    chart.observer.disconnect();
    clearTimeout(chart.later);
    await chart.last;
    const canvases = [...chart.plot.querySelectorAll("canvas")];
    window.Plotly?.purge(chart.plot);
    // A browser keeps 16 contexts alive, and takes the oldest from whoever has it.
    for (const canvas of canvases) {
        canvas.getContext("webgl")?.getExtension("WEBGL_lose_context")?.loseContext();
    }
};
export default function ({ parentElement, data, setTriggerValue }) {
    const [line, traces] = new TextDecoder().decode(data).split("\n");
    const sent = JSON.parse(line);
    if (sent.name !== undefined) {
        const before = store.parts.get(sent.name);
        const isSame = before?.version === sent.version && before.about === sent.about;
        // Known already; or a first look comes too late.
        if (isSame && (sent.first || !before.first)) return undefined;
        store.parts.set(sent.name, { ...sent, data: read(traces) });
        store.redraw();
        return undefined;
    }
    const plot = parentElement.querySelector("[role=figure]");
    const chart = charts.get(plot) ?? made(plot);
    Object.assign(chart, { base: sent, asked: performance.now() });
    chart.tell = (rows) => setTriggerValue("rows", rows);
    plot.style.height = `${sent.layout.height}px`;
    store.redraw = chart.redraw;
    chart.redraw();
    return () => clear(chart);
}
