// A race as a component of the page: what comes from the server.
const races = new WeakMap();

export default function ({ parentElement, data }) {
    const root = parentElement.querySelector(".race");
    if (!races.has(root)) {
        const made = new Race(root);
        made.onKey = (event) => made.key(event);
        document.addEventListener("keydown", made.onKey);
        races.set(root, made);
    }
    const race = races.get(root);
    race.take(JSON.parse(new TextDecoder().decode(data)));
    return () => {
        document.removeEventListener("keydown", race.onKey);
        race.clock.stop();
    };
}
