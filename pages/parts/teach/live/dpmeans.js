// DP-means: a point too far from every centre founds a cluster (as core.models.dpmeans).
function dpmeans(columns, penalty) {
    const { x, y, n } = columns;
    // The library visits the rows from the lowest to the highest, by their columns in turn.
    const order = [...Array(n).keys()].sort((a, b) => x[a] - x[b] || y[a] - y[b]);
    let labels = new Int32Array(n);
    let centres = sumsOf(columns, labels, 1).map(([a, b, count]) => [a / count, b / count]);
    const states = [stateOf(columns, labels, centres, penalty)];
    for (let pass = 0; pass < MOST_PASSES && n; pass += 1) {
        const found = new Int32Array(n);
        const visited = centres.map((centre) => [...centre]);
        for (const i of order) {
            const [k, distance] = nearestCentre(x[i], y[i], visited);
            found[i] = distance > penalty ? visited.push([x[i], y[i]]) - 1 : k;
        }
        const before = labels;
        [labels, centres] = withoutEmpty(columns, found, visited.length);
        states.push(stateOf(columns, labels, centres, penalty));
        if (areEqual(labels, before)) break;
    }
    return states;
}

function withoutEmpty(columns, labels, k) {
    const sums = sumsOf(columns, labels, k);
    let kept = 0;
    const names = sums.map((sum) => (sum[2] > 0 ? kept++ : -1));
    const centres = sums.filter((sum) => sum[2] > 0).map(([a, b, n]) => [a / n, b / n]);
    return [labels.map((label) => names[label]), centres];
}

function stateOf(columns, labels, centres, penalty) {
    const objective = squaredError(columns, labels) + penalty * centres.length;
    return { labels, centres, objective };
}
