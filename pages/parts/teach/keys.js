// Keys of a lecture, wherever nothing else is moved by them: on, back, and off the projector.
const KEYS = { PageDown: "on", PageUp: "back", Escape: "out", ArrowRight: "on", ArrowLeft: "back" };

const ends = new WeakMap();   // of each place, what takes its listeners away

export default function ({ parentElement, data, setTriggerValue }) {
    ends.get(parentElement)?.abort();
    const end = new AbortController();
    ends.set(parentElement, end);
    document.addEventListener("keydown", (event) => {
        const key = KEYS[event.key], target = event.composedPath()[0];
        const isArrow = event.key.startsWith("Arrow");
        const isTaken = isArrow && (!data.arrows || target.matches?.("[role=slider], [role=radio]"));
        const isOpen = document.querySelector("[role=dialog], [role=listbox]");
        if (!key || isTaken || isOpen || target.matches?.("input:not([type=checkbox]), textarea")) return;
        event.preventDefault();
        setTriggerValue("key", key);
    }, { signal: end.signal });
    // A slider that was dragged with the mouse would keep the arrow keys.
    document.addEventListener("pointerup", () => {
        if (document.activeElement?.matches("[role=slider]")) document.activeElement.blur();
    }, { signal: end.signal });
    return () => end.abort();
}
