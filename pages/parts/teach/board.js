// The live board: points under a hand, and what three methods make of them, drawn once a frame.

// ---- What the three methods make of a sketch, and what belongs where.
// Of each what it measures, and what may be tried.
const METHODS = {
    kmeans: ["error", "Drag a ring: a centre begins there and ends at its cross."],
    dpmeans: ["error + λK", "A point outside every circle, of radius √λ, founds a group."],
    mapdp: ["E", "A new point outside the borders would found a group."],
};

function answersTo({ points, centres, circle, n0, width }) {
    const [rows, begin] = [points, centres].map((all) => all.map((place) => place.map(inUnits)));
    return {
        rows,
        kmeans: kmeans(rows, begin),
        dpmeans: dpmeans(rows, circle * circle),
        mapdp: mapdp(rows, n0, width),
    };
}

// The cluster that a place belongs to, -1 for a new one, of a method's answer.
function judgeOfPlaces(method, answer, { rows }, { circle, n0, width }) {
    if (method === "mapdp") {
        const clusters = new Clusters(rows, answer.labels, n0, width);
        return (x, y) => clusters.cheapestAt(x, y);
    }
    const reach = method === "dpmeans" ? circle * circle : Infinity;
    return (x, y) => {
        const [k, distance] = nearestCentre(x, y, answer.centres);
        return distance > reach ? -1 : k;
    };
}

function readout(method, { labels, objective }) {
    const k = new Set(labels).size;
    return `${k} group${k === 1 ? "" : "s"}, ${METHODS[method][0]} = ${objective.toFixed(1)}`;
}

// Values by how often they are there, the most frequent first.
function byFrequency(values) {
    const counts = new Map();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
}

// Colours that stay: of clusters, the largest first, each takes the colour that most of its points
// had, unless it is taken; the others, and centres without points, the first that is free.
function colouredAs(labels, previous, k = 0) {
    const colours = new Map(), taken = new Set(), order = byFrequency(labels);
    const give = (label, colour) => {
        colours.set(label, colour);
        taken.add(colour);
    };
    for (const label of order) {
        const [colour] = byFrequency(previous.filter((_, i) => labels[i] === label));
        if (colour !== undefined && !taken.has(colour)) give(label, colour);
    }
    let free = 0;
    for (const label of [...order, ...Array(k).keys()]) {
        while (taken.has(free)) free += 1;
        if (!colours.has(label)) give(label, free);
    }
    return colours;
}

// ---- A square canvas: areas, points, rings, lines and crosses, in units.
const BOARD_SPAN = 10.6;      // units across, so that a point at the edge is whole
const BLOCK = 8, MOST_PIXELS = 304;     // of the areas: looked at by blocks, in either direction
const TURN = 2 * Math.PI;

class Picture {
    constructor(canvas, isLarge, whenResized) {
        Object.assign(this, { canvas, isLarge, pen: canvas.getContext("2d"), wide: 16 });
        this.areas = document.createElement("canvas");
        // To ask at every frame would have the browser lay the page out once more.
        new ResizeObserver(() => {
            this.wide = canvas.clientWidth;
            whenResized();
        }).observe(canvas);
    }

    draw(zoom, labelAt, points, labels, colourOf) {
        this.ratio = Math.min(window.devicePixelRatio || 1, 2);
        const side = Math.max(Math.round(this.wide * this.ratio), 16);
        if (this.canvas.width !== side) this.canvas.width = this.canvas.height = side;
        this.span = BOARD_SPAN * zoom;
        Object.assign(this, { left: MIDDLE - this.span / 2, top: MIDDLE + this.span / 2 });
        this.scale = side / this.span;
        this.pen.clearRect(0, 0, side, side);
        if (!points.length) return;
        this.paintAreas(labelAt, colourOf);
        this.pen.drawImage(this.areas, 0, 0, side, side);
        for (const [colour, some] of Map.groupBy(points, (_, i) => colourOf(labels[i]))) {
            this.dots(some.map((point) => this.at(...point)), colour);
        }
    }

    at(x, y) {
        return [(x - this.left) * this.scale, (this.top - y) * this.scale];
    }

