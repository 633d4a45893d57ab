// Drawings that are the same every time.
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

// Clouds given as [x, y, standard deviation, points] in units.
function drawnClouds(seed, clouds) {
    const random = randomFrom(seed);
    return clouds.flatMap(([x, y, deviation, n]) => Array.from({ length: n }, () => (
        [x + deviation * random(), y + deviation * random()].map((units) => clip(toPlaces(units))))));
}

const atUnits = (pairs) => pairs.map((pair) => pair.map((units) => clip(toPlaces(units))));
