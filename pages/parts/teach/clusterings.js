// What three methods make of points in a plane, pass by pass, equal to the library's.

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
    // another is truly lower.
    sweep() {
        for (let i = 0; i < this.n; i += 1) {
            const { all } = this, [x, y, own] = [this.x[i], this.y[i], this.labels[i]];
            const left = this.put(all[own], x, y, -1), isAlone = left.n === 0;
            const alone = this.priceOfNew(x, y);
            let best = own, least = Infinity, staying = alone;
            for (let k = 0; k < all.length; k += 1) {
                if (k === own && isAlone) continue;
                const price = k === own ? all[k].energy - left.energy : this.priceOf(all[k], x, y);
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

// From many clusters, swept to rest and merged as far as E falls, in turns (``published`` and
// ``Partition.merge`` of the library).
function mapdp(columns, concentration, width) {
    const clusters = new Clusters(columns, farthestFirst(columns, MANY), concentration, width);
    do {
        clusters.load(clusters.labels);   // sums made anew, without what rounding left
        for (let sweep = 0, before; sweep < MOST_PASSES && columns.n; sweep += 1) {
            clusters.sweep();
            const now = clusters.objective;
            if (sweep > 0 && Math.abs(before - now) < LEAST_GAIN) break;
            before = now;
        }
    } while (clusters.merge());
    return [{ labels: clusters.labels, objective: clusters.objective }];
}
