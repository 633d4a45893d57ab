// From E-M to K-means, a switch a step: what each makes of the same points, and what a point costs
// in every cluster. All prices are in nats; a squared distance counts over twice the variance.
const LADDER = ["em", "mapdp", "round", "dpmeans", "kmeans"];
const BY_MODEL = { mapdp: Clusters, round: RoundClusters };

// N0 that makes a new round cluster cost what lambda, a squared distance, costs DP-means.
function tiedConcentration(width, penalty) {
    return (1 + (REACH / width) ** 2) * Math.exp(-penalty / (2 * width * width));
}

// What a step of the ladder makes of the points: labels, and whatever its prices need.
function climbed(step, columns, { k, width, penalty }) {
    if (step === "em") return { step, ...em(columns, k, width) };
    if (step in BY_MODEL) {
        const concentration = tiedConcentration(width, penalty);
        const { labels } = mapdp(columns, concentration, width, false, BY_MODEL[step]).at(-1);
        return { step, labels, concentration, width };
    }
    const scale = 2 * width * width;
    if (step === "dpmeans") {
        return { step, ...dpmeans(columns, penalty).at(-1), scale, fresh: penalty / scale };
    }
    const begun = farthestFirst(columns, k);
    const centres = sumsOf(columns, begun, k).filter((sum) => sum[2]).map(([a, b, n]) => [a / n, b / n]);
    return { step, ...kmeans(columns, centres).at(-1), scale };
}

// A function of a place to the price of every cluster there; of a new one, if it may be had, last.
function pricesOfPlaces(found, columns) {
    if (found.step === "em") {
        return (x, y) => found.components.map((one) => costIn(one, x, y));
    }
    if (found.step in BY_MODEL) {
        const clusters = modelOf(found, columns);
        return (x, y) => [...clusters.all, clusters.fresh].map((one) => clusters.price(one, x, y));
    }
    const last = "fresh" in found ? [found.fresh] : [];
    return (x, y) => [...found.centres.map((centre) => distanceTerm(found, centre, x, y)), ...last];
}

const modelOf = ({ step, labels, concentration, width }, columns) => (
    new BY_MODEL[step](columns, labels, concentration, width));
const distanceTerm = ({ scale }, [a, b], x, y) => ((x - a) ** 2 + (y - b) ** 2) / scale;

// What point i costs in every cluster, in terms that sum to its price there; where clusters are
// learned, in those of the others. Cluster -1 is a new one; ``share`` is the point's in E-M.
function billOf(found, columns, i) {
    const [x, y] = [columns.x[i], columns.y[i]];
    if (found.step === "em") return billOfShares(found, x, y);
    if (found.step in BY_MODEL) return billOfModel(modelOf(found, columns), i);
    const bill = found.centres.map((centre, cluster) => (
        { cluster, terms: { distance: distanceTerm(found, centre, x, y) } }));
    if ("fresh" in found) bill.push({ cluster: -1, terms: { fixed: found.fresh } });
    return bill;
}

function billOfShares({ components }, x, y) {
    const shares = sharesByCost(components.map((one) => costIn(one, x, y)));
    return components.map((one, cluster) => ({
        cluster,
        share: shares[cluster],
        terms: { distance: 0.5 * square(one, x, y), normaliser: one.normaliser, count: one.count },
    }));
}

function billOfModel(clusters, i) {
    const { columns, labels, all, concentration } = clusters;
    clusters.put(all[labels[i]], i, -1);
    clusters.refreshed(all[labels[i]]);
    const lnTotal = Math.log(columns.n - 1 + concentration);
    const entry = (one, cluster) => {
        const price = clusters.price(one, columns.x[i], columns.y[i]);
        return {
            cluster,
            terms: {
                distance: price + one.constant + one.lnSize,
                normaliser: -one.constant,
                count: lnTotal - one.lnSize,
            },
        };
    };
    const others = all.map(entry).filter((_, k) => all[k].n > 0);
    // The cluster that the point had to itself stands for a new one.
    return [...others, entry(clusters.fresh, all[labels[i]].n > 0 ? -1 : labels[i])];
}

const totalOf = ({ terms }) => Object.values(terms).reduce((sum, term) => sum + term, 0);
