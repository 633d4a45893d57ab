// A square canvas with one method's answer: areas, circles, centres, points.
const MIDDLE_OF_BOARD = 5;
const BOARD_SPAN = 10.6;      // units across, so that a point at the edge is whole

function viewOf(zoom) {
    const span = BOARD_SPAN * zoom;
    return { span, left: MIDDLE_OF_BOARD - span / 2, top: MIDDLE_OF_BOARD + span / 2 };
}

const MOST_PIXELS = 304;     // of the areas, in either direction

class Picture {
    constructor(canvas, isLarge, whenResized = () => {}) {
        Object.assign(this, { canvas, isLarge, pen: canvas.getContext("2d"), sprites: new Map() });
        this.areas = document.createElement("canvas");
        this.wide = canvas.clientWidth;
        // To ask at every frame would have the browser lay the page out once more.
        new ResizeObserver(() => {
            this.wide = canvas.clientWidth;
            whenResized();
        }).observe(canvas);
    }

    // Follow the size on the screen; the areas are coarser.
    fit() {
        const ratio = Math.min(window.devicePixelRatio || 1, 2);
        const side = Math.max(Math.round(this.wide * ratio), 16);
        if (this.canvas.width !== side) {
            this.canvas.width = this.canvas.height = side;
            this.sprites.clear();
        }
        const coarse = Math.min(this.wide / (this.isLarge ? 2 : 1.5), MOST_PIXELS);
        this.n = Math.max(BLOCK * Math.round(coarse / BLOCK), 2 * BLOCK);
        if (this.areas.width !== this.n) {
            this.areas.width = this.areas.height = this.n;
            this.image = this.areas.getContext("2d").createImageData(this.n, this.n);
        }
        this.ratio = ratio;
    }

    draw({ view, labelAt, columns, labels, colours, palette, ink }) {
        this.fit();
        Object.assign(this, { view, ink, scale: this.canvas.width / view.span });
        const { pen, canvas } = this;
        pen.clearRect(0, 0, canvas.width, canvas.height);
        const rgb = palette.map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));
        const colourAt = (label) => (colours.get(label) ?? 0) % palette.length;
        if (columns.n) {
            const found = regionsOf(labelAt, view, this.n, columns);
            paintRegions(this.image, found, this.n, (label) => rgb[colourAt(label)]);
            this.areas.getContext("2d").putImageData(this.image, 0, 0);
            pen.drawImage(this.areas, 0, 0, canvas.width, canvas.height);
        }
        const radius = (this.isLarge ? 3.6 : 1.6) * this.ratio;
        for (let i = 0; i < columns.n; i += 1) {
            this.dot(columns.x[i], columns.y[i], palette[colourAt(labels[i])], radius);
        }
    }

    at(x, y) {
        return [(x - this.view.left) * this.scale, (this.view.top - y) * this.scale];
    }

    dot(x, y, colour, radius) {
        const [across, down] = this.at(x, y);
        const side = this.canvas.width;
        const edge = Math.max(radius, 5 * this.ratio);
        if (across < 0 || down < 0 || across > side || down > side) {
            // What is outside is an arrow's head at the edge.
            const [a, d] = [across, down].map((value) => Math.min(Math.max(value, edge), side - edge));
            const turn = Math.atan2(down - d, across - a);
            this.pen.fillStyle = colour;
            this.pen.beginPath();
            for (const corner of [0, 2.4, -2.4]) {
                this.pen.lineTo(a + edge * Math.cos(turn + corner), d + edge * Math.sin(turn + corner));
            }
            this.pen.fill();
            return;
        }
        const sprite = this.sprite(colour, radius);
        this.pen.drawImage(sprite, across - sprite.width / 2, down - sprite.height / 2);
    }

    sprite(colour, radius) {
        const key = `${colour} ${radius}`;
        if (!this.sprites.has(key)) {
            const made = document.createElement("canvas");
            made.width = made.height = Math.ceil(2 * radius + 2);
            const pen = made.getContext("2d");
            pen.fillStyle = colour;
            pen.strokeStyle = "rgba(255, 255, 255, 0.7)";
            pen.lineWidth = radius / 4;
            pen.beginPath();
            pen.arc(made.width / 2, made.width / 2, radius, 0, 2 * Math.PI);
            pen.fill();
            pen.stroke();
            this.sprites.set(key, made);
        }
        return this.sprites.get(key);
    }

    ring(x, y, radius, colour, width = 1.5) {
        const { pen } = this;
        pen.strokeStyle = colour;
        pen.lineWidth = width * this.ratio;
        pen.beginPath();
        pen.arc(...this.at(x, y), radius, 0, 2 * Math.PI);
        pen.stroke();
    }

    line(from, to, colour, width = 1.5) {
        const { pen } = this;
        pen.strokeStyle = colour;
        pen.lineWidth = width * this.ratio;
        pen.beginPath();
        pen.moveTo(...this.at(...from));
        pen.lineTo(...this.at(...to));
        pen.stroke();
    }

    // A centre: a cross over a white one, so that it is seen on its points.
    cross([x, y], colour) {
        const arm = (this.isLarge ? 9 : 4) * this.ratio / this.scale;
        for (const [paint, width] of [["#ffffff", this.isLarge ? 6 : 3], [colour, this.isLarge ? 3 : 1.5]]) {
            this.line([x - arm, y], [x + arm, y], paint, width);
            this.line([x, y - arm], [x, y + arm], paint, width);
        }
    }
}
