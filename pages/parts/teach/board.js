// The live board: points under a hand, and what three methods make of them, drawn once a frame.

// ---- Places: whole numbers, so that an address can say them; units from 0 to 10.
const PLACES = 4096, SIDE = 10;
const FAR = [-14336, 18431];   // the farthest places: eight boards across, the board in the middle
const clip = (value) => Math.min(Math.max(Math.round(value), FAR[0]), FAR[1]);
const inUnits = (place) => SIDE * place / (PLACES - 1);
const toPlaces = (units) => units * (PLACES - 1) / SIDE;
const apart = ([a, b], [c, d]) => Math.hypot(a - c, b - d);
const columnsOf = (places) => ({
    x: Float64Array.from(places, (place) => inUnits(place[0])),
    y: Float64Array.from(places, (place) => inUnits(place[1])),
    n: places.length,
});
const lowest = (values) => values.reduce((best, value, k) => (value < values[best] ? k : best), 0);
// The nearest of some places, -1 where all are farther than so much.
const nearestPlace = (places, to, most) => {
    const gaps = places.map((place) => apart(place, to)), k = lowest(gaps);
    return gaps[k] < most ? k : -1;
};
// Centres for K-means to begin with: those there are, then the points farthest from all of them.
const centresFor = (k, centres, points) => {
    const found = centres.slice(0, k), from = points.length ? points : [[PLACES / 2, PLACES / 2]];
    while (found.length < k) {
        const gaps = from.map((place) => -Math.min(...found.map((one) => apart(place, one)), 1e9));
        found.push([...from[lowest(gaps)]]);
    }
    return found;
};

// ---- K-means and DP-means (as core.models.kmeans and core.models.dpmeans): all their passes.
const MOST_PASSES = 300;
const areEqual = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

function nearestCentre(x, y, centres) {
    let best = 0, least = Infinity;
    for (let k = 0; k < centres.length; k += 1) {
        const distance = (x - centres[k][0]) ** 2 + (y - centres[k][1]) ** 2;
        if (distance < least) [best, least] = [k, distance];
    }
    return [best, least];
}

// Sums and number of the points of every cluster.
function sumsOf({ x, y, n }, labels, k) {
    const sums = Array.from({ length: k }, () => [0, 0, 0]);
    for (let i = 0; i < n; i += 1) {
        const sum = sums[labels[i]];
        sum[0] += x[i];
        sum[1] += y[i];
        sum[2] += 1;
    }
    return sums;
}

function kmeans(columns, centres) {
    const states = [visited(columns, centres)];
    for (let pass = 0; pass < MOST_PASSES && columns.n; pass += 1) {
        const before = states.at(-1);
        states.push(visited(columns, movedCentres(columns, before)));
        if (areEqual(states.at(-1).labels, before.labels)) break;
    }
    return states;
}

function visited({ x, y, n }, centres) {
    const labels = new Int32Array(n), distances = new Float64Array(n);
    for (let i = 0; i < n; i += 1) [labels[i], distances[i]] = nearestCentre(x[i], y[i], centres);
    return { labels, distances, centres, objective: distances.reduce((sum, one) => sum + one, 0) };
}

// Every centre goes to the mean of its points; one without any, to the point farthest from its own.
function movedCentres(columns, { labels, distances, centres }) {
    const sums = sumsOf(columns, labels, centres.length);
    const empty = sums.flatMap((sum, k) => (sum[2] === 0 ? [k] : []));
    if (empty.length && Math.max(...distances) > 0) {
        const order = [...distances.keys()].sort((a, b) => distances[b] - distances[a]);
        empty.slice(0, columns.n).forEach((k, rank) => {
            const i = order[rank], own = sums[labels[i]];
            own[0] -= columns.x[i];
            own[1] -= columns.y[i];
            own[2] -= 1;
            sums[k] = [columns.x[i], columns.y[i], 1];
        });
    }
    const largest = sums[lowest(sums.map((sum) => -sum[2]))];
    return sums.map((sum) => (sum[2] > 0 ? sum : largest)).map(([a, b, n]) => [a / n, b / n]);
}

// A point too far from every centre founds a cluster.
function dpmeans(columns, penalty) {
    const { x, y, n } = columns;
    // The library visits the rows from the lowest to the highest, by their columns in turn.
    const order = [...Array(n).keys()].sort((a, b) => x[a] - x[b] || y[a] - y[b]);
    const states = [priced(columns, new Int32Array(n), 1, penalty)];
    for (let pass = 0; pass < MOST_PASSES && n; pass += 1) {
        const before = states.at(-1), found = new Int32Array(n), centres = [...before.centres];
        for (const i of order) {
            const [k, distance] = nearestCentre(x[i], y[i], centres);
            found[i] = distance > penalty ? centres.push([x[i], y[i]]) - 1 : k;
        }
        states.push(priced(columns, found, centres.length, penalty));
        if (areEqual(states.at(-1).labels, before.labels)) break;
    }
    return states;
}

