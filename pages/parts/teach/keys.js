// Keys of a lecture, wherever nothing else is moved by them: on, back, and off the projector.
const KEYS = { PageDown: "on", PageUp: "back", Escape: "out", ArrowRight: "on", ArrowLeft: "back" };

const ends = new WeakMap();   // of each place, what takes its listeners away

export default function ({ parentElement, data, setTriggerValue }) {
    ends.get(parentElement)?.abort();
    const end = new AbortController();
    ends.set(parentElement, end);
    window.addEventListener("keydown", (event) => {   // after a player, which may have taken it
        const key = KEYS[event.key], target = event.composedPath()[0];
        const isOwn = event.defaultPrevented || target.matches?.("[role=slider], [role=radio]");
        const isTaken = event.key.startsWith("Arrow") && (!data.arrows || isOwn);
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
