// A race as a component of the page: what comes from the server, and that it has started.
const races = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
    const root = parentElement.querySelector(".race");
    if (!races.has(root)) {
        const made = new Race(root);
        made.onKey = (event) => made.key(event);
        document.addEventListener("keydown", made.onKey);
        races.set(root, made);
    }
    const race = races.get(root);
    const given = JSON.parse(new TextDecoder().decode(data));
    race.tell = () => setTriggerValue("started", given.id);
    race.take(given);
    return () => {
        document.removeEventListener("keydown", race.onKey);
        race.clock.stop();
    };
}