// Clusters that have points, their means, and squared error + penalty x number of clusters.
function priced(columns, found, k, penalty) {
    const sums = sumsOf(columns, found, k), kept = sums.filter((sum) => sum[2] > 0);
    const centres = kept.map(([a, b, n]) => [a / n, b / n]);
    const labels = found.map((label) => kept.indexOf(sums[label]));
    let objective = penalty * centres.length;
    labels.forEach((label, i) => {
        objective += (columns.x[i] - centres[label][0]) ** 2 + (columns.y[i] - centres[label][1]) ** 2;
    });
    return { labels, centres, objective };
}

// ---- MAP-DP with clusters of unknown centre and width (as core.families.gaussian). A cluster's
// energy is -ln p(its points) - ln (n - 1)!, under a Normal-Wishart prior; a point's price is what
// it adds to that.
const DOF = 5;           // what the prior's width is worth, in points: whole, see lnGamma2
const MIDDLE = 5;        // where centres are expected, across and up
const REACH = 3;         // and how far from there, as a standard deviation
const TIE = 1e-9, LEAST_GAIN = 1e-6, MANY = 30;
const LN_FACTORIALS = [0, 0];
for (let k = 2; k < 1300; k += 1) LN_FACTORIALS.push(LN_FACTORIALS[k - 1] + Math.log(k));
// Ln of the Gamma function of two dimensions at a/2, by its duplication formula, whole a.
const lnGamma2 = (a) => Math.log(Math.PI) + (2 - a) * Math.LN2 + LN_FACTORIALS[a - 2];

class Clusters {
    // The expected variance within a cluster is width squared in either direction.
    constructor({ x, y, n }, labels, concentration, width) {
        Object.assign(this, { x, y, n, concentration, lnNew: Math.log(concentration) });
        this.scatter = (DOF - 3) * width * width;
        this.meanCount = (width / REACH) ** 2;
        this.constants = Array.from({ length: n + 2 }, (_, m) => lnGamma2(DOF)
            - lnGamma2(DOF + m) - DOF * Math.log(this.scatter) + m * Math.log(Math.PI)
            - Math.log(this.meanCount / (this.meanCount + m)) - LN_FACTORIALS[Math.max(m - 1, 0)]);
        this.none = { n: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0, energy: 0 };
        this.load(labels);
    }

    // Take these labels, 0 to K - 1.
    load(labels) {
        this.labels = Int32Array.from(labels);
        this.all = Array.from({ length: Math.max(-1, ...labels) + 1 }, () => this.none);
        this.labels.forEach((k, i) => {
            this.all[k] = this.put(this.all[k], this.x[i], this.y[i], 1);
        });
    }

    energyOf(n, x, y, xx, xy, yy) {
        const across = x - MIDDLE, up = y - MIDDLE, pull = this.meanCount * n / (this.meanCount + n);
        const a = this.scatter + xx + pull * across * across, b = xy + pull * across * up;
        const d = this.scatter + yy + pull * up * up;
        return this.constants[n] + 0.5 * (DOF + n) * Math.log(a * d - b * b);
    }

    // Moments and energy with a point more, or less where ``by`` is -1.
    put({ n: before, x, y, xx, xy, yy }, px, py, by) {
        const n = before + by;
        if (n === 0) return this.none;
        const across = px - x, up = py - y, pull = by * before / n;
        const moments = [n, x + by * across / n, y + by * up / n,
            xx + pull * across * across, xy + pull * across * up, yy + pull * up * up];
        return this.made(moments);
    }

    made([n, x, y, xx, xy, yy]) {
        return { n, x, y, xx, xy, yy, energy: this.energyOf(n, x, y, xx, xy, yy) };
    }

    priceOf({ n, x, y, xx, xy, yy, energy }, px, py) {
        const across = px - x, up = py - y, m = n + 1, pull = n / m;
        return this.energyOf(m, x + across / m, y + up / m, xx + pull * across * across,
            xy + pull * across * up, yy + pull * up * up) - energy;
    }

    priceOfNew(x, y) {
        return this.priceOf(this.none, x, y) - this.lnNew;
    }

