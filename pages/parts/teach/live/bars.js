// The bill of one point as stacked bars: every cluster's price in its terms, a new one's last.
const TERMS = {
    distance: ["#5b6b7f", "distance: how odd the point is there"],
    normaliser: ["#d08a2e", "width: wide clusters cost more (left of zero: a discount)"],
    count: ["#7d5ba6", "count: small clusters cost more"],
    fixed: ["#2f8073", "λ: the fixed price of a new cluster"],
};
const MOST_BARS = 6;
const [BAR, STEP_DOWN, LEFT_OF_BARS, RIGHT_OF_BARS] = [24, 34, 34, 108];
const SVG = "http://www.w3.org/2000/svg";

class Bars {
    constructor(root) {
        this.svg = root.querySelector("svg.bars");
        this.legend = root.querySelector(".legend");
    }

    // Entries as of ``billOf``, each with the colour of its cluster; none for a new one.
    show(entries) {
        const order = [...entries].sort((a, b) => totalOf(a) - totalOf(b));
        const kept = new Set(order.slice(0, MOST_BARS));
        const shown = entries.filter((one) => kept.has(one) || one.cluster < 0)
            .sort((a, b) => (a.colour ?? "~").localeCompare(b.colour ?? "~"));
        const height = STEP_DOWN * shown.length;
        const width = this.svg.clientWidth || 360;
        this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
        this.svg.style.height = `${height}px`;
        this.svg.replaceChildren();
        const scale = this.scaleOf(shown, order, width);
        shown.forEach((one, k) => this.bar(one, STEP_DOWN * k, scale, one === order[0]));
        this.svg.setAttribute("aria-label", shown.map(
            (one) => `${one.cluster < 0 ? "new" : "cluster"} ${totalOf(one).toFixed(1)}`).join(", "));
        this.explain(new Set(entries.flatMap(({ terms }) => Object.keys(terms))));
    }

    // Pixels a nat; bars of clusters far away are cut, so that the near ones can be told apart.
    scaleOf(shown, order, width) {
        const below = (one) => Object.values(one.terms).reduce((sum, term) => sum + Math.min(term, 0), 0);
        const fresh = shown.filter((one) => one.cluster < 0).map(totalOf);
        const most = Math.max(1, ...fresh, 2 * totalOf(order[Math.min(1, order.length - 1)]));
        const least = Math.min(0, ...shown.map(below));
        const perNat = (width - LEFT_OF_BARS - RIGHT_OF_BARS) / (most - least);
        return { perNat, zero: LEFT_OF_BARS - least * perNat, end: width - RIGHT_OF_BARS };
    }

    bar(one, top, { perNat, zero, end }, isCheapest) {
        const isNew = one.cluster < 0;
        if (!isNew) this.add("rect", { x: 0, y: top, width: BAR, height: BAR, rx: 4, fill: one.colour });
        else this.add("text", { x: 0, y: top + 0.75 * BAR }, "new");
        let [right, left] = [zero, zero];
        for (const [name, value] of Object.entries(one.terms)) {
            const wide = Math.abs(value) * perNat;
            const from = value < 0 ? (left -= wide) : right;
            if (value > 0) right += wide;
            const seen = Math.max(0, Math.min(from + wide, end) - from);
            this.add("rect", { x: from, y: top, width: seen, height: BAR, fill: TERMS[name][0] });
        }
        this.add("rect", { x: zero - 0.5, y: top - 4, width: 1, height: BAR + 8, fill: "currentColor" });
        const share = "share" in one ? `, ${(100 * one.share).toFixed(one.share > 0.1 ? 0 : 1)} %` : "";
        const words = `${right > end ? "… " : ""}${totalOf(one).toFixed(1)}${share}`;
        const text = this.add("text", { x: Math.min(right, end) + 6, y: top + 0.75 * BAR }, words);
        if (isCheapest) text.classList.add("cheapest");
    }

    add(tag, attributes, words = "") {
        const node = document.createElementNS(SVG, tag);
        for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
        node.textContent = words;
        this.svg.append(node);
        return node;
    }

    explain(there) {
        this.legend.replaceChildren(...Object.entries(TERMS).map(([name, [colour, words]]) => {
            const line = document.createElement("span");
            const chip = document.createElement("i");
            chip.style.background = colour;
            line.append(chip, words);
            line.className = there.has(name) ? "" : "off";
            return line;
        }));
    }
}
