// K-means: Lloyd's algorithm from given centres, all its passes (as core.models.kmeans).
const MOST_PASSES = 300;

function kmeans(columns, centres) {
    let found = visitAll(columns, centres);
    const states = [found];
    for (let pass = 0; pass < MOST_PASSES && columns.n; pass += 1) {
        const moved = movedCentres(columns, found);
        const next = visitAll(columns, moved);
        const rests = areEqual(next.labels, found.labels);
        found = next;
        states.push(found);
        if (rests) break;
    }
    return states;
}

function visitAll(columns, centres) {
    const labels = new Int32Array(columns.n);
    const distances = new Float64Array(columns.n);
    let objective = 0;
    for (let i = 0; i < columns.n; i += 1) {
        [labels[i], distances[i]] = nearestCentre(columns.x[i], columns.y[i], centres);
        objective += distances[i];
    }
    return { labels, distances, centres, objective };
}

// Every centre goes to the mean of its points; one without any, to the point farthest from its own.
function movedCentres(columns, { labels, distances, centres }) {
    const sums = sumsOf(columns, labels, centres.length);
    const empty = sums.flatMap((sum, k) => (sum[2] === 0 ? [k] : []));
    if (empty.length && Math.max(...distances) > 0) {
        const order = [...distances.keys()].sort((a, b) => distances[b] - distances[a]);
        empty.slice(0, columns.n).forEach((k, rank) => {
            const i = order[rank];
            const own = sums[labels[i]];
            own[0] -= columns.x[i];
            own[1] -= columns.y[i];
            own[2] -= 1;
            sums[k] = [columns.x[i], columns.y[i], 1];
        });
    }
    const largest = sums.reduce((best, sum, k) => (sum[2] > sums[best][2] ? k : best), 0);
    return sums.map((sum) => {
        const [a, b, n] = sum[2] > 0 ? sum : sums[largest];
        return [a / n, b / n];
    });
}
