// A board to draw points on, to move and delete them, and to drag the centres of K-means about.
const PLACES = 4096;
const MARGIN = 120;   // around the places: a point at the edge is whole, and can be taken hold of
const NEAR = 90;      // a click this near a point, in places, is meant for it
const SPREAD = 170;   // standard deviation of a cloud
const boards = new WeakMap();
const clip = (value) => Math.min(Math.max(Math.round(value), 0), PLACES - 1);
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random()))
    * Math.cos(2 * Math.PI * Math.random());
const distance = ([a, b], [c, d]) => Math.hypot(a - c, b - d);
const nearestOf = (all, place) => all.reduce((best, one, k) =>
    (best < 0 || distance(one, place) < distance(all[best], place) ? k : best), -1);
const node = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
};

class Board {
    constructor(root) {
        this.root = root;
        this.svg = root.querySelector("svg");
        this.mode = "point";
        this.cursor = [PLACES / 2, PLACES / 2];
        this.held = null;
        this.history = [];
        for (const button of root.querySelectorAll("button")) {
            button.onclick = () => this.press(button.name);
        }
        this.svg.onpointerdown = (event) => this.down(event);
        this.svg.onpointermove = (event) => this.move(event);
        this.svg.onpointerup = () => this.up();
        this.svg.onkeydown = (event) => this.key(event);
    }

    take({ points, centres, colours, most }) {
        Object.assign(this, { points, centres, colours, most, history: [], held: null });
        this.draw();
    }

    place(event) {
        const box = this.svg.getBoundingClientRect();
        const [across, down] = [(event.clientX - box.left) / box.width,
            (event.clientY - box.top) / box.height];
        return [across, 1 - down].map((share) => clip(share * (PLACES + 2 * MARGIN) - MARGIN));
    }

    remember() {
        this.before = JSON.stringify([this.points, this.centres]);
    }

    commit() {
        const now = JSON.stringify([this.points, this.centres]);
        if (now === this.before) return;
        this.history.push(this.before);
        this.tell({ points: this.points, centres: this.centres });
    }

    add(place) {
        if (this.points.length < this.most) this.points.push(place.map(clip));
    }

    cloud([x, y], count) {
        for (let k = 0; k < count; k += 1) {
            this.add([x + SPREAD * normal(), y + SPREAD * normal()]);
        }
    }

    act(place) {
        if (this.mode === "point") this.add(place);
        if (this.mode === "cloud") this.cloud(place, 12);
        if (this.mode === "delete") {
            this.points = this.points.filter((one) => distance(one, place) > NEAR);
        }
        if (this.mode === "move" || this.mode === "centres") {
            const all = this.mode === "move" ? this.points : this.centres;
            const k = nearestOf(all, place);
            if (k >= 0 && (this.mode === "centres" || distance(all[k], place) < NEAR)) {
                this.held = { all, k };
            }
        }
    }

    down(event) {
        this.svg.setPointerCapture(event.pointerId);
        this.remember();
        this.isDown = true;
        this.cursor = this.place(event);
        this.act(this.cursor);
        this.draw();
    }

    move(event) {
        if (!this.isDown) return;
        const place = this.place(event);
        if (this.held) this.held.all[this.held.k] = place;
        if (this.mode === "cloud" && distance(place, this.cursor) > SPREAD / 3) {
            this.cursor = place;
            this.cloud(place, 3);
        }
        if (this.mode === "delete") this.act(place);
        this.draw();
    }

    up() {
        if (!this.isDown) return;
        this.isDown = false;
        this.held = null;
        this.commit();
        this.draw();
    }

    key(event) {
        const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
        if (event.key in steps) {
            const far = event.shiftKey ? 400 : 80;
            this.cursor = this.cursor.map((value, k) => clip(value + far * steps[event.key][k]));
            if (this.held) this.held.all[this.held.k] = [...this.cursor];
        } else if (event.key === "Enter" || event.key === " ") {
            if (this.held) {
                this.held = null;
                this.commit();
            } else {
                this.remember();
                this.act(this.cursor);
                if (!this.held) this.commit();
            }
        } else if (event.key === "z" && (event.ctrlKey || event.metaKey)) {
            this.press("undo");
        } else {
            return;
        }
        event.preventDefault();
        this.draw(true);
    }

    press(name) {
        this.remember();
        if (name === "undo") {
            if (!this.history.length) return;
            [this.points, this.centres] = JSON.parse(this.history.pop());
            this.tell({ points: this.points, centres: this.centres });
        } else if (name === "clear") {
            this.points = [];
            this.commit();
        } else if (name === "outlier") {
            this.add([PLACES - 1, PLACES - 1]);
            this.commit();
        } else if (name === "pass") {
            this.centres = this.centres.map((centre, k) => {
                const own = this.points.filter((one) => nearestOf(this.centres, one) === k);
                if (!own.length) return centre;
                return [0, 1].map((j) => clip(own.reduce((sum, one) => sum + one[j], 0) / own.length));
            });
            this.mode = "centres";
            this.commit();
        } else {
            this.mode = name;
        }
        this.draw();
    }

    draw(withCursor = false) {
        const height = PLACES;
        const isCentres = this.mode === "centres";
        const dots = this.points.map((one) => node("circle", {
            cx: one[0], cy: height - one[1], r: 28, "fill-opacity": 0.8,
            fill: isCentres ? this.colours[nearestOf(this.centres, one)] : "currentColor",
        }));
        const crosses = isCentres ? this.centres.map(([x, y], k) => node("path", {
            d: `M${x - 90},${height - y}h180M${x},${height - y - 90}v180`,
            stroke: this.colours[k], "stroke-width": 44, class: "centre",
        })) : [];
        const [x, y] = this.cursor;
        const cursor = withCursor ? [node("circle", {
            cx: x, cy: height - y, r: 110, fill: "none", stroke: "currentColor", "stroke-width": 16,
        })] : [];
        this.svg.replaceChildren(...dots, ...crosses, ...cursor);
        for (const button of this.root.querySelectorAll("button")) {
            button.setAttribute("aria-pressed", String(button.name === this.mode));
        }
        this.root.querySelector("output").textContent = `${this.points.length} points`;
    }
}

export default function ({ parentElement, data, setStateValue }) {
    const root = parentElement.querySelector(".board");
    const board = boards.get(root) ?? new Board(root);
    boards.set(root, board);
    board.tell = (drawing) => setStateValue("drawing", drawing);
    // What was drawn here comes back by itself: only what came from elsewhere is taken over.
    if (board.revision !== data.revision) {
        board.revision = data.revision;
        board.take(data);
    }
}
