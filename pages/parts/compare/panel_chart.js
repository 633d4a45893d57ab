// One figure of many panels that stays in the page: parts come by themselves, as they are ready.
const store = (window.mapdpPanels ??= { parts: new Map(), redraw: () => {} });
const PATIENCE = 400; // milliseconds until a panel that waits for its result turns faint
const STALE = 0.25;
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
const draw = async (chart) => {
    const { plot, base } = chart;
    const { react } = await plotly();
    const width = plot.clientWidth;
    if (!plot.isConnected || width === 0) return;
    const patient = performance.now() - chart.asked < PATIENCE;
    const data = [], annotations = [], said = [base.alt];
    let waiting = false;
    base.panels.forEach(({ name, version, heading }) => {
        const part = store.parts.get(name);
        if (part?.about !== base.about) {
            annotations.push(heading);
            return;
        }
        const isStale = part.version !== version;
        waiting ||= isStale;
        const fade = isStale && !patient ? STALE : 1;
        const standing = base.lit ? part.apart : base.marked;
        for (const trace of part.data) {
            const drawn = { ...trace, opacity: fade * (trace.opacity ?? 1) };
            if (trace.customdata && standing) {
                drawn.selectedpoints = standing;
                drawn.selected = { marker: { opacity: 1 } };
                drawn.unselected = { marker: { opacity: base.faint } };
            }
            data.push(drawn);
        }
        annotations.push({ ...part.heading, opacity: fade < 1 ? 0.55 : 1 });
        said.push(part.alt);
    });
    const { color, fontFamily } = getComputedStyle(plot);
    // A copy: Plotly writes a zoom into the layout it was given.
    const layout = {
        ...structuredClone(base.layout), annotations, width, dragmode: base.drag,
        font: { color, family: fontFamily }, paper_bgcolor: "transparent",
        uirevision: base.about, selectionrevision: base.marking,
    };
    await react(plot, { data, layout, config: base.config });
    chart.width = width;
    plot.setAttribute("aria-label", said.join(" "));
    plot.removeAllListeners("plotly_selected");
    plot.removeAllListeners("plotly_doubleclick");
    plot.removeAllListeners("plotly_click");
    // A redrawing under other marks tells of a selection of nothing.
    plot.on("plotly_selected", (event) => event?.points?.length && chart.tell(rowsOf(event)));
    // Not plotly_deselect, which a redrawing under other marks fires as well.
    plot.on("plotly_doubleclick", () => base.drag !== "zoom" && chart.tell([]));
    plot.on("plotly_click", (event) => base.drag === "zoom" && chart.tell(rowsOf(event)));
    if (waiting && patient) {
        clearTimeout(chart.later);
        chart.later = setTimeout(chart.redraw, PATIENCE);
    }
};
const made = (plot) => {
    const chart = { plot, width: 0, last: Promise.resolve(), isWaiting: false };
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
    const sent = JSON.parse(new TextDecoder().decode(data));
    if (sent.name !== undefined) {
        const before = store.parts.get(sent.name);
        const isSame = before?.version === sent.version && before.about === sent.about;
        if (sent.first && isSame && !before.first) return undefined; // a first look comes too late
        store.parts.set(sent.name, sent);
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
