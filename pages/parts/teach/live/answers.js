// What the three methods make of a sketch: all their passes, and what stands where in one of them.
const METHODS = ["kmeans", "dpmeans", "mapdp"];
const TITLES = { kmeans: "K-means", dpmeans: "DP-means", mapdp: "MAP-DP" };
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

function readout(method, states, pass) {
    const { labels, objective } = atPass(states, pass);
    const value = objective.toFixed(method === "mapdp" ? 2 : 1);
    const groups = groupsOf(countOf(labels));
    return {
        kmeans: `${groups}, error ${value}`,
        dpmeans: `${groups}, error + λK = ${value}`,
        mapdp: `${groups}, E = ${value}`,
    }[method];
}

// E and squared error of groups that somebody painted; null until every point has a colour.
function painted({ points, painted: labels, n0, width }) {
    if (!points.length || points.some((_, i) => !(labels[i] >= 0))) return null;
    const names = [...new Set(points.map((_, i) => labels[i]))];
    const codes = points.map((_, i) => names.indexOf(labels[i]));
    const columns = columnsOf(points);
    return {
        energy: new Clusters(columns, codes, n0, width).objective(),
        error: squaredError(columns, codes),
    };
}