    // Pale areas with darker borders; blocks whose corners belong together are not looked into.
    paintAreas(labelAt, colourOf) {
        const coarse = Math.min(this.wide / (this.isLarge ? 2 : 1.5), MOST_PIXELS);
        const n = Math.max(BLOCK * Math.round(coarse / BLOCK), BLOCK), m = n + 1, step = this.span / n;
        const found = new Int16Array(m * m).fill(-2);
        const look = (i, j) => {
            const at = j * m + i;
            if (found[at] === -2) found[at] = labelAt(this.left + i * step, this.top - j * step);
            return found[at];
        };
        const fill = (i, j, side) => {
            const label = look(i, j), half = side / 2;
            if (side === 1) return;
            if ([[side, 0], [0, side], [side, side]].some(([a, b]) => look(i + a, j + b) !== label)) {
                for (const a of [0, half]) for (const b of [0, half]) fill(i + a, j + b, half);
                return;
            }
            for (let at = j * m + i; at < (j + side) * m + i; at += m) found.fill(label, at, at + side);
        };
        for (let j = 0; j < n; j += BLOCK) for (let i = 0; i < n; i += BLOCK) fill(i, j, BLOCK);
        if (this.areas.width !== n) this.areas.width = this.areas.height = n;
        const pen = this.areas.getContext("2d"), image = pen.createImageData(n, n);
        const pixels = new Uint32Array(image.data.buffer), paints = new Map([[-1, 0]]);
        for (let j = 0; j < n; j += 1) {
            for (let i = 0; i < n; i += 1) {
                const at = j * m + i, label = found[at];
                if (!paints.has(label)) {   // pixels are written from their last byte on
                    const [red, green, blue] = colourOf(label).match(/\w\w/g);
                    paints.set(label, parseInt(`34${blue}${green}${red}`, 16));
                }
                const isBorder = (i + 1 < n && found[at + 1] !== label)
                    || (j + 1 < n && found[at + m] !== label);
                pixels[j * n + i] = isBorder ? 0xeb8e8a80 : paints.get(label);
            }
        }
        pen.putImageData(image, 0, 0);
    }

    // Points of one colour; what is outside is a square at the edge.
    dots(spots, colour) {
        const { pen } = this, side = this.canvas.width;
        const radius = (this.isLarge ? 3.6 : 1.6) * this.ratio;
        pen.beginPath();
        for (const spot of spots) {
            const [across, down] = spot.map((at) => Math.min(Math.max(at, radius), side - radius));
            pen.moveTo(across + radius, down);
            if (spot.every((at) => at >= 0 && at <= side)) pen.arc(across, down, radius, 0, TURN);
            else pen.rect(across - radius, down - radius, 2 * radius, 2 * radius);
        }
        pen.fillStyle = colour;
        pen.fill();
        this.stroke("rgba(255, 255, 255, 0.7)", this.isLarge ? 0.9 : 0.4);
    }

    stroke(colour, width) {
        this.pen.strokeStyle = colour;
        this.pen.lineWidth = width * this.ratio;
        this.pen.stroke();
    }

    ring([x, y], radius, colour, width) {
        this.pen.beginPath();
        this.pen.arc(...this.at(x, y), radius, 0, TURN);
        this.stroke(colour, width);
    }

    lines(places, colour, width) {
        this.pen.beginPath();
        places.forEach((place, k) => this.pen[k ? "lineTo" : "moveTo"](...this.at(...place)));
        this.stroke(colour, width);
    }

    // A centre: a cross over a white one, so that it is seen on its points.
    cross([x, y], colour) {
        const arm = (this.isLarge ? 9 : 4) * this.ratio / this.scale, thick = this.isLarge ? 3 : 1.5;
        for (const [paint, width] of [["#ffffff", 2 * thick], [colour, thick]]) {
            this.lines([[x - arm, y], [x + arm, y]], paint, width);
            this.lines([[x, y - arm], [x, y + arm]], paint, width);
        }
    }
}

// ---- The board: a hand with one tool at a time, sliders, and a way back.
const NEAR = 16, AROUND = 96;   // pixels within which a point, and a group, is meant
const SPREAD = 170;             // standard deviation of a cloud, in places
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(TURN * Math.random());
// Said again, a text would be read out again.
const say = (node, words) => { if (node.textContent !== words) node.textContent = words; };

class Board {
    constructor(root) {
        Object.assign(this, { root, tool: "drag", show: "mapdp", zoom: 1, previous: [] });
        Object.assign(this, { cursor: [PLACES / 2, PLACES / 2], history: [], turn: 0 });
        this.canvas = root.querySelector("canvas.large");
        this.picture = new Picture(this.canvas, true, () => this.changed());
        this.cards = [...root.querySelectorAll(".cards button")].map((button) => ({
            button,
            picture: new Picture(button.querySelector("canvas"), false, () => this.changed()),
        }));
        for (const button of root.querySelectorAll("button")) {
            button.onclick = () => this.press(button.name);
        }
        for (const input of root.querySelectorAll("input")) {
            input.oninput = () => this.set(input);
            input.onchange = () => this.commit();
        }
        Object.assign(this.canvas, {
            onpointerdown: (event) => this.down(event),
            onpointermove: (event) => this.isDown && this.carry(this.placeOf(event)),
            onpointerup: () => this.up(),
            onpointercancel: () => this.up(),
            onkeydown: (event) => this.key(event),
            onblur: () => { this.hasCursor = false; this.changed(); },
        });
    }