    // The cheapest cluster at a place, -1 where a new one is cheaper still.
    cheapestAt(x, y) {
        let best = -1, least = this.priceOfNew(x, y);
        for (let k = 0; k < this.all.length; k += 1) {
            const price = this.priceOf(this.all[k], x, y);
            if (price < least) [best, least] = [k, price];
        }
        return best;
    }

    // Exact negative log joint of the partition, in nats.
    get objective() {
        let energy = -this.all.length * this.lnNew;
        for (let i = 0; i < this.n; i += 1) energy += Math.log(this.concentration + i);
        return this.all.reduce((sum, one) => sum + one.energy, energy);
    }

    // By how much E falls when two clusters become one.
    gainOf(one, other) {
        const n = one.n + other.n, share = other.n / n;
        const across = other.x - one.x, up = other.y - one.y, pull = one.n * share;
        const both = this.made([n, one.x + share * across, one.y + share * up,
            one.xx + other.xx + pull * across * across, one.xy + other.xy + pull * across * up,
            one.yy + other.yy + pull * up * up]);
        return one.energy + other.energy - both.energy - this.lnNew;
    }

    // Every point in its order goes where it is cheapest, the first of equal places; it stays unless
    // another is truly lower. The first cluster may count as one point, or nobody would leave it.
    sweep(isAsOne) {
        let asOne = isAsOne ? 0 : -1;
        for (let i = 0; i < this.n; i += 1) {
            const { all } = this, [x, y, own] = [this.x[i], this.y[i], this.labels[i]];
            const left = this.put(all[own], x, y, -1), isAlone = left.n === 0;
            const alone = this.priceOfNew(x, y);
            let best = own, least = Infinity, staying = alone;
            for (let k = 0; k < all.length; k += 1) {
                if (k === own && isAlone) continue;
                let price = k === own ? all[k].energy - left.energy : this.priceOf(all[k], x, y);
                if (k === asOne) price += Math.log(k === own ? left.n : all[k].n);
                if (price < least - TIE) [best, least] = [k, price];
                if (k === own) staying = price;
            }
            if (alone < least - TIE) [best, least] = [all.length, alone];
            if (least >= staying - TIE) continue;
            all[own] = left;
            all[best] = this.put(all[best] ?? this.none, x, y, 1);
            this.labels[i] = best;
            if (!isAlone) continue;
            // The last cluster takes the place of an empty one.
            const last = all.length - 1;
            all[own] = all.at(-1);
            all.pop();
            this.rename(last, own);
            if (asOne === own || asOne === last) asOne = asOne === own ? -1 : own;
        }
    }

    rename(from, to) {
        this.labels.forEach((label, i) => { if (label === from) this.labels[i] = to; });
    }

    // Merge the pair that lowers E most, as long as one does; whether any did.
    merge() {
        const before = this.all.length;
        for (;;) {
            let best = [0, 0, TIE];
            this.all.forEach((one, k) => {
                for (let other = 0; other < k; other += 1) {
                    const gain = this.gainOf(one, this.all[other]);
                    if (gain > best[2]) best = [other, k, gain];
                }
            });
            const [kept, dropped] = best;
            if (kept === dropped) return this.all.length < before;
            this.rename(dropped, kept);
            this.rename(this.all.length - 1, dropped);
            this.load(this.labels);
        }
    }
}

// Labels by the nearest of so many points far from each other: first that nearest to the mean, then
// always the one farthest from all before.
function farthestFirst({ x, y, n }, most) {
    const labels = new Int32Array(n), least = new Float64Array(n).fill(Infinity);
    const [meanX, meanY] = [x, y].map((column) => column.reduce((sum, one) => sum + one, 0) / n);
    let chosen = lowest(Array.from(x, (one, i) => (one - meanX) ** 2 + (y[i] - meanY) ** 2));
    for (let k = 0; k < most && least[chosen] > 0; k += 1) {
        for (let i = 0; i < n; i += 1) {
            const distance = (x[i] - x[chosen]) ** 2 + (y[i] - y[chosen]) ** 2;
            if (distance < least[i]) [least[i], labels[i]] = [distance, k];
        }
        chosen = lowest(least.map((one) => -one));
    }
    return labels;
}

// As published, R16's Algorithm 3 from one cluster, or from many clusters, which are merged as far
// as E falls and swept again, in turns (``published`` and ``Partition.merge`` of the library).
function mapdp(columns, concentration, width, isPublished) {
    const start = isPublished ? new Int32Array(columns.n) : farthestFirst(columns, MANY);
    const clusters = new Clusters(columns, start, concentration, width);
    const states = [];
    const keep = () => states.push({ labels: clusters.labels.slice(), objective: clusters.objective });
    keep();
    do {
        if (states.length > 1) keep();
        clusters.load(clusters.labels);   // sums made anew, without what rounding left
        for (let sweep = 0; sweep < MOST_PASSES && columns.n; sweep += 1) {
            clusters.sweep(isPublished && sweep === 0);
            keep();
            const [before, now] = states.slice(-2);
            if (sweep > 0 && Math.abs(before.objective - now.objective) < LEAST_GAIN) break;
        }
    } while (!isPublished && clusters.merge());
    return states;
}

