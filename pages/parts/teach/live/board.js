// The live board: everything beside everything else, drawn once a frame after a change.
const FAR_OUTLIER = [12000, 12000];
const ZOOMS = [1, 2, 4, 8];

class Board {
    constructor(root, data) {
        Object.assign(this, { root, data, show: "mapdp", zoom: 1, known: [] });
        this.sketch = new Sketch();
        this.presets = new Presets(root, this);
        this.clock = new Clock(this);
        const canvas = root.querySelector("canvas.large");
        this.picture = new Picture(canvas, true, () => this.changed());
        this.hand = new Hand(canvas, this);
        this.cards = new Cards(root.querySelector(".cards"), this);
        this.sliders = new Sliders(root.querySelector(".sliders"), this, data.concentrations);
        for (const button of root.querySelectorAll(".tools button, .clock button")) {
            button.onclick = () => this.press(button.name);
        }
        root.querySelector("[name=speed]").onchange = (event) => this.clock.setSpeed(event.target.value);
        this.makeSwatches();
    }

    makeSwatches() {
        const swatches = this.root.querySelector(".swatches");
        this.data.colours.slice(0, 8).forEach((colour, k) => {
            const button = document.createElement("button");
            button.setAttribute("role", "radio");
            button.setAttribute("aria-label", `Colour ${k + 1}`);
            button.style.background = colour;
            button.onclick = () => {
                this.hand.colour = k;
                this.changed();
            };
            swatches.append(button);
        });
    }

    // What comes from the server: a drawing, or a preset to begin with.
    take(data) {
        this.root.style.setProperty("--above", data.above);
        this.data = data;
        this.show = METHODS.includes(data.show) ? data.show : "mapdp";
        this.presets.begin(data.preset, data);
        this.changed();
    }

    get view() {
        return viewOf(this.zoom);
    }

    mayAdd() {
        return this.sketch.points.length < this.data.most;
    }

    // The points that move together: the group shown.
    groupOf(k) {
        const { labels } = atPass(this.answers[this.show], this.clock.pass);
        return [...this.sketch.points.keys()].filter((i) => labels[i] === labels[k]);
    }

    set(name, value) {
        if (name === "k") this.sketch.setK(value);
        else this.sketch[name] = value;
        this.changed();
    }

    turnTo(method) {
        this.show = method;
        this.changed();
        this.tell();
    }

    setZoom(factor) {
        const zoom = this.zoom * factor;
        if (ZOOMS.includes(zoom)) this.zoom = zoom;
        this.changed();
    }

    // Zoom out until everything is seen.
    seeAll() {
        const farthest = Math.max(0, ...this.sketch.points.flat().map(
            (place) => Math.abs(inUnits(place) - MIDDLE_OF_BOARD)));
        this.zoom = ZOOMS.find((zoom) => farthest <= BOARD_SPAN * zoom / 2) ?? 8;
    }

    press(name) {
        const acts = {
            undo: () => this.undo(),
            clear: () => this.clear(),
            outlier: () => this.addOutlier(),
            closer: () => this.setZoom(0.5),
            wider: () => this.setZoom(2),
            rewind: () => this.clock.step(-Infinity),
            back: () => this.clock.step(-1),
            play: () => this.clock.play(),
            forward: () => this.clock.step(1),
            rest: () => this.clock.step(Infinity),
        };
        if (name in acts) acts[name]();
        else this.hand.tool = name;
        this.changed();
    }

    clear() {
        Object.assign(this.sketch, { points: [], painted: [] });
        this.commit();
    }

    addOutlier() {
        if (!this.hand.add(FAR_OUTLIER)) return;
        this.seeAll();
        this.commit();
    }

    undo() {
        if (!this.sketch.undo()) return;
        this.changed();
        this.tell();
    }

    commit() {
        this.changed();
        if (this.sketch.commit()) this.tell();
    }

    // Draw in the next frame, however often something changes before.
    changed() {
        if (this.isWaiting) return;
        this.isWaiting = true;
        requestAnimationFrame(() => {
            this.isWaiting = false;
            this.draw();
        });
    }

    draw() {
        this.answers = answersTo(this.sketch);
        const { mapdp: states } = this.answers;
        const first = atPass(states, this.clock.pass).labels;
        const colours = colouredAs(first, this.known);
        this.known = Array.from(first, (label) => colours.get(label));
        this.ink = getComputedStyle(this.root).color;
        this.drawMethod(this.picture, this.show);
        if (this.hand.hasCursor) markCursor(this.picture, this.hand.cursor);
        this.cards.show(this, (picture, method) => this.drawMethod(picture, method));
        this.sayAll();
    }

    drawMethod(picture, method) {
        const { answers, sketch, clock, ink, data: { colours: palette } } = this;
        const states = answers[method];
        const state = atPass(states, clock.pass);
        const matched = colouredAs(state.labels, this.known);
        const colours = method === "kmeans" ? withEmpty(matched, state.centres.length) : matched;
        picture.draw({
            view: this.view,
            labelAt: judgeOfPlaces(method, state, answers, sketch),
            columns: answers.columns,
            labels: state.labels,
            colours,
            palette,
            ink,
        });
        if (method === "kmeans") markCentres(picture, states, clock.pass, colours, palette);
        if (method === "dpmeans") markCircles(picture, state, sketch.radius, colours, palette);
        if (picture.isLarge && sketch.painted.length) {
            markPainted(picture, answers.columns, sketch.painted, palette);
        }
    }

    sayAll() {
        const { root, sketch, hand, clock } = this;
        for (const button of root.querySelectorAll(".tools > button")) {
            button.setAttribute("aria-pressed", String(button.name === hand.tool));
        }
        const swatches = root.querySelector(".swatches");
        swatches.hidden = hand.tool !== "paint";
        [...swatches.children].forEach((one, k) => {
            one.setAttribute("aria-checked", String(k === hand.colour));
            one.style.outline = k === hand.colour ? "2px solid currentColor" : "none";
        });
        say(root.querySelector("output"), `${sketch.points.length} points`);
        say(root.querySelector(".pass"), clock.says);
        say(root.querySelector(".hint"), HINTS[this.show]);
        const play = root.querySelector("[name=play]");
        say(play, clock.isRunning ? "❚❚" : "▶");
        play.setAttribute("aria-label", clock.isRunning ? "Pause" : "Play");
        const own = painted(sketch);
        say(root.querySelector(".own"), own
            ? `Your groups: E = ${own.energy.toFixed(2)}, squared error ${own.error.toFixed(1)}` : "");
        this.sliders.show(sketch);
    }
}
