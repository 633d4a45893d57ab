// The challenge that is on, if any: what it asks, what it allows, whether it is solved.
class Quest {
    constructor(root, board) {
        Object.assign(this, { root, board, name: "", solved: new Set() });
        this.list = root.querySelector("[name=challenge]");
        this.list.onchange = () => {
            this.begin(this.list.value, {});
            board.changed();
            board.tell();
        };
        this.fill();
    }

    get challenge() {
        return CHALLENGES.find((one) => one.name === this.name);
    }

    // Turn to a challenge, from where it starts or from a drawing that somebody made of it.
    begin(name, drawing) {
        this.name = CHALLENGES.some((one) => one.name === name) ? name : "";
        const { challenge, board } = this;
        const begun = challenge ? challenge.start() : {};
        this.start = begun;
        this.truth = begun.truth;
        const given = drawing.points ? drawing : {};
        const settings = ["k", "radius", "n0", "width", "published"].filter((one) => drawing[one] != null)
            .map((one) => [one, drawing[one]]);
        const isMade = Boolean(drawing.points);
        const kept = challenge && !isMade ? {} : Object.fromEntries(settings);
        board.sketch.take({ painted: [], published: false, ...begun, ...kept, ...given });
        board.known = [];
        if (challenge && !isMade) board.show = challenge.show;
        if (challenge) board.hand.tool = challenge.tool;
        board.clock.pass = REST_PASS;
        board.seeAll();
        this.fill();
    }

    may(what) {
        const always = ["undo", "closer", "wider"];
        return !this.challenge || always.includes(what) || this.challenge.allows.includes(what);
    }

    mayAdd({ points }) {
        return !this.challenge || points.length < this.start.points.length + this.challenge.adds;
    }

    // A challenge's own points stay, those that were added to them move.
    mayMove(k) {
        return !this.challenge || k >= this.start.points.length;
    }

    fill() {
        const title = ({ name, title: words }) => `${words}${this.solved.has(name) ? " ✓" : ""}`;
        const options = [["", "none, draw freely"], ...CHALLENGES.map((one) => [one.name, title(one)])];
        this.list.replaceChildren(...options.map(([value, words]) => new Option(words, value)));
        this.list.value = this.name;
    }

    mark() {
        const { challenge, board, root } = this;
        say(root.querySelector(".task"), challenge?.task ?? "");
        const line = root.querySelector(".mark");
        if (!challenge) {
            say(line, "");
            return;
        }
        const [isSolved, words] = challenge.judge(
            board.sketch, board.answers, this.start, board.labelsOfEM());
        say(line, `${isSolved ? "Solved" : "Not yet"}: ${words}`);
        line.dataset.solved = isSolved;
        if (isSolved && !this.solved.has(this.name)) {
            this.solved.add(this.name);
            this.fill();
            if (!board.hand.isDown) board.tell();   // else when it is put down
        }
    }
}
