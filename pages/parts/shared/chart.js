// A Plotly figure that stays in the page: what changes goes through Plotly.react.
const charts = new WeakMap();
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
// Axes in one unit, of which Plotly makes one shorter.
const isTied = ({ yaxis }) => yaxis?.constrain === "domain";
// The layout's own height, less where panels of one unit are lower; or down to so many pixels above
// the window's lower edge, as the page stands before it is scrolled.
const heightOf = ({ below, layout }, width, plot) => {
    const { height, margin, xaxis, yaxis } = layout;
    if (below !== null) {
        const page = plot.closest('[data-testid="stMain"]');
        const top = plot.getBoundingClientRect().top + (page?.scrollTop ?? 0);
        return Math.max(height, Math.floor(window.innerHeight - top) - below);
    }
    if (!isTied(layout) || yaxis.domain[1] - yaxis.domain[0] < 1) return height;
    const across = (width - margin.l - margin.r) * (xaxis.domain[1] - xaxis.domain[0]);
    const shape = (yaxis.range[1] - yaxis.range[0]) / (xaxis.range[1] - xaxis.range[0]);
    return Math.min(height, Math.ceil(across * shape) + margin.t + margin.b);
};
// Where the axes stand. Plotly keeps that of tied ones beyond the figure they belonged to, so with
// others it begins anew.
const axesOf = (layout) => JSON.stringify(
    Object.entries(layout).filter(([name]) => /^[xy]axis/.test(name)));
// Drawn as finely as the screen shows it, as finer takes as many times longer; saved twice as finely.
const asDrawn = (config, { Icons, downloadImage }) => ({
    ...config, plotGlPixelRatio: devicePixelRatio,
    modeBarButtons: config.modeBarButtons?.map((group) => group.map((one) => one !== "toImage" ? one : {
        name: one, title: "Download plot as a PNG", icon: Icons.camera,
        click: ({ data, layout }) => downloadImage(
            { data, layout, config: { plotGlPixelRatio: 2 } }, { ...config.toImageButtonOptions }),
    })),
});
const draw = async (chart) => {
    const { plot, sent, text, body } = chart;
    const { purge, react, relayout } = await plotly();
    const width = plot.clientWidth;
    if (!plot.isConnected || width === 0) return;
    const height = heightOf(sent, width, plot);
    const { color, fontFamily } = getComputedStyle(plot);
    const shown = [body, color, fontFamily], isSaid = chart.drawn === text;
    const isResized = chart.width !== width || chart.height !== height;
    if (!chart.shown?.every((one, place) => one === shown[place])) {
        // A copy: Plotly writes a zoom, and what became of tied axes, into the layout it is given.
        const layout = {
            ...structuredClone(sent.layout), width, height,
            font: { color, family: fontFamily }, paper_bgcolor: "transparent",
        };
        const axes = axesOf(sent.layout), tied = isTied(sent.layout);
        if (chart.axes !== undefined && chart.axes !== axes && (tied || chart.tied)) purge(plot);
        Object.assign(chart, { axes, tied });
        plot.style.height = `${height}px`;
        // One object, as under another Plotly would begin anew.
        const config = chart.config ??= asDrawn(sent.config, window.Plotly);
        await react(plot, { data: sent.data, layout, frames: sent.frames, config });
        listen(chart);
    } else if (isResized || !isSaid) {
        // Traces are as they were, which react would draw anew; and a figure with steps stays at
        // the one it shows.
        plot.style.height = `${height}px`;
        const { annotations = [], shapes = [] } = sent.layout;
        const faint = annotations.map(({ opacity }, k) => [`annotations[${k}].opacity`, opacity ?? 1]);
        await relayout(plot, {
            ...(isResized && { width, height }),
            ...(!isSaid && { shapes, ...Object.fromEntries(faint) }),
        });
    }
    plot.setAttribute("aria-label", sent.alt);
    Object.assign(chart, { shown, drawn: text, width, height });
};
const listen = ({ plot, sent, tell }) => {
    for (const name of ["selected", "doubleclick", "click"]) {
        plot.removeAllListeners(`plotly_${name}`);
    }
    if (!sent.asks) return;
    if (!["select", "lasso"].includes(sent.layout.dragmode)) {
        plot.on("plotly_click", (event) => tell(rowsOf(event)));
        return;
    }
    // A redrawing under other marks tells of a selection of nothing.
    plot.on("plotly_selected", (event) => event?.points?.length && tell(rowsOf(event)));
    // Not plotly_deselect, which a redrawing under other marks fires as well.
    plot.on("plotly_doubleclick", () => tell([]));
};
const made = (parentElement) => {
    const plot = document.createElement("div");
    plot.setAttribute("role", "figure");
    parentElement.append(plot);
    const chart = { plot, last: Promise.resolve() };
    // One after the other; what came meanwhile is drawn at once, and nothing twice.
    chart.redraw = () => { chart.last = chart.last.then(() => draw(chart)); };
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
    await chart.last;
    const canvases = [...chart.plot.querySelectorAll("canvas")];
    window.Plotly?.purge(chart.plot);
    // A browser keeps 16 contexts alive, and takes the oldest from whoever has it.
    for (const canvas of canvases) {
        canvas.getContext("webgl")?.getExtension("WEBGL_lose_context")?.loseContext();
    }
};
export default function ({ parentElement, data, setTriggerValue }) {
    const text = new TextDecoder().decode(data);
    if (!text) return void requestIdleCallback(plotly);   // what a next page will need
    const chart = charts.get(parentElement) ?? made(parentElement);
    chart.tell = (rows) => setTriggerValue("rows", rows);
    if (chart.text !== text) {
        const sent = JSON.parse(text), { shapes, annotations, ...layout } = sent.layout;
        const headings = annotations?.map((one) => ({ ...one, opacity: 1 }));
        // All that has traces drawn anew where it changes: not what makes a panel faint.
        const body = JSON.stringify({ ...sent, layout, headings, alt: "" });
        Object.assign(chart, { text, sent, body });
    }
    chart.redraw();
    return () => clear(chart);
}
