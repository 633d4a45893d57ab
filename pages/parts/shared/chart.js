// A Plotly figure that stays in the page: what changes goes through Plotly.react. It is sent whole,
// or as axes whose panels come by themselves, as they are ready.
const PATIENCE = 400;   // milliseconds until a panel that waits for its result turns faint
const TOGETHER = 60;   // in which what comes is drawn at once
const charts = new WeakMap();
const panels = new Map();   // what came for each chart, by its key: of each panel the last
const redraws = new Map();
// Fetched again where it does not arrive, as the line is cut.
const plotly = () => window.plotlyFetched ??= new Promise((resolve) => {
    const load = () => {
        const script = document.createElement("script");
        script.src = new URL("PLOTLY", location.href);
        script.onload = () => resolve(window.Plotly);
        script.onerror = () => setTimeout(() => { script.remove(); load(); }, 2000);
        document.head.append(script);
    };
    load();
});
const rowsOf = ({ points }) => [...new Set(points.map(({ customdata }) => customdata)
    .filter((row) => row !== undefined).map(Number))];
const TYPED = { f4: Float32Array, f8: Float64Array, i4: Int32Array };
const unpacked = ({ dtype, bdata }) =>
    new TYPED[dtype](Uint8Array.from(atob(bdata), (letter) => letter.charCodeAt(0)).buffer);
// A panel's traces, their numbers ready: Plotly would unpack them at every drawing.
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
// The widest layout that fits, of a figure that has several.
const layoutAt = ({ layout, layouts }, width) =>
    layout ?? layouts.findLast(([least]) => least <= width)[1];
// The layout's own height, less where panels of one unit are lower; or down to so many pixels above
// the window's lower edge, as the page stands before it is scrolled.
const heightOf = ({ below }, { height, margin, ...axes }, width, plot) => {
    if (below !== null) {
        const page = plot.closest('[data-testid="stMain"]');
        const top = plot.getBoundingClientRect().top + (page?.scrollTop ?? 0);
        return Math.max(height, Math.floor(window.innerHeight - top) - below);
    }
    const { xaxis, yaxis } = axes;
    if (!isTied(axes) || yaxis.domain[1] - yaxis.domain[0] < 1) return height;
    const across = (width - margin.l - margin.r) * (xaxis.domain[1] - xaxis.domain[0]);
    const shape = (yaxis.range[1] - yaxis.range[0]) / (xaxis.range[1] - xaxis.range[0]);
    return Math.min(height, Math.ceil(across * shape) + margin.t + margin.b);
};
// Where the axes stand. Plotly keeps that of tied ones beyond the figure they belonged to, so with
// others it begins anew.
const axesOf = (layout) => JSON.stringify(
    Object.entries(layout).filter(([name]) => /^[xy]axis/.test(name)));
