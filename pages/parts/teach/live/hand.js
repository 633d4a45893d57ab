// The hand on the board: a mouse, a finger or the keyboard, with one tool at a time.
const NEAR = 16;        // pixels within which a point or centre is meant
const AROUND = 96;      // pixels within which a group is: one takes hold of it between its points
const SPREAD = 170;     // standard deviation of a cloud, in places
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random()))
    * Math.cos(2 * Math.PI * Math.random());
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

class Hand {
    constructor(canvas, board) {
        Object.assign(this, { canvas, board, tool: "drag", colour: 0, held: null });
        this.cursor = [PLACES / 2, PLACES / 2];
        canvas.onpointerdown = (event) => this.down(event);
        canvas.onpointermove = (event) => this.move(event);
        canvas.onpointerup = canvas.onpointercancel = () => this.up();
        canvas.onkeydown = (event) => this.key(event);
        canvas.onblur = () => this.see(false);
    }

    // Places in a pixel of the screen.
    get grain() {
        return toPlaces(this.board.view.span) / this.canvas.clientWidth;
    }

    place(event) {
        const box = this.canvas.getBoundingClientRect();
        const { left, top, span } = this.board.view;
        return [left + (event.clientX - box.left) / box.width * span,
            top - (event.clientY - box.top) / box.height * span].map((units) => clip(toPlaces(units)));
    }

    down(event) {
        if (!event.isPrimary) return;
        this.canvas.setPointerCapture(event.pointerId);
        this.canvas.focus({ preventScroll: true });
        this.cursor = this.place(event);
        this.isDown = true;
        this.hasCursor = false;
        this.act();
        this.board.changed();
    }

    move(event) {
        if (!this.isDown) return;
        this.carry(this.place(event));
        this.board.changed();
    }

    up() {
        if (!this.isDown) return;
        this.isDown = false;
        this.held = null;
        this.board.commit();
    }

    // What a tool does where it is put down.
    act() {
        const { sketch } = this.board;
        if (this.tool === "drag") this.held = this.grip();
        else if (this.tool === "point" && this.add(this.cursor)) {
            this.held = { all: sketch.points, which: [sketch.points.length - 1] };
        } else if (this.tool === "cloud") this.cloud(12);
        else if (this.tool === "group") {
            const k = this.pointBelow(AROUND);
            if (k >= 0) this.held = { all: sketch.points, which: this.board.groupOf(k) };
        } else {
            const isBelow = (place) => apart(place, this.cursor) < NEAR * this.grain;
            if (this.tool === "delete") sketch.remove(isBelow);
            if (this.tool === "paint") sketch.paint(isBelow, this.colour);
        }
    }

    // A centre of K-means where they are shown, else a point.
    grip() {
        const { sketch, show } = this.board;
        if (show === "kmeans") {
            const k = nearestPlace(sketch.centres, this.cursor);
            if (k >= 0 && apart(sketch.centres[k], this.cursor) < NEAR * this.grain) {
                return { all: sketch.centres, which: [k] };
            }
        }
        const k = this.pointBelow();
        return k >= 0 ? { all: sketch.points, which: [k] } : null;
    }

    pointBelow(pixels = NEAR) {
        const { points } = this.board.sketch;
        const k = nearestPlace(points, this.cursor);
        return k >= 0 && apart(points[k], this.cursor) < pixels * this.grain ? k : -1;
    }

    // Bring what is held along, or go on painting.
    carry(to) {
        const by = [to[0] - this.cursor[0], to[1] - this.cursor[1]];
        if (this.held) {
            const { all, which } = this.held;
            for (const k of which) all[k] = [clip(all[k][0] + by[0]), clip(all[k][1] + by[1])];
        }
        if (this.tool === "cloud" && apart(to, this.cursor) < SPREAD / 3) return;
        this.cursor = to;
        if (this.tool === "cloud") this.cloud(3);
        if (this.tool === "delete" || this.tool === "paint") this.act();
    }

    add(place) {
        const { sketch } = this.board;
        if (!this.board.mayAdd()) return false;
        sketch.points.push(place.map(clip));
        return true;
    }

    cloud(count) {
        const spread = SPREAD * this.board.zoom;
        for (let k = 0; k < count; k += 1) {
            this.add(this.cursor.map((value) => value + spread * normal()));
        }
    }

    see(hasCursor) {
        this.hasCursor = hasCursor;
        this.board.changed();
    }

    key(event) {
        const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey);
        if (event.key in ARROWS) {
            const far = (event.shiftKey ? 400 : 80) * this.board.zoom;
            this.step(this.cursor.map((value, k) => clip(value + far * ARROWS[event.key][k])));
        } else if (event.key === "Enter" || event.key === " ") this.press();
        else if (isUndo) this.board.undo();
        else if (event.key === "+" || event.key === "-") this.board.setZoom(event.key === "+" ? 0.5 : 2);
        else return;
        event.preventDefault();
        this.see(true);
    }

    // With nothing held the cursor moves alone: painting and deleting wait for Enter.
    step(to) {
        if (this.held) this.carry(to);
        else this.cursor = to;
    }

    // Take hold, or let go; other tools act at once.
    press() {
        if (this.held) {
            this.held = null;
            this.board.commit();
            return;
        }
        this.act();
        if (this.tool === "point") this.held = null;
        if (!this.held) this.board.commit();
    }
}
