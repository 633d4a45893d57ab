// What three methods make of points in a plane, equal to the library's.

// ---- Places: whole numbers, so that an address can say them; units from 0 to 10.
const PLACES = 4096, SIDE = 10;
const FAR = [-14336, 18431];   // the farthest places: eight boards across, the board in the middle
const clip = (value) => Math.min(Math.max(Math.round(value), FAR[0]), FAR[1]);
const inUnits = (place) => SIDE * place / (PLACES - 1);
const toPlaces = (units) => units * (PLACES - 1) / SIDE;
const apart = ([a, b], [c, d]) => Math.sqrt((a - c) ** 2 + (b - d) ** 2);
const lowest = (values) => values.reduce((best, value, k) => (value < values[best] ? k : best), 0);
// The nearest of some places, -1 where all are farther than so much.
const nearestPlace = (places, to, most) => {
    const gaps = places.map((place) => apart(place, to)), k = lowest(gaps);
    return gaps[k] < most ? k : -1;
};
// Some places, then those of the points that are farthest from all before, until there are so many.
function spreadOut(found, points, most) {
    const all = found.slice(0, most);
    const gaps = points.map((point) => Math.min(...all.map((one) => apart(one, point))));
    while (all.length < most) {
        const chosen = [...points[lowest(gaps.map((gap) => -gap))]];
        all.push(chosen);
        points.forEach((point, i) => { gaps[i] = Math.min(gaps[i], apart(chosen, point)); });
    }
    return all;
}

// ---- K-means and DP-means (as core.models.kmeans and core.models.dpmeans).
const MOST_PASSES = 300;
const areEqual = (a, b) => a.every((value, i) => value === b[i]);
const meanOf = ([x, y, n]) => [x / n, y / n];

function nearestCentre(x, y, centres) {
    let best = 0, least = Infinity;
    for (let k = 0; k < centres.length; k += 1) {
        const distance = (x - centres[k][0]) ** 2 + (y - centres[k][1]) ** 2;
        if (distance < least) [best, least] = [k, distance];
    }
    return [best, least];
}

// Sums and number of the points of every cluster.
function sumsOf(points, labels, k) {
    const sums = Array.from({ length: k }, () => [0, 0, 0]);
    points.forEach(([x, y], i) => {
        const sum = sums[labels[i]];
        sum[0] += x;
        sum[1] += y;
        sum[2] += 1;
    });
    return sums;
}

// The last pass, with the centres of all of them as its path.
function kmeans(points, centres) {
    let state = assigned(points, centres), before;
    const path = [centres];
    do {
        before = state;
        if (points.length) state = assigned(points, movedCentres(points, before));
        path.push(state.centres);
    } while (path.length <= MOST_PASSES && !areEqual(state.labels, before.labels));
    return { ...state, path };
}

function assigned(points, centres) {
    const found = points.map(([x, y]) => nearestCentre(x, y, centres));
    const labels = found.map(([k]) => k), distances = found.map(([, distance]) => distance);
    return { labels, distances, centres, objective: distances.reduce((sum, one) => sum + one, 0) };
}

// Every centre goes to the mean of its points; one without any, to the point farthest from its own.
function movedCentres(points, { labels, distances, centres }) {
    const sums = sumsOf(points, labels, centres.length);
    const empty = sums.flatMap((sum, k) => (sum[2] === 0 ? [k] : []));
    if (empty.length && Math.max(...distances) > 0) {
        const order = [...distances.keys()].sort((a, b) => distances[b] - distances[a]);
        empty.slice(0, points.length).forEach((k, rank) => {
            const own = sums[labels[order[rank]]];
            sums[k] = [...points[order[rank]], 1];
            sums[k].forEach((one, part) => { own[part] -= one; });
        });
    }
    const largest = sums[lowest(sums.map((sum) => -sum[2]))];
    return sums.map((sum) => meanOf(sum[2] > 0 ? sum : largest));
}

// A point too far from every centre founds a cluster.
function dpmeans(points, penalty) {
    // The library visits the rows from the lowest to the highest, by their columns in turn.
    const inTurn = (a, b) => points[a][0] - points[b][0] || points[a][1] - points[b][1];
    const order = [...points.keys()].sort(inTurn);
    let state = priced(points, points.map(() => 0), 1, penalty);
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
        const before = state, found = [], centres = [...before.centres];
        for (const i of order) {
            const [k, distance] = nearestCentre(...points[i], centres);
            found[i] = distance > penalty ? centres.push(points[i]) - 1 : k;
        }
        state = priced(points, found, centres.length, penalty);
        if (areEqual(state.labels, before.labels)) break;
    }
    return state;
}

