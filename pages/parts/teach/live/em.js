// E-M for a mixture of K normal clusters under the same prior (as core.models.em): every point
// belongs to every cluster by a share, and the clusters stand where their posterior is highest.
const LEAST_CHANGE = 1e-9;   // of any share, in one iteration
const MOST_ITERATIONS = 2000;

function em(columns, k, width) {
    const begun = farthestFirst(columns, k);
    const centres = sumsOf(columns, begun, k).filter((sum) => sum[2]).map(([a, b, n]) => [a / n, b / n]);
    const start = kmeans(columns, centres).at(-1).labels;
    let shares = centres.map((_, k) => Float64Array.from(start, (label) => (label === k ? 1 : 0)));
    for (let iteration = 0; iteration < MOST_ITERATIONS; iteration += 1) {
        const components = shares.map((share) => componentOf(columns, share, width));
        const next = sharesOf(columns, components);
        const changes = next.map((own, k) => own.reduce(
            (most, share, i) => Math.max(most, Math.abs(share - shares[k][i])), 0));
        shares = next;
        if (Math.max(...changes) < LEAST_CHANGE) break;
    }
    const components = shares.map((share) => componentOf(columns, share, width));
    const labels = Int32Array.from(columns.x, (_, i) => highestOf(shares.map((share) => share[i])));
    return { components, shares, labels, start };
}

const highestOf = (values) => values.reduce((best, value, k) => (value > values[best] ? k : best), 0);

// Mean, covariance and weight of a cluster under the points' shares in it.
function componentOf({ x, y, n: all }, share, width) {
    const meanCount = (width / REACH) ** 2;
    let [n, sumX, sumY] = [0, 0, 0];
    for (let i = 0; i < all; i += 1) {
        n += share[i];
        sumX += share[i] * x[i];
        sumY += share[i] * y[i];
    }
    const atX = (meanCount * MIDDLE + sumX) / (meanCount + n);
    const atY = (meanCount * MIDDLE + sumY) / (meanCount + n);
    const scatter = (DOF - 3) * width * width;
    let xx = scatter + meanCount * (MIDDLE - atX) ** 2;
    let xy = meanCount * (MIDDLE - atX) * (MIDDLE - atY);
    let yy = scatter + meanCount * (MIDDLE - atY) ** 2;
    for (let i = 0; i < all; i += 1) {
        xx += share[i] * (x[i] - atX) ** 2;
        xy += share[i] * (x[i] - atX) * (y[i] - atY);
        yy += share[i] * (y[i] - atY) ** 2;
    }
    const dof = DOF + 1 + n;
    const det = (xx * yy - xy * xy) / (dof * dof);
    return {
        atX,
        atY,
        pxx: yy / dof / det,
        pxy: -xy / dof / det,
        pyy: xx / dof / det,
        normaliser: Math.log(2 * Math.PI) + 0.5 * Math.log(det),
        count: -Math.log(n / all),
    };
}

const costIn = (one, x, y) => 0.5 * square(one, x, y) + one.normaliser + one.count;

// Every point's share in every cluster, a list of points each.
function sharesOf({ x, y, n }, components) {
    const shares = components.map(() => new Float64Array(n));
    for (let i = 0; i < n; i += 1) {
        const costs = components.map((one) => costIn(one, x[i], y[i]));
        sharesByCost(costs).forEach((share, k) => { shares[k][i] = share; });
    }
    return shares;
}

function sharesByCost(costs) {
    const least = Math.min(...costs);
    const odds = costs.map((cost) => Math.exp(least - cost));
    const total = odds.reduce((sum, one) => sum + one, 0);
    return odds.map((one) => one / total);
}