    // What comes from the server: a drawing with its settings, and where it begins.
    take(data) {
        Object.assign(this, { data, history: [], previous: [] });
        ({ show: this.show, ...this.sketch } = structuredClone(data.sketch));
        this.tool = data.tool ?? this.tool;
        this.root.style.setProperty("--above", data.above);
        this.root.querySelector("[name=n0]").max = data.concentrations.length - 1;
        this.fit();
        this.before = JSON.stringify(this.sketch);
        this.changed();
    }

    // K-means has as many centres as it is given.
    fit() {
        const { k, centres, points } = this.sketch, middle = [[PLACES / 2, PLACES / 2]];
        this.sketch.centres = spreadOut(centres, points.length ? points : middle, k);
    }

    // Keep what was before as a step back, and tell the server.
    commit() {
        const now = JSON.stringify(this.sketch);
        this.changed();
        if (now === this.before) return;
        this.history.push(this.before);
        this.before = now;
        this.tell();
    }

    undo() {
        if (!this.history.length) return;
        this.before = this.history.pop();
        this.sketch = JSON.parse(this.before);
        this.tell();
    }

    set({ name, value }) {
        this.sketch[name] = name === "n0" ? this.data.concentrations[value] : Number(value);
        if (name === "k") this.fit();
        this.changed();
    }

    press(name) {
        const acts = {
            undo: () => this.undo(),
            clear: () => { this.sketch.points = []; this.commit(); },
            outlier: () => { this.add([12000, 12000]); this.commit(); },
            closer: () => { this.zoom = Math.max(this.zoom / 2, 1); },
            wider: () => { this.zoom = Math.min(this.zoom * 2, 8); },
        };
        if (name in METHODS) {
            this.show = name;
            this.tell();
        } else if (name in acts) acts[name]();
        else this.tool = name;
        this.changed();
    }

    // ---- The hand: a mouse, a finger or the keyboard.
    placeOf({ clientX, clientY }) {
        const box = this.canvas.getBoundingClientRect(), { left, top, span } = this.picture;
        return [left + (clientX - box.left) / box.width * span,
            top - (clientY - box.top) / box.height * span].map((units) => clip(toPlaces(units)));
    }

    // So many pixels of the screen, in places.
    across(pixels) {
        return pixels * toPlaces(this.picture.span) / this.canvas.clientWidth;
    }

    down(event) {
        if (!event.isPrimary) return;
        this.canvas.setPointerCapture(event.pointerId);
        this.canvas.focus({ preventScroll: true });
        Object.assign(this, { cursor: this.placeOf(event), isDown: true, hasCursor: false });
        this.act();
        this.changed();
    }

    up() {
        if (!this.isDown) return;
        Object.assign(this, { isDown: false, held: null });
        this.commit();
    }

    // What a tool does where it is put down.
    act() {
        const { sketch, cursor, tool } = this;
        const k = nearestPlace(sketch.points, cursor, this.across(tool === "group" ? AROUND : NEAR));
        const centre = nearestPlace(sketch.centres, cursor, this.across(NEAR));
        if (tool === "point" && this.add(cursor)) this.held = ["points", [sketch.points.length - 1]];
        else if (tool === "cloud") this.cloud(12);
        else if (tool === "delete") {
            sketch.points = sketch.points.filter((place) => apart(place, cursor) >= this.across(NEAR));
        } else if (tool === "drag" && this.show === "kmeans" && centre >= 0) {
            this.held = ["centres", [centre]];
        } else if (tool === "drag" && k >= 0) this.held = ["points", [k]];
        else if (tool === "group" && k >= 0) {
            const { labels } = this.answers[this.show];
            this.held = ["points", [...labels.keys()].filter((i) => labels[i] === labels[k])];
        }
    }

    // Bring what is held along, or go on drawing.
    carry(to) {
        const by = to.map((value, k) => value - this.cursor[k]);
        if (this.held) {
            const [name, which] = this.held, all = this.sketch[name];
            for (const k of which) all[k] = all[k].map((value, axis) => clip(value + by[axis]));
        }
        if (this.tool !== "cloud" || Math.hypot(...by) >= SPREAD / 3) {
            this.cursor = to;
            if (this.tool === "cloud") this.cloud(3);
            if (this.tool === "delete") this.act();
        }
        this.changed();
    }