// Clusters that have points, their means, and squared error + penalty x number of clusters.
function priced(points, found, k, penalty) {
    const sums = sumsOf(points, found, k), kept = sums.filter((sum) => sum[2] > 0);
    const centres = kept.map(meanOf), labels = found.map((label) => kept.indexOf(sums[label]));
    const objective = points.reduce((sum, point, i) => sum + apart(point, centres[labels[i]]) ** 2,
        penalty * centres.length);
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

// Sums about the middle of a cluster that is one point, or none.
function sumsAt(across, up) {
    const x = across - MIDDLE, y = up - MIDDLE;
    return { n: 1, x, y, xx: x * x, xy: x * y, yy: y * y, energy: 0 };
}

class Clusters {
    // The expected variance within a cluster is width squared in either direction.
    constructor(points, labels, concentration, width) {
        Object.assign(this, { concentration, lnNew: Math.log(concentration) });
        this.points = points.map(([x, y]) => sumsAt(x, y));
        this.scatter = (DOF - 3) * width * width;
        this.meanCount = (width / REACH) ** 2;
        this.constants = Array.from({ length: points.length + 2 }, (_, m) => lnGamma2(DOF)
            - lnGamma2(DOF + m) - DOF * Math.log(this.scatter) + m * Math.log(Math.PI)
            - Math.log(this.meanCount / (this.meanCount + m)) - LN_FACTORIALS[Math.max(m - 1, 0)]);
        this.none = { n: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0, energy: 0 };
        this.load(labels);
    }

    // Take these labels, 0 to K - 1.
    load(labels) {
        this.labels = [...labels];
        this.all = Array.from({ length: Math.max(-1, ...labels) + 1 }, () => this.none);
        this.labels.forEach((k, i) => { this.all[k] = this.joined(this.all[k], this.points[i]); });
    }

    // Energy of a cluster with the points of another, or, where ``by`` is -1, without them.
    energyOf(one, other, by = 1) {
        const n = one.n + by * other.n, pull = 1 / (this.meanCount + n);
        const x = one.x + by * other.x, y = one.y + by * other.y;
        const across = this.scatter + one.xx + by * other.xx - pull * x * x;
        const up = this.scatter + one.yy + by * other.yy - pull * y * y;
        const both = one.xy + by * other.xy - pull * x * y;
        return this.constants[n] + 0.5 * (DOF + n) * Math.log(across * up - both * both);
    }

    joined(one, other, by = 1) {
        const n = one.n + by * other.n;
        if (n === 0) return this.none;
        return {
            n, x: one.x + by * other.x, y: one.y + by * other.y, xx: one.xx + by * other.xx,
            xy: one.xy + by * other.xy, yy: one.yy + by * other.yy,
            energy: this.energyOf(one, other, by),
        };
    }

    priceOf(one, point) {
        return this.energyOf(one, point) - one.energy;
    }

    priceOfNew(point) {
        return this.priceOf(this.none, point) - this.lnNew;
    }

    // The cheapest cluster at a place, -1 where a new one is cheaper still.
    cheapestAt(x, y) {
        const point = sumsAt(x, y);
        let best = -1, least = this.priceOfNew(point);
        for (let k = 0; k < this.all.length; k += 1) {
            const price = this.priceOf(this.all[k], point);
            if (price < least) [best, least] = [k, price];
        }
        return best;
    }

    // Exact negative log joint of the partition, in nats.
    get objective() {
        let energy = -this.all.length * this.lnNew;
        this.points.forEach((_, i) => { energy += Math.log(this.concentration + i); });
        return this.all.reduce((sum, one) => sum + one.energy, energy);
    }

    // Every point in its order goes where it is cheapest, the first of equal places; it stays unless
    // another is truly lower.
    sweep() {
        this.points.forEach((point, i) => {
            const { all } = this, own = this.labels[i], left = this.joined(all[own], point, -1);
            const isAlone = left.n === 0, alone = this.priceOfNew(point);
            let best = own, least = Infinity, staying = alone;
            for (let k = 0; k < all.length; k += 1) {
                if (k === own && isAlone) continue;
                const price = k === own ? all[k].energy - left.energy : this.priceOf(all[k], point);
                if (price < least - TIE) [best, least] = [k, price];
                if (k === own) staying = price;
            }
            if (alone < least - TIE) [best, least] = [all.length, alone];
            if (least >= staying - TIE) return;
            all[own] = left;
            all[best] = this.joined(all[best] ?? this.none, point);
            this.labels[i] = best;
            if (isAlone) this.drop(own);
        });
    }

    // The last cluster takes the place of an empty one.
    drop(empty) {
        this.labels = this.labels.map((k) => (k === this.all.length - 1 ? empty : k));
        this.all[empty] = this.all.at(-1);
        this.all.pop();
    }

    // Merge the pair that lowers E most, as long as one does; whether any did.
    merge() {
        const before = this.all.length;
        for (;;) {
            let best = [0, 0, TIE];
            this.all.forEach((one, k) => {
                for (let other = 0; other < k; other += 1) {
                    const apart = one.energy + this.all[other].energy - this.lnNew;
                    const gain = apart - this.energyOf(one, this.all[other]);
                    if (gain > best[2]) best = [other, k, gain];
                }
            });
            const [kept, dropped] = best;
            if (kept === dropped) return this.all.length < before;
            this.all[kept] = this.joined(this.all[kept], this.all[dropped]);
            this.labels = this.labels.map((k) => (k === dropped ? kept : k));
            this.drop(dropped);
        }
    }
}

// From many clusters, round the mean and points far from it and from each other: swept until converged
// and merged as far as E falls, in turns (``published`` and ``Partition.merge`` of the library).
function mapdp(points, concentration, width) {
    const [sum] = sumsOf(points, points.map(() => 0), 1), n = points.length;
    const { labels } = n ? assigned(points, spreadOut([meanOf(sum)], points, MANY)) : { labels: [] };
    const start = priced(points, labels, MANY, 0).labels;   // of the clusters that have points
    const clusters = new Clusters(points, start, concentration, width);
    do {
        clusters.load(clusters.labels);   // sums made anew, without what rounding left
        for (let sweep = 0, before; sweep < MOST_PASSES; sweep += 1) {
            clusters.sweep();
            const now = clusters.objective;
            if (sweep > 0 && Math.abs(before - now) < LEAST_GAIN) break;
            before = now;
        }
    } while (clusters.merge());
    return { labels: clusters.labels, objective: clusters.objective };
}