// ---- What the three methods make of a sketch: all their passes, and what belongs where.
const METHODS = { kmeans: "K-means", dpmeans: "DP-means", mapdp: "MAP-DP" };
const HINTS = {
    kmeans: "Drag a ring: a centre begins there and ends at its cross.",
    dpmeans: "A point outside every circle, of radius √λ, founds a group.",
    mapdp: "A new point outside the borders would found a group.",
};

function answersTo({ points, centres, radius, n0, width, published }) {
    const columns = columnsOf(points);
    const nothing = [{ labels: new Int32Array(0), centres: [], objective: 0 }];
    return {
        columns,
        kmeans: kmeans(columns, centres.map((place) => place.map(inUnits))),
        dpmeans: columns.n ? dpmeans(columns, radius * radius) : nothing,
        mapdp: mapdp(columns, n0, width, published),
    };
}

const atPass = (states, pass) => states[Math.min(pass, states.length - 1)];

// The cluster that a place belongs to, -1 for a new one, of a method's state.
function judgeOfPlaces(method, state, { columns }, { radius, n0, width }) {
    if (method === "mapdp") {
        const clusters = new Clusters(columns, state.labels, n0, width);
        return (x, y) => clusters.cheapestAt(x, y);
    }
    const reach = method === "dpmeans" ? radius * radius : Infinity;
    return (x, y) => {
        const [k, distance] = nearestCentre(x, y, state.centres);
        return distance > reach ? -1 : k;
    };
}

function readout(method, { labels, objective }) {
    const k = new Set(labels).size, groups = `${k} group${k === 1 ? "" : "s"}`;
    return {
        kmeans: `${groups}, error ${objective.toFixed(1)}`,
        dpmeans: `${groups}, error + λK = ${objective.toFixed(1)}`,
        mapdp: `${groups}, E = ${objective.toFixed(2)}`,
    }[method];
}

// Colours that stay: a cluster has that of the cluster whose points it shares most, the others, the
// largest first, and centres without points have the first that is free.
function colouredAs(labels, known, k = 0) {
    const shared = new Map(), sizes = new Map();
    labels.forEach((label, i) => {
        sizes.set(label, (sizes.get(label) ?? 0) + 1);
        const key = `${label} ${known[i]}`;
        if (known[i] !== undefined) shared.set(key, (shared.get(key) ?? 0) + 1);
    });
    const colours = new Map(), taken = new Set();
    const give = (label, colour) => {
        colours.set(label, colour);
        taken.add(colour);
    };
    const falling = (counts) => [...counts].sort((a, b) => b[1] - a[1]).map(([key]) => key);
    for (const key of falling(shared)) {
        const [label, colour] = key.split(" ").map(Number);
        if (!colours.has(label) && !taken.has(colour)) give(label, colour);
    }
    for (const label of [...falling(sizes), ...Array(k).keys()]) {
        let free = 0;
        while (taken.has(free)) free += 1;
        if (!colours.has(label)) give(label, free);
    }
    return colours;
}

// ---- A square canvas: areas, points, rings, lines and crosses, in units.
const BOARD_SPAN = 10.6;      // units across, so that a point at the edge is whole
const BLOCK = 8, MOST_PIXELS = 304;     // of the areas: looked at by blocks, in either direction
const TURN = 2 * Math.PI;

class Picture {
    constructor(canvas, isLarge, whenResized) {
        Object.assign(this, { canvas, isLarge, pen: canvas.getContext("2d"), wide: 16 });
        this.areas = document.createElement("canvas");
        // To ask at every frame would have the browser lay the page out once more.
        new ResizeObserver(() => {
            this.wide = canvas.clientWidth;
            whenResized();
        }).observe(canvas);
    }

