// One panel of a race: the rows with their colours, ellipses, crosses and numbers, at one moment.
const channelsOf = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
const TURN = 2 * Math.PI;

// A canvas as large as it stands in the page, wiped.
function pageOf(canvas) {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const page = canvas.getContext("2d");
    page.scale(ratio, ratio);
    return { page, width, height };
}

// Where the plane lies on a canvas: a step across as long as one up, where both have one unit.
function placing({ x, y, oneUnit }, width, height) {
    const [across, up] = [width / (x[1] - x[0]), height / (y[1] - y[0])];
    const [a, b] = oneUnit ? [Math.min(across, up), Math.min(across, up)] : [across, up];
    const [middleX, middleY] = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2];
    return {
        a,
        b,
        at: ([px, py]) => [width / 2 + a * (px - middleX), height / 2 - b * (py - middleY)],
    };
}

class Lane {
    constructor(canvas) {
        this.canvas = canvas;
    }

    // Grey, as long as nothing is to be seen of the groups.
    draw(sheet, runner, at, ink, isOpen) {
        const { page, width, height } = pageOf(this.canvas);
        Object.assign(this, { page, ink, place: placing(sheet, width, height) });
        const spots = runner.points.map(this.place.at);
        const size = spots.length > 300 ? 2.5 : 4;
        if (!isOpen) {
            this.dots(spots, size, ink, 0.45);
            return;
        }
        const moment = momentOf(runner.steps, at);
        this.rows(spots, size, moment, sheet.palette);
        moment.ellipses.forEach((one) => this.outline(one));
        moment.centres.forEach((centre) => this.cross(this.place.at(centre)));
        const { row } = moment.share < 0.5 ? moment.before : moment.after;
        if (row !== null) this.ring(spots[row]);
        moment.badges.forEach((badge) => this.number(badge, sheet.palette));
    }

    // Rows that change from one colour to another in the same way are drawn at once.
    rows(spots, size, { before, after, share }, palette) {
        const alike = new Map();
        spots.forEach((spot, i) => {
            const key = before.colours[i] + after.colours[i];
            if (!alike.has(key)) alike.set(key, []);
            alike.get(key).push(spot);
        });
        for (const [key, some] of alike) {
            const [from, to] = [...key].map((digit) => channelsOf(palette[digit]));
            this.dots(some, size, `rgb(${mixAll(from, to, share).map(Math.round).join(" ")})`, 0.8);
        }
    }

    dots(spots, size, colour, opacity) {
        const { page } = this;
        page.globalAlpha = opacity;
        page.fillStyle = colour;
        for (const [x, y] of spots) {
            page.beginPath();
            page.arc(x, y, size, 0, TURN);
            page.fill();
        }
        page.globalAlpha = 1;
    }

    outline({ ellipse: [x, y, xx, xy, yy], seen }) {
        const { page, place } = this;
        const half = (xx + yy) / 2;
        const off = Math.hypot((xx - yy) / 2, xy);
        const [long, short] = [Math.sqrt(half + off), Math.sqrt(Math.max(half - off, 0))];
        const angle = Math.atan2(2 * xy, xx - yy) / 2;
        page.save();
        page.globalAlpha = seen;
        page.translate(...place.at([x, y]));
        page.scale(place.a, -place.b);
        page.beginPath();
        page.ellipse(0, 0, long, short, angle, 0, TURN);
        page.restore();
        page.save();
        page.globalAlpha = seen;
        this.stroke(1.5);
        page.restore();
    }

    stroke(width) {
        this.page.lineWidth = width;
        this.page.strokeStyle = this.ink;
        this.page.stroke();
    }

    cross([x, y]) {
        const { page } = this;
        page.beginPath();
        [[-17, 0, 17, 0], [0, -17, 0, 17]].forEach(([ax, ay, bx, by]) => {
            page.moveTo(x + ax, y + ay);
            page.lineTo(x + bx, y + by);
        });
        this.stroke(3);
    }

    ring([x, y]) {
        this.page.beginPath();
        this.page.arc(x, y, 10, 0, TURN);
        this.stroke(2.5);
    }

    number({ name, place, seen }, palette) {
        const { page } = this;
        const [x, y] = this.place.at(place);
        page.globalAlpha = seen;
        page.beginPath();
        page.arc(x, y, 11, 0, TURN);
        page.fillStyle = palette[name % palette.length];
        page.fill();
        page.lineWidth = 1.5;
        page.strokeStyle = "#fff";
        page.stroke();
        page.lineWidth = 3;
        page.strokeStyle = "#1c2629";
        page.fillStyle = "#fff";
        page.font = "600 13px sans-serif";
        page.textAlign = "center";
        page.textBaseline = "middle";
        page.strokeText(name + 1, x, y + 1);
        page.fillText(name + 1, x, y + 1);
        page.globalAlpha = 1;
    }
}
