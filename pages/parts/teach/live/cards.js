// One small picture a method, with what it found; a click shows it large.
class Cards {
    constructor(root, board) {
        this.all = METHODS.map((method) => {
            const button = document.createElement("button");
            button.name = method;
            const canvas = document.createElement("canvas");
            const title = Object.assign(document.createElement("strong"), { textContent: TITLES[method] });
            const words = document.createElement("small");
            button.append(title, canvas, words);
            root.append(button);
            button.onclick = () => board.turnTo(method);
            const picture = new Picture(canvas, false, () => board.changed());
            return { method, button, words, picture };
        });
        this.turn = 0;
    }

    // While something is dragged one of the pictures is drawn a frame, in turn; the words all.

    show(board, draw) {
        this.turn = (this.turn + 1) % this.all.length;
        this.all.forEach(({ method, button, words, picture }, k) => {
            button.setAttribute("aria-pressed", String(board.show === method));
            say(words, readout(method, board.answers[method], board.clock.pass));
            if (!board.hand.isDown || k === this.turn) draw(picture, method);
        });
    }
}
