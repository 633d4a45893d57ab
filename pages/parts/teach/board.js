// The live board: points under a hand, and what three methods make of them, drawn once a frame.

// ---- What the three methods make of a sketch: all their passes, and what belongs where.
const METHODS = { kmeans: "K-means", dpmeans: "DP-means", mapdp: "MAP-DP" };
const HINTS = {
    kmeans: "Drag a ring: a centre begins there and ends at its cross.",
    dpmeans: "A point outside every circle, of radius √λ, founds a group.",
    mapdp: "A new point outside the borders would found a group.",
};

function answersTo({ points, centres, circle, n0, width }) {
    const columns = columnsOf(points);
    const nothing = [{ labels: new Int32Array(0), centres: [], objective: 0 }];
    return {
        columns,
        kmeans: kmeans(columns, centres.map((place) => place.map(inUnits))),
        dpmeans: columns.n ? dpmeans(columns, circle * circle) : nothing,
        mapdp: mapdp(columns, n0, width),
    };
}

// The cluster that a place belongs to, -1 for a new one, of a method's state.
function judgeOfPlaces(method, state, { columns }, { circle, n0, width }) {
    if (method === "mapdp") {
        const clusters = new Clusters(columns, state.labels, n0, width);
        return (x, y) => clusters.cheapestAt(x, y);
    }
    const reach = method === "dpmeans" ? circle * circle : Infinity;
    return (x, y) => {
        const [k, distance] = nearestCentre(x, y, state.centres);
        return distance > reach ? -1 : k;
    };
}

function readout(method, { labels, objective }) {
    const k = new Set(labels).size, groups = `${k} group${k === 1 ? "" : "s"}`;
    return {
        kmeans: `${groups}, error ${objective.toFixed(1)}`,
        dpmeans: `${groups}, error + λK = ${objective.toFixed(1)}`,
        mapdp: `${groups}, E = ${objective.toFixed(2)}`,
    }[method];
}

