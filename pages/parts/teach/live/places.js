// The board's places and units: whole numbers, so that an address can say them, from 0 to 10.
const PLACES = 4096;
const SIDE = 10;
const FAR = [-14336, 18431];   // the farthest places: eight boards across, the board in the middle
const clip = (value) => Math.min(Math.max(Math.round(value), FAR[0]), FAR[1]);
const inUnits = (place) => SIDE * place / (PLACES - 1);
const toPlaces = (units) => units * (PLACES - 1) / SIDE;
const apart = ([a, b], [c, d]) => Math.hypot(a - c, b - d);

// Columns x and y of some places, in units.
function columnsOf(places) {
    return {
        x: Float64Array.from(places, (place) => inUnits(place[0])),
        y: Float64Array.from(places, (place) => inUnits(place[1])),
        n: places.length,
    };
}

function nearestPlace(places, to) {
    let best = -1;
    places.forEach((place, k) => {
        if (best < 0 || apart(place, to) < apart(places[best], to)) best = k;
    });
    return best;
}

// Centres for K-means to begin with: those there are, then the points farthest from all of them.
function centresFor(k, centres, points) {
    const found = centres.slice(0, k).map((place) => [...place]);
    const from = points.length ? points : [[PLACES / 2, PLACES / 2]];
    while (found.length < k) {
        const gaps = from.map((place) => Math.min(...found.map((one) => apart(place, one)), 1e9));
        found.push([...from[gaps.indexOf(Math.max(...gaps))]]);
    }
    return found;
}
