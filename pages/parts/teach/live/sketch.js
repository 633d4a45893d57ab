// What somebody drew and set, and the way back.
const FIELDS = ["points", "centres", "painted", "k", "radius", "n0", "width", "published"];

class Sketch {
    constructor() {
        Object.assign(this, { points: [], centres: [], painted: [], published: false });
        Object.assign(this, { k: 3, radius: 3, n0: 3, width: 0.5 });
        this.history = [];
        this.before = this.said();
    }

    said() {
        return JSON.stringify(FIELDS.map((name) => this[name]));
    }

    // Take over a drawing, or some of it; there is no way back from it.
    take(drawing) {
        for (const name of FIELDS) {
            if (drawing[name] != null) this[name] = structuredClone(drawing[name]);
        }
        this.centres = centresFor(this.k, this.centres, this.points);
        this.history = [];
        this.before = this.said();
    }

    // Keep what was before as a step back; whether anything has changed since.
    commit() {
        const now = this.said();
        if (now === this.before) return false;
        this.history.push(this.before);
        this.before = now;
        return true;
    }

    undo() {
        if (!this.history.length) return false;
        this.before = this.history.pop();
        JSON.parse(this.before).forEach((value, k) => { this[FIELDS[k]] = value; });
        return true;
    }

    setK(k) {
        this.k = k;
        this.centres = centresFor(k, this.centres, this.points);
    }

    remove(isGone) {
        const kept = this.points.map((place, i) => !isGone(place, i));
        if (this.painted.length) this.painted = this.points.map((_, i) => this.painted[i] ?? -1);
        this.painted = this.painted.filter((_, i) => kept[i]);
        this.points = this.points.filter((_, i) => kept[i]);
    }

    paint(isMeant, label) {
        this.painted = this.points.map((place, j) => (isMeant(place) ? label : this.painted[j] ?? -1));
    }
}
