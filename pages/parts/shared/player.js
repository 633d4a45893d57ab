// Moves a chart through its steps, as its slider says: by buttons, and by keys wherever nothing
// else is written or pressed.
const KEYS = { " ": "play", ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };

export default function ({ parentElement, data }) {
    const part = (name) => parentElement.querySelector(`[name="${name}"]`);
    const figure = () => document.querySelector(`.st-key-${data.figure} .js-plotly-plot`);
    const slider = () => figure()?.layout?.sliders?.[0];
    let timer = null, asked = null;   // the step that is on its way
    const last = () => slider().steps.length - 1;
    const current = () => asked ?? slider().active ?? 0;
    const go = async (to) => {
        const step = asked = Math.min(Math.max(to, 0), last());
        try {
            await window.Plotly.animate(figure(), ...slider().steps[step].args);
            // After another run took the figure's place, Plotly's own slider no longer follows.
            if (slider().active !== step) {
                await window.Plotly.relayout(figure(), { "sliders[0].active": step });
            }
        } catch {
            // A later step took this one's place before it was drawn.
        }
        if (asked === step) asked = null;
    };
    const say = (sign, words) => {
        part("play").textContent = sign;
        part("play").setAttribute("aria-label", words);
    };
    const pause = () => {
        clearInterval(timer);
        timer = null;
        say("▶", "Play");
    };
    const play = () => {
        if (current() >= last()) go(0);
        const tick = () => (slider() && current() < last() ? go(current() + 1) : pause());
        timer = setInterval(tick, Number(part("speed").value));
        say("❚❚", "Pause");
    };
    const places = { first: () => 0, back: () => current() - 1, next: () => current() + 1, last };
    const act = (name) => {
        const isPlaying = timer !== null;
        pause();
        if (name !== "play") go(places[name]());
        else if (!isPlaying) play();
    };
    for (const name of Object.values(KEYS)) part(name).onclick = () => slider() && act(name);
    part("speed").onchange = () => {
        if (timer === null) return;
        pause();
        play();
    };
    const onKey = (event) => {
        const target = event.composedPath()[0], name = KEYS[event.key];
        const isFree = target === document.body || parentElement.contains(target);
        const isOwn = target.matches?.("select") || (event.key === " " && target.matches?.("button"));
        if (!name || !isFree || isOwn || !slider()) return;
        const to = places[name]?.();
        if (to < 0 || to > last()) return;   // a lesson goes on, or back
        event.preventDefault();
        act(name);
    };
    document.addEventListener("keydown", onKey);
    return () => {
        clearInterval(timer);
        document.removeEventListener("keydown", onKey);
    };
}