    add(place) {
        if (this.sketch.points.length >= this.data.most) return false;
        this.sketch.points.push(place.map(clip));
        return true;
    }

    cloud(count) {
        const spread = SPREAD * this.zoom;
        for (let k = 0; k < count; k += 1) this.add(this.cursor.map((at) => at + spread * normal()));
    }

    // Arrows move the cursor and what is held; Enter takes hold or lets go, or uses a tool at once.
    key(event) {
        const { key, shiftKey } = event;
        if (key in ARROWS) {
            const far = (shiftKey ? 400 : 80) * this.zoom;
            const to = this.cursor.map((value, k) => clip(value + far * ARROWS[key][k]));
            if (this.held) this.carry(to);
            else this.cursor = to;
        } else if (key === "Enter") {
            const hadHold = this.held;
            this.held = null;
            if (!hadHold) this.act();
            if (this.tool === "point") this.held = null;
            if (!this.held) this.commit();
        } else if (key === "z" && (event.ctrlKey || event.metaKey)) this.undo();
        else return;
        event.preventDefault();
        this.hasCursor = true;
        this.changed();
    }

    // ---- Drawing: in the next frame, however often something changes before.
    changed() {
        if (this.isWaiting || !this.sketch) return;
        this.isWaiting = true;
        requestAnimationFrame(() => {
            this.isWaiting = false;
            this.draw();
        });
    }

    draw() {
        const { root, sketch, data: { concentrations } } = this;
        this.answers = answersTo(sketch);
        const { labels } = this.answers.mapdp, colours = colouredAs(labels, this.previous);
        this.previous = Array.from(labels, (label) => colours.get(label));
        this.ink = getComputedStyle(root).color;
        this.drawMethod(this.picture, this.show);
        if (this.hasCursor) {
            this.picture.ring(this.cursor.map(inUnits), 13 * this.picture.ratio, this.ink, 2);
        }
        // While something is dragged one of the small pictures is drawn a frame, in turn.
        this.turn = (this.turn + 1) % this.cards.length;
        this.cards.forEach(({ button, picture }, k) => {
            say(button.querySelector("small"), readout(button.name, this.answers[button.name]));
            if (!this.isDown || k === this.turn) this.drawMethod(picture, button.name);
        });
        for (const button of root.querySelectorAll("button")) {
            button.ariaPressed = String([this.tool, this.show].includes(button.name));
        }
        say(root.querySelector("output"), `${sketch.points.length} points`);
        say(root.querySelector(".hint"), METHODS[this.show][1]);
        const place = lowest(concentrations.map((one) => Math.abs(Math.log(one / sketch.n0))));
        for (const input of root.querySelectorAll("input")) {
            input.value = input.name === "n0" ? place : sketch[input.name];
            say(input.parentElement.querySelector("b"), String(sketch[input.name]));
        }
    }

    drawMethod(picture, method) {
        const { answers, sketch, ink, data: { colours: palette } } = this;
        const answer = answers[method], { ratio, isLarge } = picture;
        const colours = colouredAs(answer.labels, this.previous, answer.centres?.length);
        const colourOf = (label) => palette[(colours.get(label) ?? 0) % palette.length];
        const judge = judgeOfPlaces(method, answer, answers, sketch);
        picture.draw(this.zoom, judge, answers.rows, answer.labels, colourOf);
        (answer.centres ?? []).forEach((centre, k) => {
            const colour = colourOf(k);
            if (method === "dpmeans") {
                picture.ring(centre, sketch.circle * picture.scale, colour, isLarge ? 2 : 1);
            } else if (isLarge) {
                const path = answer.path.map((centres) => centres[k]);
                picture.lines(path, ink, 1);
                picture.ring(path[0], 10 * ratio, ink, 5);
                picture.ring(path[0], 10 * ratio, colour, 3);
            }
            picture.cross(centre, colour);
        });
    }
}

// ---- The board as a component of the page: what comes from the server, what goes back to it.
const boards = new WeakMap();

export default function ({ parentElement, data, setStateValue }) {
    const root = parentElement.querySelector(".board");
    const board = boards.get(root) ?? new Board(root);
    boards.set(root, board);
    board.tell = () => setStateValue("drawing", { ...structuredClone(board.sketch), show: board.show });
    // What was drawn here comes back by itself: only what came from elsewhere is taken over.
    if (board.revision !== data.revision) {
        board.revision = data.revision;
        board.take(data);
    }
}
