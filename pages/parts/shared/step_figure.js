// Moves a lasting chart through its frames, as the steps of its slider say.
export default function ({ parentElement, data }) {
    const part = (name) => parentElement.querySelector(`[name="${name}"]`);
    const figure = () => document.querySelector(`.st-key-${data.figure} .js-plotly-plot`);
    const slider = () => figure()?.layout?.sliders?.[0];
    let timer = null;
    let asked = null;  // the step that is on its way
    const last = () => slider().steps.length - 1;
    const current = () => asked ?? slider().active ?? 0;
    const go = async (to) => {
        const step = Math.min(Math.max(to, 0), last());
        asked = step;
        try {
            await window.Plotly.animate(figure(), ...slider().steps[step].args);
        } catch {
            // A later step took this one's place before it was drawn.
        }
        if (asked === step) asked = null;
    };
    const pause = () => {
        clearInterval(timer);
        timer = null;
        part("play").textContent = "Play";
    };
    const tick = () => {
        if (!slider() || current() >= last()) return pause();
        go(current() + 1);
    };
    const play = () => {
        if (current() >= last()) go(0);
        timer = setInterval(tick, Number(part("speed").value));
        part("play").textContent = "Pause";
    };
    const actions = {
        first: () => { pause(); go(0); },
        back: () => { pause(); go(current() - 1); },
        play: () => (timer === null ? play() : pause()),
        next: () => { pause(); go(current() + 1); },
        last: () => { pause(); go(last()); },
    };
    for (const [name, action] of Object.entries(actions)) {
        part(name).onclick = () => slider() && action();
    }
    part("speed").onchange = () => { if (timer !== null) { clearInterval(timer); play(); } };
    parentElement.querySelector("div").onkeydown = (event) => {
        if (event.target.name === "speed" || !slider()) return;
        if (event.key === "ArrowLeft") actions.back();
        if (event.key === "ArrowRight") actions.next();
    };
    return () => clearInterval(timer);
}
