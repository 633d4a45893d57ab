// The sliders beside the board: what each method is told.
class Sliders {
    constructor(root, board, concentrations) {
        const plain = { read: Number, write: Number };
        const positions = {
            read: (position) => concentrations[position],
            write: (value) => concentrations.reduce((best, one, k) => (
                Math.abs(Math.log(one / value)) < Math.abs(Math.log(concentrations[best] / value))
                    ? k : best), 0),
        };
        const last = concentrations.length - 1;
        this.board = board;
        this.all = [
            ["k", "K-means: K", 1, 10, 1, plain, (k) => k],
            ["radius", "DP-means: √λ", 0.2, 8, 0.1, plain, (r) => r.toFixed(1)],
            ["n0", "MAP-DP: N₀", 0, last, 1, positions, (n0) => `${n0}`],
            ["width", "MAP-DP: width", 0.1, 2, 0.05, plain, (width) => width.toFixed(2)],
        ].map((one) => this.made(root, ...one));
        this.published = root.parentElement.querySelector("[name=published]");
        this.published.onchange = () => {
            board.set("published", this.published.checked);
            board.commit();
        };
    }

    made(root, name, title, min, max, step, { read, write }, say) {
        const label = document.createElement("label");
        const input = Object.assign(document.createElement("input"),
            { type: "range", name, min, max, step });
        const value = document.createElement("span");
        const words = Object.assign(document.createElement("span"), { textContent: title });
        label.append(words, value, input);
        root.append(label);
        input.oninput = () => this.board.set(name, read(Number(input.value)));
        input.onchange = () => this.board.commit();
        return { name, input, value, write, say };
    }

    show(sketch) {
        for (const { name, input, value, write, say } of this.all) {
            input.value = write(sketch[name]);
            value.textContent = say(sketch[name]);
        }
        this.published.checked = sketch.published;
    }
}
