// MAP-DP: R16's Algorithm 3 from one cluster, the points in their order, all its sweeps
// (as core.models.mapdp.published).
const TIE = 1e-9;
const REST = 1e-6;

function mapdp(columns, concentration, width) {
    const clusters = new Clusters(columns, new Int32Array(columns.n), concentration, width);
    const states = [{ labels: clusters.labels.slice(), objective: clusters.objective() }];
    for (let sweep = 0; sweep < MOST_PASSES && columns.n; sweep += 1) {
        // In the first sweep the one cluster counts as one point, or nobody would leave it.
        sweepOnce(clusters, sweep === 0 ? clusters.all[0] : null);
        states.push({ labels: clusters.labels.slice(), objective: clusters.objective() });
        const [before, now] = states.slice(-2);
        if (sweep > 0 && Math.abs(before.objective - now.objective) < REST) break;
    }
    return states;
}

function sweepOnce(clusters, asOne) {
    for (let i = 0; i < clusters.columns.n; i += 1) {
        const own = clusters.labels[i];
        const isAlone = clusters.all[own].n === 1;
        const stay = isAlone ? clusters.all.length : own;
        const choice = cheapestOf(pricesOf(clusters, i, isAlone, asOne), stay);
        if (choice !== stay) move(clusters, i, choice);
    }
}

// The price of every cluster for a point, the last of a new one.
function pricesOf(clusters, i, isAlone, asOne) {
    const { columns: { x, y }, all, labels } = clusters;
    const prices = all.map((one, k) => {
        if (k !== labels[i]) return clusters.price(one, x[i], y[i]) + (one === asOne ? one.lnSize : 0);
        if (isAlone) return Infinity;
        return clusters.priceWithin(one, x[i], y[i]) - (one === asOne ? 0 : Math.log(one.n - 1));
    });
    prices.push(clusters.price(clusters.fresh, x[i], y[i]));
    return prices;
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
