// Drawings to begin with: what each shows in one sentence, and where it starts.
const CORNERS = [[1.5, 1.5, 0.4, 40], [8.5, 1.5, 0.4, 40], [5, 8.5, 0.4, 40]];
const THREE = [[2.5, 2.5, 0.6, 40], [7.5, 3, 0.6, 40], [5, 7.5, 0.6, 40]];
const ON_THREE = [[2.5, 2.5], [7.5, 3], [5, 7.5]];
const FIVE = [[2, 2, 0.45, 30], [2, 5, 0.45, 30], [8, 2, 0.45, 30], [8, 8, 0.45, 30], [4.5, 8, 0.45, 30]];

const PRESETS = [
    {
        name: "circles",
        title: "A circle that fits",
        task: "DP-means finds one group here. Which circle gives the three?",
        show: "dpmeans",
        tool: "drag",
        start: () => ({ points: drawnClouds(1, CORNERS), centres: atUnits(ON_THREE), k: 3, radius: 7 }),
    },
    {
        name: "bad-start",
        title: "A bad start",
        task: "Where do the three centres have to begin for K-means to end with a higher error?",
        show: "kmeans",
        tool: "drag",
        start: () => ({ points: drawnClouds(2, THREE), centres: atUnits(ON_THREE), k: 3 }),
    },
    {
        name: "rescue",
        title: "Out of a bad start",
        task: "K-means is stuck. From where do its five centres end on the five groups?",
        show: "kmeans",
        tool: "drag",
        start: () => ({
            points: drawnClouds(3, FIVE),
            centres: atUnits([[1, 3.5], [3.2, 3.5], [7.4, 2], [8.6, 2], [6.2, 8]]),
            k: 5,
        }),
    },
    {
        name: "too-many",
        title: "Less error, worse groups",
        task: "With which K has K-means at most two thirds of the error that it has with three groups?",
        show: "kmeans",
        tool: "drag",
        start: () => ({ points: drawnClouds(4, THREE), centres: atUnits(ON_THREE), k: 3 }),
    },
    {
        name: "one-point",
        title: "One point that costs a group",
        task: "How far out (zoom with −) has one more point to be for K-means to put both groups into one?",
        show: "kmeans",
        tool: "point",
        start: () => ({
            points: drawnClouds(5, [[4, 4, 0.35, 9], [6, 6, 0.35, 9]]),
            centres: atUnits([[4, 4], [6, 6]]),
            k: 2,
        }),
    },
    {
        name: "no-outlier",
        title: "A group of one",
        task: "Where is one more point a group of its own for DP-means, and for MAP-DP not?",
        show: "dpmeans",
        tool: "point",
        start: () => ({
            points: drawnClouds(6, [[4, 4.5, 1.1, 90], [8, 8, 0.3, 30]]),
            radius: 3.4,
            n0: 0.1,
            width: 0.5,
        }),
    },
    {
        name: "widths",
        title: "Wide and narrow",
        task: "How near has the narrow group to come for K-means to cut the wide one? MAP-DP does not.",
        show: "mapdp",
        tool: "group",
        start: () => ({
            points: drawnClouds(7, [[3, 5, 1, 90], [9, 5, 0.2, 30]]),
            centres: atUnits([[3, 5], [9, 5]]),
            k: 2,
            n0: 0.3,
        }),
    },
    {
        name: "near",
        title: "As near as MAP-DP can see",
        task: "How near can one group be dragged to the other while MAP-DP still finds two?",
        show: "mapdp",
        tool: "group",
        start: () => ({ points: drawnClouds(8, [[3, 5, 0.5, 60], [7, 5, 0.5, 60]]), n0: 0.1, k: 2 }),
    },
    {
        name: "beat",
        title: "Lower than MAP-DP",
        task: "MAP-DP's plain sweeps are stuck. Which colours for all points have a lower E?",
        show: "mapdp",
        tool: "paint",
        start: () => ({
            points: drawnClouds(4, [[3, 5, 0.5, 20], [6, 5, 0.5, 20], [4.5, 8, 0.5, 20]]),
            n0: 1,
            published: true,
        }),
    },
    {
        name: "no-em",
        title: "What E-M cannot",
        task: "Which few points far out make E-M, told K = 3, lose a group that MAP-DP keeps? "
            + "The switch below the board runs E-M.",
        show: "mapdp",
        tool: "point",
        start: () => ({ points: drawnClouds(10, CORNERS), centres: atUnits(ON_THREE), k: 3, n0: 0.3 }),
    },
];

// The list of them, and the one that the drawing began with, if any.
class Presets {
    constructor(root, board) {
        Object.assign(this, { root, board, name: "" });
        this.list = root.querySelector("[name=preset]");
        const options = [["", "none, draw freely"], ...PRESETS.map(({ name, title }) => [name, title])];
        this.list.replaceChildren(...options.map(([value, words]) => new Option(words, value)));
        this.list.onchange = () => {
            this.begin(this.list.value, {});
            board.changed();
            board.tell();
        };
    }

    // Turn to a preset, from where it starts or from a drawing that somebody made of it.
    begin(name, drawing) {
        const { board } = this;
        const preset = PRESETS.find((one) => one.name === name);
        const isMade = Boolean(drawing.points);
        const settings = ["k", "radius", "n0", "width", "published"].filter((one) => drawing[one] != null)
            .map((one) => [one, drawing[one]]);
        const kept = preset && !isMade ? {} : Object.fromEntries(settings);
        const given = isMade ? drawing : {};
        board.sketch.take({ painted: [], published: false, ...preset?.start(), ...kept, ...given });
        board.known = [];
        if (preset && !isMade) board.show = preset.show;
        if (preset) board.hand.tool = preset.tool;
        board.clock.pass = REST_PASS;
        board.seeAll();
        this.name = this.list.value = preset?.name ?? "";
        say(this.root.querySelector(".task"), preset?.task ?? "");
    }
}
