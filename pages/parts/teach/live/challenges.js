// Challenges: what to do in one sentence, where it starts, and whether the board finds it done.
// A judge sees the sketch, what the three methods make of it at rest, where it started, and the
// labels of E-M where the server has run it on this very drawing.
const CORNERS = [[1.5, 1.5, 0.4, 40], [8.5, 1.5, 0.4, 40], [5, 8.5, 0.4, 40]];
const THREE = [[2.5, 2.5, 0.6, 40], [7.5, 3, 0.6, 40], [5, 7.5, 0.6, 40]];
const ON_THREE = [[2.5, 2.5], [7.5, 3], [5, 7.5]];
const FIVE = [[2, 2, 0.45, 30], [2, 5, 0.45, 30], [8, 2, 0.45, 30], [8, 8, 0.45, 30], [4.5, 8, 0.45, 30]];
const resting = (states) => states.at(-1);
const wrong = (states, { truth }) => misplaced(resting(states).labels, truth);
const middleOf = ({ points }, truth, group) => {
    const own = points.filter((_, i) => truth[i] === group);
    return [0, 1].map((j) => own.reduce((sum, place) => sum + place[j], 0) / own.length);
};

const CHALLENGES = [
    {
        name: "circles",
        title: "1. A circle that fits",
        task: "Set the circle so that DP-means finds exactly the three groups.",
        show: "dpmeans",
        tool: "drag",
        allows: ["radius"],
        adds: 0,
        start: () => ({ ...drawnClouds(1, CORNERS), centres: atUnits(ON_THREE), k: 3, radius: 7 }),
        judge: (sketch, { dpmeans: states }, start) => {
            const n = wrong(states, start);
            const k = countOf(resting(states).labels);
            return [n === 0 && k === 3, `DP-means finds ${groupsOf(k)}, ${n} points misplaced.`];
        },
    },
    {
        name: "bad-start",
        title: "2. A bad start",
        task: "Drag the three centres to where K-means ends with a sixth of the points misplaced.",
        show: "kmeans",
        tool: "drag",
        allows: ["drag", "centres"],
        adds: 0,
        start: () => ({ ...drawnClouds(2, THREE), centres: atUnits(ON_THREE), k: 3 }),
        judge: (sketch, { kmeans: states }, start) => {
            const n = wrong(states, start);
            return [6 * n >= start.points.length, `${n} of ${start.points.length} points misplaced.`];
        },
    },
    {
        name: "rescue",
        title: "3. Out of a bad start",
        task: "K-means is stuck: drag its five centres to where it ends on the five groups.",
        show: "kmeans",
        tool: "drag",
        allows: ["drag", "centres"],
        adds: 0,
        start: () => ({
            ...drawnClouds(3, FIVE),
            centres: atUnits([[1, 3.5], [3.2, 3.5], [7.4, 2], [8.6, 2], [6.2, 8]]),
            k: 5,
        }),
        judge: (sketch, { kmeans: states }, start) => {
            const n = wrong(states, start);
            return [n === 0, `${n} points misplaced, squared error ${resting(states).objective.toFixed(1)}.`];
        },
    },
    {
        name: "too-many",
        title: "4. Less error, worse groups",
        task: "Choose K so that K-means has at most two thirds of the squared error of the true groups.",
        show: "kmeans",
        tool: "drag",
        allows: ["k"],
        adds: 0,
        start: () => ({ ...drawnClouds(4, THREE), centres: atUnits(ON_THREE), k: 3 }),
        judge: (sketch, { columns, kmeans: states }, start) => {
            const [least, mine] = [squaredError(columns, start.truth), resting(states).objective];
            return [3 * mine <= 2 * least, `K-means has ${mine.toFixed(1)}, the true groups ${least.toFixed(1)}.`];
        },
    },
    {
        name: "one-point",
        title: "5. One point that costs a group",
        task: "Add one point, as far out as you like (zoom with −), so that K-means puts the two groups into one.",
        show: "kmeans",
        tool: "point",
        allows: ["drag", "point", "points"],
        adds: 1,
        start: () => ({
            ...drawnClouds(5, [[4, 4, 0.35, 9], [6, 6, 0.35, 9]]),
            centres: atUnits([[4, 4], [6, 6]]),
            k: 2,
        }),
        judge: ({ points }, { kmeans: states }, start) => {
            const k = countOf([...resting(states).labels].slice(0, start.points.length));
            const isFair = areSamePlaces(start.points, points);
            return [isFair && k === 1, `K-means has them in ${k === 1 ? "one group" : "two groups"}.`];
        },
    },
    {
        name: "no-outlier",
        title: "6. A group of one",
        task: "Add one point that is a group of its own for DP-means, and for MAP-DP is not.",
        show: "dpmeans",
        tool: "point",
        allows: ["drag", "point", "points", "outlier"],
        adds: 1,
        start: () => ({
            ...drawnClouds(6, [[4, 4.5, 1.1, 90], [8, 8, 0.3, 30]]),
            radius: 3.4,
            n0: 0.1,
            width: 0.5,
        }),
        judge: ({ points }, { dpmeans: dp, mapdp: map }, start) => {
            if (points.length !== start.points.length + 1) return [false, "There is no new point."];
            const isAlone = ({ labels }) => labels.filter((one) => one === labels.at(-1)).length === 1;
            const [first, second] = [dp, map].map((states) => isAlone(resting(states)));
            const said = (alone) => (alone ? "alone" : "in a group");
            const words = `it is ${said(first)} for DP-means, ${said(second)} for MAP-DP.`;
            return [areSamePlaces(start.points, points) && first && !second, words];
        },
    },
    {
        name: "widths",
        title: "7. Wide and narrow",
        task: "Drag the narrow group to where K-means misplaces ten points, MAP-DP at most three.",
        show: "mapdp",
        tool: "group",
        allows: ["group"],
        adds: 0,
        start: () => ({
            ...drawnClouds(7, [[3, 5, 1, 90], [9, 5, 0.2, 30]]),
            centres: atUnits([[3, 5], [9, 5]]),
            k: 2,
            n0: 0.3,
        }),
        judge: (sketch, { kmeans: first, mapdp: second }, start) => {
            const [a, b] = [wrong(first, start), wrong(second, start)];
            return [a >= 10 && b <= 3, `K-means misplaces ${a}, MAP-DP ${b}.`];
        },
    },
    {
        name: "near",
        title: "8. As near as MAP-DP can see",
        task: "Drag one group towards the other, to within 1.9, where MAP-DP still finds two.",
        show: "mapdp",
        tool: "group",
        allows: ["group"],
        adds: 0,
        start: () => ({ ...drawnClouds(8, [[3, 5, 0.5, 60], [7, 5, 0.5, 60]]), n0: 0.1, k: 2 }),
        judge: (sketch, { mapdp: states }, { truth }) => {
            const between = inUnits(apart(middleOf(sketch, truth, 0), middleOf(sketch, truth, 1)));
            const k = countOf(resting(states).labels);
            return [between <= 1.9 && k === 2, `${between.toFixed(2)} apart, MAP-DP finds ${k}.`];
        },
    },
    {
        name: "beat",
        title: "9. Lower than MAP-DP",
        task: "MAP-DP's plain sweeps are stuck: colour all points so that your E is lower.",
        show: "mapdp",
        tool: "paint",
        allows: ["paint"],
        adds: 0,
        start: () => ({
            ...drawnClouds(4, [[3, 5, 0.5, 20], [6, 5, 0.5, 20], [4.5, 8, 0.5, 20]]),
            n0: 1,
            published: true,
        }),
        judge: (sketch, { mapdp: states }) => {
            const own = painted(sketch);
            const least = resting(states).objective;
            const left = sketch.points.filter((_, i) => !(sketch.painted[i] >= 0)).length;
            if (!own) return [false, `${left} points have no colour yet; MAP-DP has E = ${least.toFixed(2)}.`];
            const words = `your E is ${own.energy.toFixed(2)}, MAP-DP's ${least.toFixed(2)}.`;
            return [own.energy < least - 1e-6, words];
        },
    },
    {
        name: "no-em",
        title: "10. What E-M cannot",
        task: "Add up to six points so that E-M, told K = 3, misplaces a quarter of the others and "
            + "MAP-DP at most three; the switch below the board runs E-M.",
        show: "mapdp",
        tool: "point",
        allows: ["drag", "point", "points", "outlier"],
        adds: 6,
        start: () => ({ ...drawnClouds(10, CORNERS), centres: atUnits(ON_THREE), k: 3, n0: 0.3 }),
        judge: ({ points }, { mapdp: states }, start, found) => {
            const n = wrong(states, start);
            if (!found) return [false, `MAP-DP misplaces ${n}; E-M has not run on these points.`];
            const others = misplaced(found, start.truth);
            const isDone = areSamePlaces(start.points, points) && 4 * others >= start.points.length;
            return [isDone && n <= 3, `E-M misplaces ${others}, MAP-DP ${n}.`];
        },
    },
];
