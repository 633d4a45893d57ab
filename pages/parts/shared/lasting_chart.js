// Draws a figure into the same plot again and again, and tells of clicks and of a dragged line.
const charts = new WeakMap();
const plotly = () => new Promise((resolve) => {
    if (window.Plotly) resolve(window.Plotly);
    window.addEventListener("mapdp-plotly", () => resolve(window.Plotly), { once: true });
});
// Plotly keeps where tied axes once stood, beyond the figure they belonged to.
const forget = ({ _fullLayout }) => {
    for (const [name, axis] of Object.entries(_fullLayout ?? {})) {
        if (!/^[xy]axis[0-9]*$/.test(name)) continue;
        delete axis._inputDomain;
        delete axis._inputRange;
    }
};
// A share of the window, or what was asked for: less where panels of one unit, in one row, are lower,
// unless a share is for a chart of another kind, too.
const heightOf = ({ share, layout }, width) => {
    const { xaxis, yaxis, margin } = layout;
    const height = share === null ? layout.height : Math.round(share * window.innerHeight);
    const isTied = ([name, axis]) => !name.startsWith("yaxis") || axis.constrain === "domain";
    if (share !== null && !Object.entries(layout).every(isTied)) return height;
    if (yaxis?.constrain !== "domain" || yaxis.domain[1] - yaxis.domain[0] < 1) return height;
    const across = (width - margin.l - margin.r) * (xaxis.domain[1] - xaxis.domain[0]);
    const shape = (yaxis.range[1] - yaxis.range[0]) / (xaxis.range[1] - xaxis.range[0]);
    return Math.min(height, Math.ceil(across * shape) + margin.t + margin.b);
};
// Where the named points of every table stood last, also in a plot that has left the page since.
const GLIDE = 900;   // milliseconds
const stood = new Map();
const mix = (from, to, share) => from + (to - from) * share;
const standing = ({ _fullData, _fullLayout }) => ({
    ranges: [_fullLayout.xaxis.range, _fullLayout.yaxis.range].map((range) => [...range]),
    traces: _fullData.flatMap(({ index, mode, x, y, customdata, text }) => {
        const names = customdata ?? text;
        return Array.isArray(names) || ArrayBuffer.isView(names)
            ? [{ index, x, y, names: Array.from(names, (name) => `${mode} ${name}`) }] : [];
    }),
});
const placesIn = ({ traces }) => new Map(traces.flatMap(({ names, x, y }) =>
    names.map((name, i) => [name, [x[i], y[i]]])));
// Let all points come from where they stood; those that were not there stand still.
const glide = async (plot, before, now) => {
    const places = placesIn(before), began = performance.now();
    const pairs = now.traces.map(({ names, x, y }) => names.map((name, i) =>
        [places.get(name) ?? [x[i], y[i]], [x[i], y[i]]]));
    const indices = now.traces.map(({ index }) => index);
    for (let passed = 0, isThere = false; !isThere && plot.isConnected;) {
        const share = passed * passed * (3 - 2 * passed);
        const along = (k) => pairs.map((all) => all.map(([from, to]) => mix(from[k], to[k], share)));
        const [across, up] = now.ranges.map((range, k) =>
            range.map((end, i) => mix(before.ranges[k][i], end, share)));
        await window.Plotly.update(plot, { x: along(0), y: along(1) },
            { "xaxis.range": across, "yaxis.range": up }, indices);
        isThere = passed === 1;
        await new Promise(requestAnimationFrame);
        passed = Math.min((performance.now() - began) / GLIDE, 1);
    }
};
// The same table drawn otherwise: its points glide there.
const follow = async ({ plot, figure: { rows_of: table } }) => {
    const before = stood.get(table), now = standing(plot);
    stood.set(table, now);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const isMoved = before && JSON.stringify(before) !== JSON.stringify(now);
    if (isMoved && !isStill) await glide(plot, before, now);
};
const draw = async (chart) => {
    const { plot, figure } = chart;
    const { react, relayout } = await plotly();
    const width = plot.clientWidth, height = heightOf(figure, width);
    if (!plot.isConnected || width === 0) return;
    plot.style.height = `${height}px`;
    if (chart.drawn === figure) {
        // Another size alone: a figure with steps stays at the one it shows.
        await relayout(plot, { width, height });
    } else {
        const { color, fontFamily } = getComputedStyle(plot);
        const { data, frames, config } = figure;
        // A copy: Plotly writes into the layout it was given what became of tied axes.
        const layout = {
            ...structuredClone(figure.layout), width, height, font: { color, family: fontFamily },
            paper_bgcolor: "transparent",
        };
        forget(plot);
        await react(plot, { data, layout, frames, config });
        if (figure.rows_of) await follow(chart);
    }
    Object.assign(chart, { width, drawn: figure });
    plot.removeAllListeners("plotly_click");
    plot.on("plotly_click", (event) => chart.click(event.points[0]?.customdata));
    plot.removeAllListeners("plotly_relayout");
    plot.on("plotly_relayout", (change) => chart.drag(change));
};
const made = (plot) => {
    const chart = { plot, width: 0, last: Promise.resolve() };
    // One after the other: a figure can arrive while the one before it is being drawn.
    chart.redraw = () => { chart.last = chart.last.then(() => draw(chart)); };
    chart.resized = () => { if (chart.figure?.share !== null) chart.redraw(); };
    chart.observer = new ResizeObserver(() => {
        if (plot.clientWidth !== chart.width) chart.redraw();
    });
    chart.observer.observe(plot);
    window.addEventListener("resize", chart.resized);
    charts.set(plot, chart);
    return chart;
};
const clear = async ({ plot, observer, resized, last }) => {
    observer.disconnect();
    window.removeEventListener("resize", resized);
    await last;
    const canvases = [...plot.querySelectorAll("canvas")];
    window.Plotly?.purge(plot);
    // A browser keeps 16 contexts alive, and takes the oldest from whoever has it.
    for (const canvas of canvases) {
        canvas.getContext("webgl")?.getExtension("WEBGL_lose_context")?.loseContext();
    }
};
export default function ({ parentElement, data, setTriggerValue }) {
    const plot = parentElement.querySelector("[role=figure]");
    const chart = charts.get(plot) ?? made(plot);
    chart.figure = JSON.parse(new TextDecoder().decode(data));
    chart.click = (row) => {
        if (chart.figure.asks && row !== undefined) setTriggerValue("row", Number(row));
    };
    // Plotly moves the figure's own shape.
    const line = chart.figure.layout.shapes?.[0]?.y0;
    chart.drag = (change) => {
        // Who takes the line by one end tilts it: that end counts.
        const ends = [change["shapes[0].y0"], change["shapes[0].y1"]];
        const moved = ends.find((end) => end !== undefined && end !== line);
        if (moved !== undefined) setTriggerValue("line", Number(moved));
    };
    plot.setAttribute("aria-label", chart.figure.alt);
    plot.style.height = `${heightOf(chart.figure, plot.clientWidth)}px`;
    chart.redraw();
    return () => clear(chart);
}
