// The board as a component of the page: what comes from the server, what goes back to it.
const boards = new WeakMap();

export default function ({ parentElement, data, setStateValue }) {
    const root = parentElement.querySelector(".board");
    const board = boards.get(root) ?? new Board(root, data);
    boards.set(root, board);
    board.tell = () => {
        const { points, centres, painted: own, k, radius, n0, width, published } = board.sketch;
        const set = { k, radius, n0, width, published, show: board.show, preset: board.presets.name };
        setStateValue("drawing", { points, centres, painted: own, ...set });
    };
    board.data = data;
    board.changed();
    // What was drawn here comes back by itself: only what came from elsewhere is taken over.
    if (board.revision !== data.revision) {
        board.revision = data.revision;
        board.take(data);
    }
}
