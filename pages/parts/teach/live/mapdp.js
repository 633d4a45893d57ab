// MAP-DP, all its sweeps, the points in their order: as published, R16's Algorithm 3 from one
// cluster, or from many clusters, which are merged as far as E falls and swept again, in turns
// (``published`` and ``Partition.merge`` of the library).
const TIE = 1e-9;
const LEAST_GAIN = 1e-6;
const MANY = 30;

function mapdp(columns, concentration, width, isPublished) {
    const start = isPublished ? new Int32Array(columns.n) : farthestFirst(columns, MANY);
    const clusters = new Clusters(columns, start, concentration, width);
    const states = [stateNow(clusters)];
    sweepToRest(clusters, states, isPublished);
    while (!isPublished && mergeAll(clusters)) {
        states.push(stateNow(clusters));
        sweepToRest(clusters, states, false);
    }
    return states;
}

function stateNow(clusters) {
    return { labels: clusters.labels.slice(), objective: clusters.objective() };
}

function sweepToRest(clusters, states, isFromOne) {
    clusters.load(clusters.labels);   // sums made anew, without what rounding left
    for (let sweep = 0; sweep < MOST_PASSES && clusters.columns.n; sweep += 1) {
        // In the first sweep the one cluster counts as one point, or nobody would leave it.
        sweepOnce(clusters, isFromOne && sweep === 0 ? clusters.all[0] : null);
        states.push(stateNow(clusters));
        const [before, now] = states.slice(-2);
        if (sweep > 0 && Math.abs(before.objective - now.objective) < LEAST_GAIN) break;
    }
}

// Merge the pair that lowers E most, as long as one does; whether any did.
function mergeAll(clusters) {
    const before = clusters.all.length;
    while (clusters.all.length > 1) {
        let best = [0, 1, -Infinity];
        clusters.all.forEach((one, k) => {
            for (let other = 0; other < k; other += 1) {
                const gain = clusters.gainOf(one, clusters.all[other]);
                if (gain > best[2]) best = [other, k, gain];
            }
        });
        const [kept, dropped, gain] = best;
        if (gain <= TIE) break;
        const last = clusters.all.length - 1;
        const names = clusters.labels.map((label) => (label === dropped ? kept : label));
        clusters.load(names.map((label) => (label === last && dropped !== last ? dropped : label)));
    }
    return clusters.all.length < before;
}

function sweepOnce(clusters, asOne) {
    const prices = [];
    for (let i = 0; i < clusters.columns.n; i += 1) {
        const own = clusters.labels[i];
        const isAlone = clusters.all[own].n === 1;
        const stay = isAlone ? clusters.all.length : own;
        writePrices(clusters, i, isAlone, asOne, prices);
        const choice = cheapestOf(prices, stay);
        if (choice !== stay) move(clusters, i, choice);
    }
}

// The price of every cluster for a point, the last of a new one.
function writePrices(clusters, i, isAlone, asOne, prices) {
    const { columns, all, labels } = clusters;
    const [x, y, own] = [columns.x[i], columns.y[i], labels[i]];
    prices.length = all.length + 1;
    for (let k = 0; k < all.length; k += 1) {
        const one = all[k];
        if (k !== own) prices[k] = clusters.price(one, x, y) + (one === asOne ? one.lnSize : 0);
        else if (isAlone) prices[k] = Infinity;
        else {
            const size = one === asOne ? 1 : one.n - 1;
            prices[k] = clusters.priceWithin(one, x, y) - Math.log(size);
        }
    }
    prices[all.length] = clusters.price(clusters.fresh, x, y);
}

// The lowest price, the first of equal ones; a point stays unless another is truly lower.
function cheapestOf(prices, stay) {
    let best = 0;
    for (let k = 1; k < prices.length; k += 1) if (prices[k] < prices[best] - TIE) best = k;
    return prices[best] >= prices[stay] - TIE ? stay : best;
}

function move(clusters, i, choice) {
    const { all, labels } = clusters;
    const own = all[labels[i]];
    const joined = choice === all.length ? emptyMoments() : all[choice];
    if (choice === all.length) all.push(joined);
    clusters.put(own, i, -1);
    if (own.n === 0) dropEmpty(clusters, labels[i]);
    else clusters.refreshed(own);
    clusters.put(joined, i, 1);
    clusters.refreshed(joined);
    labels[i] = all.indexOf(joined);
}

// The last cluster takes the place of an empty one.
function dropEmpty({ all, labels }, k) {
    const last = all.length - 1;
    all[k] = all[last];
    all.pop();
    for (let j = 0; j < labels.length; j += 1) if (labels[j] === last) labels[j] = k;
}
