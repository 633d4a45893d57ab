// Lines of both runs that grow with the clock: each from its highest to its lowest, or on one scale.
const EDGE = 9;   // pixels

function drawLines(canvas, lines, at, last, colours) {
    const { page, width, height } = pageOf(canvas);
    const across = (step) => EDGE + (width - 2 * EDGE) * step / Math.max(last, 1);
    page.font = "12px sans-serif";
    page.lineJoin = "round";
    lines.forEach(({ values, low, high }, side) => {
        const up = (value) => height - EDGE - (height - 2 * EDGE) * (value - low) / (high - low || 1);
        const now = Math.min(at, values.length - 1);
        const whole = Math.floor(now);
        const rest = now - whole;
        const level = rest ? mix(values[whole], values[whole + 1], rest) : values[whole];
        page.strokeStyle = page.fillStyle = colours[side];
        page.lineWidth = 2.5;
        page.beginPath();
        for (let k = 0; k <= whole; k += 1) page.lineTo(across(k), up(values[k]));
        page.lineTo(across(now), up(level));
        page.stroke();
        page.beginPath();
        page.arc(across(now), up(level), 5, 0, TURN);
        page.fill();
    });
}

const spanOf = (values) => ({ low: Math.min(...values), high: Math.max(...values) });
// What each method minimises: in units of its own.
const objectivesOf = (runners) => runners.map(({ objective }) =>
    ({ values: objective, ...spanOf(objective) }));
// Agreement with the truth from 0 to 1; where no truth is known, the number of groups from 0 on.
function scoresOf(runners) {
    const found = runners.map(({ scores, steps }) => scores ?? steps.map(({ k }) => k));
    const high = runners[0].scores ? 1 : Math.max(...found.flat());
    return found.map((values) => ({ values, low: 0, high }));
}
