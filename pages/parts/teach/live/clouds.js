// Drawings that are the same every time, and how far an answer is from their groups.
function randomFrom(seed) {
    let state = seed >>> 0;
    const uniform = () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
    };
    return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

// Clouds given as [x, y, standard deviation, points] in units; a pair of deviations for ellipses.
function drawnClouds(seed, clouds) {
    const random = randomFrom(seed);
    const points = [];
    const truth = [];
    clouds.forEach(([x, y, deviation, n], group) => {
        const [across, up] = [deviation].flat().length > 1 ? deviation : [deviation, deviation];
        for (let k = 0; k < n; k += 1) {
            const place = [x + across * random(), y + up * random()];
            points.push(place.map((units) => clip(toPlaces(units))));
            truth.push(group);
        }
    });
    return { points, truth };
}

const atUnits = (pairs) => pairs.map((pair) => pair.map((units) => clip(toPlaces(units))));

// Points that are not in the group they were drawn in; further points do not count.
function misplaced(labels, truth) {
    const own = Array.from(labels).slice(0, truth.length);
    const groups = colouredAs(own, truth);
    return own.filter((label, i) => groups.get(label) !== truth[i]).length;
}

const areSamePlaces = (a, b) => a.length <= b.length && a.every((place, i) => apart(place, b[i]) === 0);
