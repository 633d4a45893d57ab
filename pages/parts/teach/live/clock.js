// The passes of all three methods under one clock: forwards, back, from the start, by itself.
const REST_PASS = Number.POSITIVE_INFINITY;
const SPEEDS = { slow: 1600, normal: 800, fast: 300 };   // milliseconds a pass

class Clock {
    constructor(board) {
        Object.assign(this, { board, pass: REST_PASS, speed: "normal", timer: null });
    }

    get last() {
        return Math.max(...METHODS.map((method) => this.board.answers[method].length - 1));
    }

    get isRunning() {
        return this.timer !== null;
    }

    to(pass) {
        this.pass = pass >= this.last ? REST_PASS : Math.max(pass, 0);
        this.board.changed();
    }

    step(by) {
        this.stop();
        this.to(Math.min(this.pass, this.last) + by);
    }

    play() {
        if (this.isRunning) {
            this.stop();
            return;
        }
        if (this.pass === REST_PASS) this.to(0);
        this.run();
    }

    run() {
        clearInterval(this.timer);
        this.timer = setInterval(() => {
            this.to(this.pass + 1);
            if (this.pass === REST_PASS) this.stop();
        }, SPEEDS[this.speed]);
    }

    setSpeed(speed) {
        this.speed = speed;
        if (this.isRunning) this.run();
    }

    stop() {
        clearInterval(this.timer);
        this.timer = null;
        this.board.changed();
    }

    get says() {
        const shown = Math.min(this.pass, this.last);
        return this.pass === REST_PASS ? `at rest, after ${this.last}` : `pass ${shown} of ${this.last}`;
    }
}