// Colours that stay: a cluster has that of the cluster whose points it shares most, the others, the
// largest first, and centres without points have the first that is free.
function colouredAs(labels, known, k = 0) {
    const shared = new Map(), sizes = new Map();
    labels.forEach((label, i) => {
        sizes.set(label, (sizes.get(label) ?? 0) + 1);
        const key = `${label} ${known[i]}`;
        if (known[i] !== undefined) shared.set(key, (shared.get(key) ?? 0) + 1);
    });
    const colours = new Map(), taken = new Set();
    const give = (label, colour) => {
        colours.set(label, colour);
        taken.add(colour);
    };
    const falling = (counts) => [...counts].sort((a, b) => b[1] - a[1]).map(([key]) => key);
    for (const key of falling(shared)) {
        const [label, colour] = key.split(" ").map(Number);
        if (!colours.has(label) && !taken.has(colour)) give(label, colour);
    }
    for (const label of [...falling(sizes), ...Array(k).keys()]) {
        let free = 0;
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

    draw(zoom, labelAt, { x, y, n }, labels, colourOf) {
        this.ratio = Math.min(window.devicePixelRatio || 1, 2);
        const side = Math.max(Math.round(this.wide * this.ratio), 16);
        if (this.canvas.width !== side) this.canvas.width = this.canvas.height = side;
        this.span = BOARD_SPAN * zoom;
        Object.assign(this, { left: MIDDLE - this.span / 2, top: MIDDLE + this.span / 2 });
        this.scale = side / this.span;
        this.pen.clearRect(0, 0, side, side);
        if (!n) return;
        this.paintAreas(labelAt, colourOf);
        this.pen.drawImage(this.areas, 0, 0, side, side);
        const byColour = Map.groupBy(Array(n).keys(), (i) => colourOf(labels[i]));
        for (const [colour, some] of byColour) this.dots(some.map((i) => this.at(x[i], y[i])), colour);
    }

    at(x, y) {
        return [(x - this.left) * this.scale, (this.top - y) * this.scale];
    }

    // Pale areas with darker borders; blocks whose corners belong together are not looked into.
    paintAreas(labelAt, colourOf) {
        const coarse = Math.min(this.wide / (this.isLarge ? 2 : 1.5), MOST_PIXELS);
        const n = Math.max(BLOCK * Math.round(coarse / BLOCK), BLOCK), m = n + 1;
        const found = new Int16Array(m * m).fill(-2);
        const look = (i, j) => {
            if (found[j * m + i] === -2) {
                found[j * m + i] = labelAt(this.left + i * this.span / n, this.top - j * this.span / n);
            }
            return found[j * m + i];
        };
        const fill = (i, j, side) => {
            const label = look(i, j), half = side / 2;
            if (side === 1) return;
            const isOne = label === look(i + side, j) && label === look(i, j + side)
                && label === look(i + side, j + side);
            if (!isOne) {
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
                const label = found[j * m + i];
                if (!paints.has(label)) {
                    const rgb = parseInt(colourOf(label).slice(1), 16);
                    const [red, green, blue] = [rgb >> 16, rgb >> 8 & 255, rgb & 255];
                    paints.set(label, ((52 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
                }
                const isBorder = (i + 1 < n && found[j * m + i + 1] !== label)
                    || (j + 1 < n && found[(j + 1) * m + i] !== label);
                pixels[j * n + i] = isBorder ? 0xeb8e8a80 : paints.get(label);
            }
        }
        pen.putImageData(image, 0, 0);
    }

    // Points of one colour; what is outside is an arrow's head at the edge.
    dots(spots, colour) {
        const { pen, ratio } = this, side = this.canvas.width;
        const radius = (this.isLarge ? 3.6 : 1.6) * ratio, edge = Math.max(radius, 5 * ratio);
        pen.beginPath();
        for (const [across, down] of spots) {
            const inside = [across, down].map((at) => Math.min(Math.max(at, edge), side - edge));
            if (across >= 0 && down >= 0 && across <= side && down <= side) {
                pen.moveTo(across + radius, down);
                pen.arc(across, down, radius, 0, TURN);
                continue;
            }
            const turn = Math.atan2(down - inside[1], across - inside[0]);
            [0, 2.4, -2.4].forEach((corner, k) => pen[k ? "lineTo" : "moveTo"](
                inside[0] + edge * Math.cos(turn + corner),
                inside[1] + edge * Math.sin(turn + corner)));
            pen.closePath();
        }
        pen.fillStyle = colour;
        pen.strokeStyle = "rgba(255, 255, 255, 0.7)";
        pen.lineWidth = radius / 4;
        pen.fill();
        pen.stroke();
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

    line(from, to, colour, width) {
        this.pen.beginPath();
        this.pen.moveTo(...this.at(...from));
        this.pen.lineTo(...this.at(...to));
        this.stroke(colour, width);
    }

    // A centre: a cross over a white one, so that it is seen on its points.
    cross([x, y], colour) {
        const arm = (this.isLarge ? 9 : 4) * this.ratio / this.scale;
        for (const [paint, width] of [["#ffffff", 6], [colour, 3]]) {
            const thick = this.isLarge ? width : width / 2;
            this.line([x - arm, y], [x + arm, y], paint, thick);
            this.line([x, y - arm], [x, y + arm], paint, thick);
        }
    }
}

// ---- The board: a hand with one tool at a time, a clock, sliders, and a way back.
const FIELDS = ["points", "centres", "k", "circle", "n0", "width"];
const ZOOMS = [1, 2, 4, 8];
const NEAR = 16, AROUND = 96;   // pixels within which a point, and a group, is meant
const SPREAD = 170;             // standard deviation of a cloud, in places
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(TURN * Math.random());
// Said again, a text would be read out again.
const say = (node, words) => { if (node.textContent !== words) node.textContent = words; };

class Board {
    constructor(root) {
        Object.assign(this, { root, tool: "drag", show: "mapdp", zoom: 1, known: [] });
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
        for (const input of root.querySelectorAll(".set")) {
            input.oninput = () => this.set(input);
            input.onchange = () => this.commit();
        }
        this.list("preset").onchange = (event) => this.begin(event.target.value);
        Object.assign(this.canvas, {
            onpointerdown: (event) => this.down(event),
            onpointermove: (event) => this.isDown && this.carry(this.placeOf(event)),
            onpointerup: () => this.up(),
            onpointercancel: () => this.up(),
            onkeydown: (event) => this.key(event),
            onblur: () => this.see(false),
        });
    }

    list(name) {
        return this.root.querySelector(`[name=${name}]`);
    }

    // What comes from the server: a drawing with what is told of it, and where it begins.
    take(data) {
        Object.assign(this, { data, sketch: {}, history: [], known: [] });
        for (const name of FIELDS) this.sketch[name] = structuredClone(data[name]);
        this.show = data.show in METHODS ? data.show : "mapdp";
        this.tool = data.tool ?? this.tool;
        this.root.style.setProperty("--above", data.above);
        const options = [["", "none, draw freely"], ...Object.entries(data.presets)];
        this.list("preset").replaceChildren(...options.map(([name, title]) => new Option(title, name)));
        this.list("preset").value = data.preset ?? "";
        say(this.root.querySelector(".task"), data.task);
        this.list("n0").max = data.concentrations.length - 1;
        this.fit();
        this.before = this.said();
        this.changed();
    }

    // K-means has as many centres as it is told.
    fit() {
        this.sketch.centres = centresFor(this.sketch.k, this.sketch.centres, this.sketch.points);
    }

    said() {
        return JSON.stringify(this.sketch);
    }

    // Keep what was before as a step back, and tell the server.
    commit() {
        const now = this.said();
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
        this.changed();
        this.tell();
    }

    set(input) {
        const { name, value } = input;
        this.sketch[name] = name === "n0" ? this.data.concentrations[value] : Number(value);
        if (name === "k") this.fit();
        this.changed();
    }

    setZoom(factor) {
        if (ZOOMS.includes(this.zoom * factor)) this.zoom *= factor;
    }

    press(name) {
        const acts = {
            undo: () => this.undo(),
            clear: () => { this.sketch.points = []; this.commit(); },
            outlier: () => { this.add([12000, 12000]); this.commit(); },
            closer: () => this.setZoom(0.5),
            wider: () => this.setZoom(2),
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
            const { labels } = this.answers[this.show].at(-1);
            const own = [...labels.keys()].filter((i) => labels[i] === labels[k]);
            this.held = ["points", own];
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

    see(hasCursor) {
        this.hasCursor = hasCursor;
        this.changed();
    }

    // Arrows move the cursor and what is held; Enter takes hold or lets go, or uses a tool at once.
    key(event) {
        const { key, shiftKey } = event;
        if (key in ARROWS) {
            const far = (shiftKey ? 400 : 80) * this.zoom;
            const to = this.cursor.map((value, k) => clip(value + far * ARROWS[key][k]));
            if (this.held) this.carry(to);
            else this.cursor = to;
        } else if (key === "Enter" || key === " ") {
            const hadHold = this.held;
            this.held = null;
            if (!hadHold) this.act();
            if (this.tool === "point") this.held = null;
            if (!this.held) this.commit();
        } else if (key === "z" && (event.ctrlKey || event.metaKey)) this.undo();
        else if (key === "+" || key === "-") this.setZoom(key === "+" ? 0.5 : 2);
        else return;
        event.preventDefault();
        this.see(true);
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
        const { root, sketch } = this;
        this.answers = answersTo(sketch);
        const { labels } = this.answers.mapdp.at(-1), colours = colouredAs(labels, this.known);
        this.known = Array.from(labels, (label) => colours.get(label));
        this.ink = getComputedStyle(root).color;
        this.drawMethod(this.picture, this.show);
        if (this.hasCursor) {
            this.picture.ring(this.cursor.map(inUnits), 13 * this.picture.ratio, this.ink, 2);
        }
        // While something is dragged one of the small pictures is drawn a frame, in turn.
        this.turn = (this.turn + 1) % this.cards.length;
        this.cards.forEach(({ button, picture }, k) => {
            button.setAttribute("aria-pressed", String(this.show === button.name));
            const state = this.answers[button.name].at(-1);
            say(button.querySelector("small"), readout(button.name, state));
            if (!this.isDown || k === this.turn) this.drawMethod(picture, button.name);
        });
        for (const button of root.querySelectorAll(".tools button")) {
            button.setAttribute("aria-pressed", String(button.name === this.tool));
        }
        say(root.querySelector("output"), `${sketch.points.length} points`);
        say(root.querySelector(".hint"), HINTS[this.show]);
        const { concentrations } = this.data;
        const place = lowest(concentrations.map((one) => Math.abs(Math.log(one / sketch.n0))));
        for (const input of root.querySelectorAll(".set")) {
            input.value = input.name === "n0" ? place : sketch[input.name];
            const words = input.parentElement.querySelector("b");
            if (words) say(words, String(sketch[input.name]));
        }
    }

    drawMethod(picture, method) {
        const { answers, sketch, ink, data: { colours: palette } } = this;
        const states = answers[method], state = states.at(-1), { ratio } = picture;
        const colours = colouredAs(state.labels, this.known, state.centres?.length);
        const colourOf = (label) => palette[(colours.get(label) ?? 0) % palette.length];
        const judge = judgeOfPlaces(method, state, answers, sketch);
        picture.draw(this.zoom, judge, answers.columns, state.labels, colourOf);
        (state.centres ?? []).forEach((centre, k) => {
            const colour = colourOf(k), { isLarge } = picture;
            if (method === "dpmeans") {
                picture.ring(centre, sketch.circle * picture.scale, colour, isLarge ? 2 : 1);
            } else if (isLarge) {
                const shown = states.map((one) => one.centres[k]);
                shown.slice(1).forEach((to, step) => picture.line(shown[step], to, ink, 1));
                picture.ring(shown[0], 11 * ratio, ink, 2);
                picture.ring(shown[0], 9 * ratio, colour, 2);
            }
            picture.cross(centre, colour);
        });
    }
}

// ---- The board as a component of the page: what comes from the server, what goes back to it.
const boards = new WeakMap();

export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
    const root = parentElement.querySelector(".board");
    const board = boards.get(root) ?? new Board(root);
    boards.set(root, board);
    board.begin = (name) => setTriggerValue("preset", name);
    board.tell = () => setStateValue("drawing", { ...structuredClone(board.sketch), show: board.show });
    // What was drawn here comes back by itself: only what came from elsewhere is taken over.
    if (board.revision !== data.revision) {
        board.revision = data.revision;
        board.take(data);
    }
}
