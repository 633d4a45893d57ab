// The picture of one derivation: the points under the switches that are on, borders that bend from
// one step to the next, and the bill of the point that was chosen.
const CLOUDS = [[3.2, 5.4, 1.1, 160], [6.3, 7, 0.35, 25], [7, 3.4, [1.2, 0.3], 55]];
const TOLD = { k: 3, width: 1, penalty: 16 };
const FIRST_CHOSEN = 4;
const GLIDE = 900;         // milliseconds
const NOWHERE = 30;        // nats by which what is not there costs more
const NAMES = {
    em: ["E-M", "½ d² + ½ ln |2πΣ| − ln weight, shared by price"],
    mapdp: ["MAP-DP", "− ln p(point | the others of the cluster) − ln Nₖ, or N₀ for a new one"],
    round: ["MAP-DP, one round width σ", "d² / 2σ² + ln 2πσ² − ln Nₖ, or N₀ for a new one"],
    dpmeans: ["DP-means", "d² / 2σ², and λ / 2σ² for a new cluster"],
    kmeans: ["K-means", "d² / 2σ² alone: the nearest centre"],
};

class Derivation {
    constructor(root) {
        Object.assign(this, { root, chosen: FIRST_CHOSEN, known: [], rung: null, passed: 1 });
        this.places = drawnClouds(1, CLOUDS).points;
        this.canvas = root.querySelector("canvas.large");
        this.picture = new Picture(this.canvas, true, () => this.changed());
        this.bars = new Bars(root);
        this.canvas.onpointerdown = (event) => this.down(event);
        this.canvas.onpointermove = (event) => this.move(event);
        this.canvas.onpointerup = this.canvas.onpointercancel = () => { this.isHeld = false; };
        this.canvas.onkeydown = (event) => this.key(event);
    }

    take({ rung, colours, above }) {
        this.root.style.setProperty("--above", above);
        this.palette = colours;
        if (rung !== this.rung) {
            this.before = this.now;
            this.rung = rung;
            this.begun = performance.now();
        }
        this.changed();
    }

    changed() {
        if (this.isWaiting) return;
        this.isWaiting = true;
        requestAnimationFrame(() => {
            this.isWaiting = false;
            this.draw();
        });
    }

    at(event) {
        const box = this.canvas.getBoundingClientRect();
        const view = viewOf(1);
        return [view.left + (event.clientX - box.left) / box.width * view.span,
            view.top - (event.clientY - box.top) / box.height * view.span]
            .map((units) => clip(toPlaces(units)));
    }

    down(event) {
        this.canvas.setPointerCapture(event.pointerId);
        this.chosen = nearestPlace(this.places, this.at(event));
        this.isHeld = true;
        this.changed();
    }

    move(event) {
        if (!this.isHeld) return;
        this.places[this.chosen] = this.at(event);
        this.changed();
    }

    key(event) {
        const arrow = ARROWS[event.key];
        if (!arrow) return;
        event.preventDefault();
        if (event.shiftKey) {
            this.places[this.chosen] = this.places[this.chosen].map((value, j) => clip(value + 40 * arrow[j]));
        } else {
            const n = this.places.length;
            this.chosen = (this.chosen + arrow[0] + arrow[1] + n) % n;
        }
        this.changed();
    }

    // What the step makes of the points, by the clusters' colours.
    solve() {
        const columns = columnsOf(this.places);
        const found = climbed(LADDER[this.rung], columns, TOLD);
        const colours = colouredAs(found.labels, this.known);
        this.known = Array.from(found.labels, (label) => colours.get(label));
        const kept = found.centres ?? found.components;
        const all = withEmpty(colours, kept ? kept.length : countOf(found.labels));
        const prices = pricesOfPlaces(found, columns);
        const colourOf = (k) => all.get(k) ?? -1;
        return { columns, found, prices, colourOf };
    }

    draw() {
        const now = this.now = this.solve();
        const passed = this.before ? Math.min((performance.now() - this.begun) / GLIDE, 1) : 1;
        const isGliding = passed < 1;
        if (!isGliding) this.before = null;
        this.picture.draw({
            view: viewOf(1),
            labelAt: isGliding ? between(this.before, now, eased(passed)) : (x, y) => cheapest(now, x, y),
            columns: now.columns,
            labels: this.known,
            colours: new Map(this.known.map((colour) => [colour, colour])),
            palette: this.palette,
            ink: getComputedStyle(this.root).color,
        });
        if (now.found.shares) this.mix(now);
        this.markChosen(now);
        this.say(now);
        if (isGliding) this.changed();
    }

    // In E-M a point has the colours of all its clusters, by its shares.
    mix({ columns, found, colourOf }) {
        const rgb = this.palette.map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));
        for (let i = 0; i < columns.n; i += 1) {
            const mixed = [0, 1, 2].map((part) => Math.round(found.shares.reduce(
                (sum, share, k) => sum + Math.round(16 * share[i]) / 16 * rgb[colourOf(k) % rgb.length][part], 0)));
            const colour = `rgb(${mixed.map((value) => Math.min(value, 255)).join(",")})`;
            this.picture.dot(columns.x[i], columns.y[i], colour, 3.6 * this.picture.ratio);
        }
    }

    markChosen({ columns, found, colourOf }) {
        const [x, y] = [columns.x[this.chosen], columns.y[this.chosen]];
        const { picture, palette } = this;
        for (const [radius, colour] of [[11, picture.ink], [9, "#ffffff"]]) {
            picture.ring(x, y, radius * picture.ratio, colour, 2);
        }
        if (!("centres" in found)) return;
        found.centres.forEach((centre, k) => picture.cross(centre, palette[colourOf(k) % palette.length]));
        if ("fresh" in found) {
            picture.ring(x, y, Math.sqrt(TOLD.penalty) * picture.scale, TERMS.fixed[0], 2);
        }
    }

    say({ columns, found, colourOf }) {
        const [name, formula] = NAMES[found.step];
        say(this.root.querySelector(".name"), `${name}: ${groupsOf(countOf(found.labels))}`);
        say(this.root.querySelector(".formula"), `A cluster's price: ${formula}`);
        this.bars.show(billOf(found, columns, this.chosen).map((entry) => ({
            ...entry,
            colour: entry.cluster < 0 ? undefined : this.palette[colourOf(entry.cluster) % this.palette.length],
        })));
    }
}

const eased = (passed) => passed * passed * (3 - 2 * passed);

// The colour of the cheapest cluster at a place, -1 where that is a new one.
function cheapest({ prices, colourOf }, x, y) {
    const all = prices(x, y);
    return colourOf(all.indexOf(Math.min(...all)));
}

// The same on the way from one step to the next: every colour's price goes from the one to the
// other; what only one of them has gets dear, or affordable, on the way.
function between(before, now, passed) {
    return (x, y) => {
        const [first, second] = [before, now].map(({ prices, colourOf }) => (
            new Map(prices(x, y).map((price, k) => [colourOf(k), price]))));
        let [best, least] = [-1, Infinity];
        for (const colour of new Set([...first.keys(), ...second.keys()])) {
            const [a, b] = [first.get(colour), second.get(colour)];
            const price = (1 - passed) * (a ?? b + NOWHERE) + passed * (b ?? a + NOWHERE);
            if (price < least) [best, least] = [colour, price];
        }
        return best;
    };
}
