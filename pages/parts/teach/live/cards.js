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
            return { method, button, words, picture: new Picture(canvas, false) };
        });
    }

    show(board, draw) {
        for (const { method, button, words, picture } of this.all) {
            button.setAttribute("aria-pressed", String(board.show === method));
            say(words, readout(method, board.answers[method], board.clock.pass));
            draw(picture, method);
        }
    }
}
