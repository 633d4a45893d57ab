// What K-means and DP-means share: the nearest centre of every point, and the means.
function nearestCentre(x, y, centres) {
    let best = 0;
    let least = Infinity;
    for (let k = 0; k < centres.length; k += 1) {
        const centre = centres[k];
        const across = x - centre[0];
        const up = y - centre[1];
        const distance = across * across + up * up;
        if (distance < least) {
            least = distance;
            best = k;
        }
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

// Squared error of a partition about its own means.
function squaredError(columns, labels) {
    const k = Math.max(-1, ...labels) + 1;
    const means = sumsOf(columns, labels, k).map(([a, b, n]) => [a / n, b / n]);
    let error = 0;
    for (let i = 0; i < columns.n; i += 1) {
        const mean = means[labels[i]];
        error += (columns.x[i] - mean[0]) ** 2 + (columns.y[i] - mean[1]) ** 2;
    }
    return error;
}

const areEqual = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

// Labels by the nearest of so many points far from each other: first that nearest to the mean, then
// always the one farthest from all before.
function farthestFirst({ x, y, n }, most) {
    const labels = new Int32Array(n);
    const [meanX, meanY] = [x, y].map((column) => column.reduce((sum, value) => sum + value, 0) / n);
    const least = new Float64Array(n);
    let chosen = 0;
    for (let i = 0; i < n; i += 1) {
        least[i] = (x[i] - meanX) ** 2 + (y[i] - meanY) ** 2;
        if (least[i] < least[chosen]) chosen = i;
    }
    least.fill(Infinity);
    for (let k = 0; k < most && least[chosen] > 0; k += 1) {
        const [ownX, ownY] = [x[chosen], y[chosen]];
        for (let i = 0; i < n; i += 1) {
            const distance = (x[i] - ownX) ** 2 + (y[i] - ownY) ** 2;
            if (distance < least[i]) {
                least[i] = distance;
                labels[i] = k;
            }
        }
        chosen = least.reduce((best, value, i) => (value > least[best] ? i : best), 0);
    }
    return labels;
}