    draw(zoom, labelAt, { x, y, n }, labels, colourOf) {
        this.ratio = Math.min(window.devicePixelRatio || 1, 2);
        const side = Math.max(Math.round(this.wide * this.ratio), 16);
        if (this.canvas.width !== side) this.canvas.width = this.canvas.height = side;
        this.span = BOARD_SPAN * zoom;
        Object.assign(this, { left: MIDDLE - this.span / 2, top: MIDDLE + this.span / 2 });
        this.scale = side / this.span;
        this.pen.clearRect(0, 0, side, side);
        if (!n) return;
        this.paintAreas(labelAt, colourOf);
        this.pen.drawImage(this.areas, 0, 0, side, side);
        const byColour = Map.groupBy(Array(n).keys(), (i) => colourOf(labels[i]));
        for (const [colour, some] of byColour) this.dots(some.map((i) => this.at(x[i], y[i])), colour);
    }

    at(x, y) {
        return [(x - this.left) * this.scale, (this.top - y) * this.scale];
    }

    // Pale areas with darker borders; blocks whose corners belong together are not looked into.
    paintAreas(labelAt, colourOf) {
        const coarse = Math.min(this.wide / (this.isLarge ? 2 : 1.5), MOST_PIXELS);
        const n = Math.max(BLOCK * Math.round(coarse / BLOCK), BLOCK), m = n + 1;
        const found = new Int16Array(m * m).fill(-2);
        const look = (i, j) => {
            if (found[j * m + i] === -2) {
                found[j * m + i] = labelAt(this.left + i * this.span / n, this.top - j * this.span / n);
            }
            return found[j * m + i];
        };
        const fill = (i, j, side) => {
            const label = look(i, j), half = side / 2;
            if (side === 1) return;
            const isOne = label === look(i + side, j) && label === look(i, j + side)
                && label === look(i + side, j + side);
            if (!isOne) {
                for (const a of [0, half]) for (const b of [0, half]) fill(i + a, j + b, half);
                return;
            }
            for (let at = j * m + i; at < (j + side) * m + i; at += m) found.fill(label, at, at + side);
        };
        for (let j = 0; j < n; j += BLOCK) for (let i = 0; i < n; i += BLOCK) fill(i, j, BLOCK);
        if (this.areas.width !== n) this.areas.width = this.areas.height = n;
        const pen = this.areas.getContext("2d"), image = pen.createImageData(n, n);
        const pixels = new Uint32Array(image.data.buffer), paints = new Map([[-1, 0]]);
        for (let j = 0; j < n; j += 1) {
            for (let i = 0; i < n; i += 1) {
                const label = found[j * m + i];
                if (!paints.has(label)) {
                    const rgb = parseInt(colourOf(label).slice(1), 16);
                    const [red, green, blue] = [rgb >> 16, rgb >> 8 & 255, rgb & 255];
                    paints.set(label, ((52 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
                }
                const isBorder = (i + 1 < n && found[j * m + i + 1] !== label)
                    || (j + 1 < n && found[(j + 1) * m + i] !== label);
                pixels[j * n + i] = isBorder ? 0xeb8e8a80 : paints.get(label);
            }
        }
        pen.putImageData(image, 0, 0);
    }

    // Points of one colour; what is outside is an arrow's head at the edge.
    dots(spots, colour) {
        const { pen, ratio } = this, side = this.canvas.width;
        const radius = (this.isLarge ? 3.6 : 1.6) * ratio, edge = Math.max(radius, 5 * ratio);
        pen.beginPath();
        for (const [across, down] of spots) {
            const inside = [across, down].map((at) => Math.min(Math.max(at, edge), side - edge));
            if (across >= 0 && down >= 0 && across <= side && down <= side) {
                pen.moveTo(across + radius, down);
                pen.arc(across, down, radius, 0, TURN);
                continue;
            }
            const turn = Math.atan2(down - inside[1], across - inside[0]);
            [0, 2.4, -2.4].forEach((corner, k) => pen[k ? "lineTo" : "moveTo"](
                inside[0] + edge * Math.cos(turn + corner),
                inside[1] + edge * Math.sin(turn + corner)));
            pen.closePath();
        }
        pen.fillStyle = colour;
        pen.strokeStyle = "rgba(255, 255, 255, 0.7)";
        pen.lineWidth = radius / 4;
        pen.fill();
        pen.stroke();
    }

    stroke(colour, width) {
        this.pen.strokeStyle = colour;
        this.pen.lineWidth = width * this.ratio;
        this.pen.stroke();
    }

    ring([x, y], radius, colour, width) {
        this.pen.beginPath();
        this.pen.arc(...this.at(x, y), radius, 0, TURN);
        this.stroke(colour, width);
    }

    line(from, to, colour, width) {
        this.pen.beginPath();
        this.pen.moveTo(...this.at(...from));
        this.pen.lineTo(...this.at(...to));
        this.stroke(colour, width);
    }

    // A centre: a cross over a white one, so that it is seen on its points.
    cross([x, y], colour) {
        const arm = (this.isLarge ? 9 : 4) * this.ratio / this.scale;
        for (const [paint, width] of [["#ffffff", 6], [colour, 3]]) {
            const thick = this.isLarge ? width : width / 2;
            this.line([x - arm, y], [x + arm, y], paint, thick);
            this.line([x, y - arm], [x, y + arm], paint, thick);
        }
    }
}

// ---- The board: a hand with one tool at a time, a clock, sliders, and a way back.
const FIELDS = ["points", "centres", "k", "radius", "n0", "width", "published"];
const ZOOMS = [1, 2, 4, 8];
const NEAR = 16, AROUND = 96;   // pixels within which a point, and a group, is meant
const SPREAD = 170;             // standard deviation of a cloud, in places
const SPEEDS = { slow: 1600, normal: 800, fast: 300 };   // milliseconds a pass
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(TURN * Math.random());
// Said again, a text would be read out again.
const say = (node, words) => { if (node.textContent !== words) node.textContent = words; };

class Board {
    constructor(root) {
        Object.assign(this, { root, tool: "drag", show: "mapdp", zoom: 1, known: [], pass: Infinity });
        Object.assign(this, { cursor: [PLACES / 2, PLACES / 2], history: [], turn: 0, timer: null });
        this.canvas = root.querySelector("canvas.large");
        this.picture = new Picture(this.canvas, true, () => this.changed());
        this.cards = [...root.querySelectorAll(".cards button")].map((button) => ({
            button,
            picture: new Picture(button.querySelector("canvas"), false, () => this.changed()),
        }));
        for (const button of root.querySelectorAll("button")) {
            button.onclick = () => this.press(button.name);
        }
        for (const input of root.querySelectorAll(".set")) {
            input.oninput = () => this.set(input);
            input.onchange = () => this.commit();
        }
        this.list("preset").onchange = (event) => this.begin(event.target.value);
        this.list("speed").onchange = () => { if (this.timer) this.run(); };
        Object.assign(this.canvas, {
            onpointerdown: (event) => this.down(event),
            onpointermove: (event) => this.isDown && this.carry(this.placeOf(event)),
            onpointerup: () => this.up(),
            onpointercancel: () => this.up(),
            onkeydown: (event) => this.key(event),
            onblur: () => this.see(false),
        });
    }

    list(name) {
        return this.root.querySelector(`[name=${name}]`);
    }

    // What comes from the server: a drawing with what is told of it, and where it begins.
    take(data) {
        Object.assign(this, { data, sketch: {}, history: [], known: [], pass: Infinity });
        for (const name of FIELDS) this.sketch[name] = structuredClone(data[name]);
        this.show = data.show in METHODS ? data.show : "mapdp";
        this.tool = data.tool ?? this.tool;
        this.root.style.setProperty("--above", data.above);
        const options = [["", "none, draw freely"], ...Object.entries(data.presets)];
        this.list("preset").replaceChildren(...options.map(([name, title]) => new Option(title, name)));
        this.list("preset").value = data.preset ?? "";
        say(this.root.querySelector(".task"), data.task);
        this.list("n0").max = data.concentrations.length - 1;
        this.fit();
        this.before = this.said();
        this.seeAll();
        this.changed();
    }

    // K-means has as many centres as it is told.
    fit() {
        this.sketch.centres = centresFor(this.sketch.k, this.sketch.centres, this.sketch.points);
    }

    said() {
        return JSON.stringify(this.sketch);
    }

    // Keep what was before as a step back, and tell the server.
    commit() {
        const now = this.said();
        this.changed();
        if (now === this.before) return;
        this.history.push(this.before);
        this.before = now;
        this.tell();
    }

    undo() {
        if (!this.history.length) return;
        this.before = this.history.pop();
        this.sketch = JSON.parse(this.before);
        this.changed();
        this.tell();
    }

    set(input) {
        const { name, value } = input;
        if (name === "published") this.sketch.published = input.checked;
        else this.sketch[name] = name === "n0" ? this.data.concentrations[value] : Number(value);
        if (name === "k") this.fit();
        this.changed();
    }

    setZoom(factor) {
        if (ZOOMS.includes(this.zoom * factor)) this.zoom *= factor;
    }

    // Zoom out until everything is seen.
    seeAll() {
        const farthest = Math.max(0, ...this.sketch.points.flat().map(
            (place) => Math.abs(inUnits(place) - MIDDLE)));
        this.zoom = ZOOMS.find((zoom) => farthest <= BOARD_SPAN * zoom / 2) ?? 8;
    }

    press(name) {
        const acts = {
            undo: () => this.undo(),
            clear: () => { this.sketch.points = []; this.commit(); },
            outlier: () => { this.add([12000, 12000]); this.seeAll(); this.commit(); },
            closer: () => this.setZoom(0.5),
            wider: () => this.setZoom(2),
            rewind: () => this.step(-Infinity),
            back: () => this.step(-1),
            play: () => this.play(),
            forward: () => this.step(1),
            rest: () => this.step(Infinity),
        };
        if (name in METHODS) {
            this.show = name;
            this.tell();
        } else if (name in acts) acts[name]();
        else this.tool = name;
        this.changed();
    }

    // ---- The clock: the passes of all three methods.
    get last() {
        return Math.max(...Object.keys(METHODS).map((method) => this.answers[method].length - 1));
    }

    to(pass) {
        this.pass = pass >= this.last ? Infinity : Math.max(pass, 0);
        this.changed();
    }

    step(by) {
        this.stop();
        this.to(Math.min(this.pass, this.last) + by);
    }

    play() {
        if (this.timer) this.stop();
        else {
            if (this.pass === Infinity) this.to(0);
            this.run();
        }
    }

    run() {
        clearInterval(this.timer);
        this.timer = setInterval(() => {
            this.to(this.pass + 1);
            if (this.pass === Infinity) this.stop();
        }, SPEEDS[this.list("speed").value]);
    }

    stop() {
        clearInterval(this.timer);
        this.timer = null;
        this.changed();
    }

    // ---- The hand: a mouse, a finger or the keyboard.
    placeOf({ clientX, clientY }) {
        const box = this.canvas.getBoundingClientRect(), { left, top, span } = this.picture;
        return [left + (clientX - box.left) / box.width * span,
            top - (clientY - box.top) / box.height * span].map((units) => clip(toPlaces(units)));
    }

    // So many pixels of the screen, in places.
    across(pixels) {
        return pixels * toPlaces(this.picture.span) / this.canvas.clientWidth;
    }

    down(event) {
        if (!event.isPrimary) return;
        this.canvas.setPointerCapture(event.pointerId);
        this.canvas.focus({ preventScroll: true });
        Object.assign(this, { cursor: this.placeOf(event), isDown: true, hasCursor: false });
        this.act();
        this.changed();
    }

    up() {
        if (!this.isDown) return;
        Object.assign(this, { isDown: false, held: null });
        this.commit();
    }

    // What a tool does where it is put down.
    act() {
        const { sketch, cursor, tool } = this;
        const k = nearestPlace(sketch.points, cursor, this.across(tool === "group" ? AROUND : NEAR));
        const centre = nearestPlace(sketch.centres, cursor, this.across(NEAR));
        if (tool === "point" && this.add(cursor)) this.held = ["points", [sketch.points.length - 1]];
        else if (tool === "cloud") this.cloud(12);
        else if (tool === "delete") {
            sketch.points = sketch.points.filter((place) => apart(place, cursor) >= this.across(NEAR));
        } else if (tool === "drag" && this.show === "kmeans" && centre >= 0) {
            this.held = ["centres", [centre]];
        } else if (tool === "drag" && k >= 0) this.held = ["points", [k]];
        else if (tool === "group" && k >= 0) {
            const { labels } = atPass(this.answers[this.show], this.pass);
            const own = [...labels.keys()].filter((i) => labels[i] === labels[k]);
            this.held = ["points", own];
        }
    }

    // Bring what is held along, or go on drawing.
    carry(to) {
        const by = to.map((value, k) => value - this.cursor[k]);
        if (this.held) {
            const [name, which] = this.held, all = this.sketch[name];
            for (const k of which) all[k] = all[k].map((value, axis) => clip(value + by[axis]));
        }
        if (this.tool !== "cloud" || Math.hypot(...by) >= SPREAD / 3) {
            this.cursor = to;
            if (this.tool === "cloud") this.cloud(3);
            if (this.tool === "delete") this.act();
        }
        this.changed();
    }

    add(place) {
        if (this.sketch.points.length >= this.data.most) return false;
        this.sketch.points.push(place.map(clip));
        return true;
    }

    cloud(count) {
        const spread = SPREAD * this.zoom;
        for (let k = 0; k < count; k += 1) this.add(this.cursor.map((at) => at + spread * normal()));
    }

    see(hasCursor) {
        this.hasCursor = hasCursor;
        this.changed();
    }

    // Arrows move the cursor and what is held; Enter takes hold or lets go, or uses a tool at once.
    key(event) {
        const { key, shiftKey } = event;
        if (key in ARROWS) {
            const far = (shiftKey ? 400 : 80) * this.zoom;
            const to = this.cursor.map((value, k) => clip(value + far * ARROWS[key][k]));
            if (this.held) this.carry(to);
            else this.cursor = to;
        } else if (key === "Enter" || key === " ") {
            const hadHold = this.held;
            this.held = null;
            if (!hadHold) this.act();
            if (this.tool === "point") this.held = null;
            if (!this.held) this.commit();
        } else if (key === "z" && (event.ctrlKey || event.metaKey)) this.undo();
        else if (key === "+" || key === "-") this.setZoom(key === "+" ? 0.5 : 2);
        else return;
        event.preventDefault();
        this.see(true);
    }

    // ---- Drawing: in the next frame, however often something changes before.
    changed() {
        if (this.isWaiting || !this.sketch) return;
        this.isWaiting = true;
        requestAnimationFrame(() => {
            this.isWaiting = false;
            this.draw();
        });
    }

    draw() {
        const { root, sketch, pass } = this;
        this.answers = answersTo(sketch);
        const { labels } = atPass(this.answers.mapdp, pass), colours = colouredAs(labels, this.known);
        this.known = Array.from(labels, (label) => colours.get(label));
        this.ink = getComputedStyle(root).color;
        this.drawMethod(this.picture, this.show);
        if (this.hasCursor) {
            this.picture.ring(this.cursor.map(inUnits), 13 * this.picture.ratio, this.ink, 2);
        }
        // While something is dragged one of the small pictures is drawn a frame, in turn.
        this.turn = (this.turn + 1) % this.cards.length;
        this.cards.forEach(({ button, picture }, k) => {
            button.setAttribute("aria-pressed", String(this.show === button.name));
            const state = atPass(this.answers[button.name], pass);
            say(button.querySelector("small"), readout(button.name, state));
            if (!this.isDown || k === this.turn) this.drawMethod(picture, button.name);
        });
        for (const button of root.querySelectorAll(".tools button")) {
            button.setAttribute("aria-pressed", String(button.name === this.tool));
        }
        const { last } = this, shown = Math.min(pass, last);
        say(root.querySelector("output"), `${sketch.points.length} points`);
        say(root.querySelector(".pass"),
            pass === Infinity ? `at rest, after ${last}` : `pass ${shown} of ${last}`);
        say(root.querySelector(".hint"), HINTS[this.show]);
        say(this.list("play"), this.timer ? "❚❚" : "▶");
        this.list("play").setAttribute("aria-label", this.timer ? "Pause" : "Play");
        const { concentrations } = this.data;
        const place = lowest(concentrations.map((one) => Math.abs(Math.log(one / sketch.n0))));
        for (const input of root.querySelectorAll(".set")) {
            input.value = input.name === "n0" ? place : sketch[input.name];
            input.checked = sketch.published;
            const words = input.parentElement.querySelector("b");
            if (words) say(words, String(sketch[input.name]));
        }
    }

    drawMethod(picture, method) {
        const { answers, sketch, pass, ink, data: { colours: palette } } = this;
        const states = answers[method], state = atPass(states, pass), { ratio } = picture;
        const colours = colouredAs(state.labels, this.known, state.centres?.length);
        const colourOf = (label) => palette[(colours.get(label) ?? 0) % palette.length];
        const judge = judgeOfPlaces(method, state, answers, sketch);
        picture.draw(this.zoom, judge, answers.columns, state.labels, colourOf);
        (state.centres ?? []).forEach((centre, k) => {
            const colour = colourOf(k), { isLarge } = picture;
            if (method === "dpmeans") {
                picture.ring(centre, sketch.radius * picture.scale, colour, isLarge ? 2 : 1);
            } else if (isLarge) {
                const shown = states.slice(0, states.indexOf(state) + 1).map((one) => one.centres[k]);
                shown.slice(1).forEach((to, step) => picture.line(shown[step], to, ink, 1));
                picture.ring(shown[0], 11 * ratio, ink, 2);
                picture.ring(shown[0], 9 * ratio, colour, 2);
            }
            picture.cross(centre, colour);
        });
    }
}

// ---- The board as a component of the page: what comes from the server, what goes back to it.
const boards = new WeakMap();

export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
    const root = parentElement.querySelector(".board");
    const board = boards.get(root) ?? new Board(root);
    boards.set(root, board);
    board.begin = (name) => setTriggerValue("preset", name);
    board.tell = () => setStateValue("drawing", { ...structuredClone(board.sketch), show: board.show });
    // What was drawn here comes back by itself: only what came from elsewhere is taken over.
    if (board.revision !== data.revision) {
        board.revision = data.revision;
        board.take(data);
    }
}
