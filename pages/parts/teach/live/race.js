// A race: two runs under one clock. First a prediction, then they start; the answer is said at the end.
const SIDES = ["#3f90da", "#e76300"];
const GLIDE = 0.8;   // share of the time between two steps in which everything glides
const DIGITS = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

class RaceClock extends Clock {
    get last() {
        return this.board.last;
    }

    get says() {
        return `step ${Math.min(this.pass, this.last)} of ${this.last}`;
    }
}

class Race {
    constructor(root) {
        Object.assign(this, { root, clock: new RaceClock(this), at: 0, goal: 0 });
        const canvases = [...root.querySelectorAll("canvas")];
        this.lanes = canvases.slice(0, 2).map((canvas) => new Lane(canvas));
        this.charts = canvases.slice(2);
        this.headings = [...root.querySelectorAll("h3")];
        for (const button of root.querySelectorAll(".clock button")) {
            button.onclick = () => this.press(button.name);
        }
        root.querySelector("[name=speed]").onchange = (event) => this.clock.setSpeed(event.target.value);
        root.style.setProperty("--left", SIDES[0]);
        root.style.setProperty("--right", SIDES[1]);
        new ResizeObserver(() => this.draw()).observe(root);
    }

    // Another race begins afresh; of the same one only what is around it may have changed.
    take({ id, sheet, isProjected }) {
        this.root.classList.toggle("projected", isProjected);
        if (this.id !== id) {
            this.clock.stop();
            Object.assign(this, { id, sheet, at: 0, goal: 0, isOpen: false, isOver: false });
            this.predicted = null;
            this.clock.pass = 0;
            this.last = Math.max(...sheet.runners.map(({ steps }) => steps.length - 1));
            this.makeChoices();
        }
        this.draw();
    }

    makeChoices() {
        const short = ["Left", "Right", this.sheet.choices[2]];   // the names stand over the lanes
        const choices = short.map((words, place) => {
            const button = document.createElement("button");
            button.textContent = words;
            button.onclick = (event) => {
                this.predicted = place;
                if (event.detail) button.blur();   // clicked: the next press of space starts
                this.draw();
            };
            return button;
        });
        this.root.querySelector(".choices").replaceChildren(...choices);
    }

    get mayStart() {
        return this.isOpen || this.predicted !== null;
    }

    press(name) {
        if (!this.mayStart) return;
        this.isOpen = true;
        const acts = {
            rewind: () => this.clock.step(-Infinity),
            back: () => this.clock.step(-1),
            play: () => this.clock.play(),
            forward: () => this.clock.step(1),
            rest: () => this.clock.step(Infinity),
        };
        acts[name]();
    }

    // The clock has moved: glide to where it stands.
    changed() {
        const goal = Math.min(this.clock.pass, this.last ?? 0);
        if (goal !== this.goal) {
            const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
            const lasts = isStill ? 1 : GLIDE * SPEEDS[this.clock.speed];
            Object.assign(this, { from: this.at, goal, began: performance.now(), lasts });
        }
        this.nextFrame();
    }

    nextFrame() {
        if (this.isWaiting) return;
        this.isWaiting = true;
        requestAnimationFrame((now) => {
            this.isWaiting = false;
            if (!this.sheet) return;
            if (this.at !== this.goal) {
                const share = Math.min(Math.max((now - this.began) / this.lasts, 0), 1);
                const eased = share * share * (3 - 2 * share);
                this.at = share < 1 ? mix(this.from, this.goal, eased) : this.goal;
            }
            this.draw();
            if (this.at !== this.goal) this.nextFrame();
        });
    }

    draw() {
        const { sheet, at, last, isOpen } = this;
        if (!sheet) return;
        const ink = getComputedStyle(this.root).color;
        const { runners } = sheet;
        this.isOver ||= isOpen && at >= last;
        this.lanes.forEach((lane, side) => {
            const runner = runners[side];
            lane.draw(sheet, runner, at, ink, isOpen);
            this.head(this.headings[side], runner);
        });
        const kinds = isOpen ? [objectivesOf(runners), scoresOf(runners)] : [[], []];
        this.charts.forEach((chart, k) => drawLines(chart, kinds[k], at, last, SIDES));
        this.sayAll();
    }

    head(heading, { title, measure, steps, objective, scores }) {
        const bold = document.createElement("b");
        bold.textContent = title;
        const small = document.createElement("small");
        const k = Math.min(Math.round(this.at), steps.length - 1);
        const step = steps[k];
        const score = scores ? `, NMI ${scores[k].toFixed(2)}` : "";
        const [unit] = measure.split(",");
        const words = step.words && `; ${step.words}`;
        const now = `K = ${step.k}${score}, ${unit} ${DIGITS.format(objective[k])}${words}`;
        if (this.isOpen) small.textContent = now;
        heading.replaceChildren(bold, small);
        heading.title = heading.textContent;
    }

    sayAll() {
        const { root, sheet, clock } = this;
        const [falling, score] = root.querySelectorAll("h4");
        say(falling, "What each minimises");
        say(score, sheet.runners[0].scores ? "NMI with the truth, 0 to 1" : "Groups");
        say(root.querySelector(".said"), this.isOver ? this.verdict : sheet.question);
        [...root.querySelectorAll(".choices button")].forEach((button, place) => {
            button.setAttribute("aria-pressed", String(place === this.predicted));
            button.disabled = this.isOpen;
        });
        root.querySelector(".choices").hidden = this.isOver;
        for (const button of root.querySelectorAll(".clock button")) button.disabled = !this.mayStart;
        const play = root.querySelector("[name=play]");
        say(play, clock.isRunning ? "❚❚" : "▶");
        play.setAttribute("aria-label", clock.isRunning ? "Pause" : "Play");
        say(root.querySelector(".pass"), this.isOpen ? clock.says : "");
    }

    get verdict() {
        const { runners, choices, right } = this.sheet;
        const ends = runners.map(({ scores, steps }) =>
            scores ? `NMI ${scores.at(-1).toFixed(2)}` : `K = ${steps.at(-1).k}`);
        const own = this.predicted === null ? "" : this.predicted === right ? " As you said."
            : ` You said: ${choices[this.predicted]}.`;
        return `${choices[right]} (${ends.join(" against ")}).${own}`;
    }

    // Space plays and pauses, arrows step, Home rewinds, wherever nothing else is written or pressed.
    key(event) {
        const target = event.composedPath()[0];
        const isFree = target === document.body || this.root.contains(target);
        const keys = { " ": "play", ArrowLeft: "back", ArrowRight: "forward", Home: "rewind", End: "rest" };
        const name = keys[event.key];
        const isOwn = target.matches?.("select") || event.key === " " && target.matches?.("button");
        if (!isFree || isOwn || !name) return;
        event.preventDefault();
        this.press(name);
    }
}
