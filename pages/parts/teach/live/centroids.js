// What K-means and DP-means share: the nearest centre of every point, and the means.
function nearestCentre(x, y, centres) {
    let best = 0;
    let least = Infinity;
    for (let k = 0; k < centres.length; k += 1) {
        const across = x - centres[k][0];
        const up = y - centres[k][1];
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