const isTied = ({ yaxis }) => yaxis?.constrain === "domain";
// Traces, headings and words of a figure, and what they were made of.
const contentOf = ({ sent }) => {
    if (!sent.panels) {
        return { data: sent.data, annotations: sent.layout.annotations, alt: sent.alt, parts: [] };
    }
    const data = [], annotations = [], alt = [sent.alt];
    const parts = sent.panels.map(({ name }) => {
        const part = panels.get(`${sent.key} ${name}`);
        return part?.about === sent.about ? part : undefined;
    });
    sent.panels.forEach(({ heading }, place) => {
        const part = parts[place];
        annotations.push(part?.heading ?? heading);
        if (!part) {
            const number = place ? place + 1 : "";  // Plotly leaves axes without traces out
            data.push({ x: [null], y: [null], xaxis: `x${number}`, yaxis: `y${number}` });
            return;
        }
        const standing = sent.lit ? part.apart : sent.marked;
        data.push(...part.data.map((trace) => (trace.customdata && standing ? {
            ...trace,
            selectedpoints: placesOf(standing, trace),
            selected: { marker: { opacity: 1 } },
            unselected: { marker: { opacity: sent.faint } },
        } : { ...trace })));
        alt.push(part.alt);
    });
    return { data, annotations, alt: alt.join(" "), parts };
};
// What waits for its result is made faint: to draw it anew would delay what is already there.
const veil = async ({ plot }, annotations, stale) => {
    const paper = getComputedStyle(plot).getPropertyValue("--st-background-color");
    const shapes = stale.map((place) => ({
        type: "rect", layer: "above", line: { width: 0 }, fillcolor: paper, opacity: 0.7,
        xref: `x${place ? place + 1 : ""} domain`, yref: `y${place ? place + 1 : ""} domain`,
        x0: 0, x1: 1, y0: 0, y1: 1,
    }));
    const faint = annotations.map((heading, place) =>
        (stale.includes(place) ? { ...heading, opacity: 0.4 } : heading));
    await window.Plotly.relayout(plot, { shapes, annotations: faint });
};
const draw = async (chart) => {
    const { plot, sent } = chart;
    const { purge, react, relayout } = await plotly();
    const width = plot.clientWidth;
    if (!plot.isConnected || width === 0) return;
    const { data, annotations, alt, parts } = contentOf(chart);
    const laid = layoutAt(sent, width), height = heightOf(sent, laid, width, plot);
    const { color, fontFamily } = getComputedStyle(plot);
    const shown = [sent.about ?? sent, sent.marking, sent.drag, laid.height, color, fontFamily,
        ...parts];
    if (!chart.shown?.every((one, place) => one === shown[place])) {
        // A copy: Plotly writes a zoom, and what became of tied axes, into the layout it is given.
        const layout = {
            ...structuredClone(laid), annotations, width, height,
            font: { color, family: fontFamily }, paper_bgcolor: "transparent",
            ...(sent.panels && { dragmode: sent.drag, uirevision: sent.about,
                selectionrevision: sent.marking }),
        };
        const axes = axesOf(laid), tied = isTied(laid);
        if (chart.axes !== undefined && chart.axes !== axes && (tied || chart.tied)) purge(plot);
        Object.assign(chart, { axes, tied });
        plot.style.height = `${height}px`;
        await react(plot, { data, layout, frames: sent.frames, config: sent.config });
        plot.setAttribute("aria-label", alt);
        listen(chart);
    } else if (chart.width !== width || chart.height !== height) {
        // Another size alone: a figure with steps stays at the one it shows.
        plot.style.height = `${height}px`;
        await relayout(plot, { width, height });
    }
    Object.assign(chart, { shown, width, height });
    const stale = (sent.panels ?? []).flatMap(({ version }, place) =>
        (parts[place] && parts[place].version !== version ? [place] : []));
    clearTimeout(chart.later);
    if (!stale.length) return;
    const waits = chart.asked + PATIENCE - performance.now();
    if (waits > 0) chart.later = setTimeout(chart.redraw, waits);
    else await veil(chart, annotations, stale);
};
const listen = ({ plot, sent, tell }) => {
    const isSelecting = sent.drag === "select" || sent.drag === "lasso";
    for (const name of ["selected", "doubleclick", "click"]) {
        plot.removeAllListeners(`plotly_${name}`);
    }
    if (!sent.asks) return;
    if (!isSelecting) plot.on("plotly_click", (event) => tell(rowsOf(event)));
    if (!isSelecting) return;
    // A redrawing under other marks tells of a selection of nothing.
    plot.on("plotly_selected", (event) => event?.points?.length && tell(rowsOf(event)));
    // Not plotly_deselect, which a redrawing under other marks fires as well.
    plot.on("plotly_doubleclick", () => tell([]));
};
const made = (parentElement) => {
    const plot = document.createElement("div");
    plot.setAttribute("role", "figure");
    parentElement.append(plot);
    const chart = { plot, last: Promise.resolve(), isWaiting: false };
    // One after the other, and once for all that came meanwhile.
    chart.redraw = () => {
        if (chart.isWaiting) return;
        chart.isWaiting = true;
        chart.last = chart.last.then(() => new Promise((go) => setTimeout(go, TOGETHER))).then(() => {
            chart.isWaiting = false;
            return draw(chart);
        });
    };
    chart.observer = new ResizeObserver(() => {
        if (plot.clientWidth !== chart.width || chart.sent?.below != null) chart.redraw();
    });
    chart.observer.observe(plot);
    // What stands above may grow; where the height follows the window, it then follows that.
    chart.observer.observe(document.querySelector('[data-testid="stMainBlockContainer"]') ?? plot);
    window.addEventListener("resize", chart.redraw);
    charts.set(parentElement, chart);
    return chart;
};
const clear = async (chart) => {
    chart.observer.disconnect();
    window.removeEventListener("resize", chart.redraw);
    clearTimeout(chart.later);
    await chart.last;
    const canvases = [...chart.plot.querySelectorAll("canvas")];
    window.Plotly?.purge(chart.plot);
    // A browser keeps 16 contexts alive, and takes the oldest from whoever has it.
    for (const canvas of canvases) {
        canvas.getContext("webgl")?.getExtension("WEBGL_lose_context")?.loseContext();
    }
};
const take = (chart, line, traces) => {
    const sent = JSON.parse(line), key = `${chart} ${sent.name}`, before = panels.get(key);
    const isSame = before?.version === sent.version && before.about === sent.about;
    // Known already; or a first look comes too late.
    const isKnown = before?.state === sent.state && before?.first === sent.first;
    if (isSame && (isKnown || (sent.first && !before.first))) return;
    panels.set(key, { ...sent, data: read(traces) });
    redraws.get(chart)?.();
};
export default function ({ parentElement, data, setTriggerValue }) {
    const text = new TextDecoder().decode(data), [first, ...lines] = text.split("\n");
    if (!text) return void requestIdleCallback(plotly);   // what a next page will need
    if (lines.length) return take(JSON.parse(first).chart, ...lines);
    const chart = charts.get(parentElement) ?? made(parentElement);
    chart.tell = (rows) => setTriggerValue("rows", rows);
    if (chart.text !== text) {
        Object.assign(chart, { text, sent: JSON.parse(text), asked: performance.now() });
    }
    redraws.set(chart.sent.key, chart.redraw);
    chart.redraw();
    return () => clear(chart);
}
