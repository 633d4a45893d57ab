// What stands between two steps of a run: everything glides, what comes or goes fades.
const mix = (from, to, share) => from + (to - from) * share;
const mixAll = (from, to, share) => from.map((value, k) => mix(value, to[k], share));

// Every number, by the cluster it names.
function badgesBetween(before, after, share) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].map((name) => {
        const [from, to] = [before[name], after[name]];
        const place = from && to ? mixAll(from, to, share) : from ?? to;
        return { name: Number(name), place, seen: from ? (to ? 1 : 1 - share) : share };
    });
}

// Ellipses have no names: one goes to that which is nearest, the nearest pair first.
function ellipsesBetween(before, after, share) {
    const pairs = before.flatMap((from, i) => after.map((to, j) =>
        ({ i, j, gap: Math.hypot(from[0] - to[0], from[1] - to[1]) }))).sort((a, b) => a.gap - b.gap);
    const [gone, come] = [new Set(before.keys()), new Set(after.keys())];
    const found = [];
    for (const { i, j } of pairs) {
        if (!gone.has(i) || !come.has(j)) continue;
        gone.delete(i);
        come.delete(j);
        found.push({ ellipse: mixAll(before[i], after[j], share), seen: 1 });
    }
    gone.forEach((i) => found.push({ ellipse: before[i], seen: 1 - share }));
    come.forEach((j) => found.push({ ellipse: after[j], seen: share }));
    return found;
}

// A run at a time of the clock, such as 2.4: between its steps 2 and 3.
function momentOf(steps, at) {
    const last = steps.length - 1;
    const start = Math.min(Math.floor(at), last);
    const [before, after] = [steps[start], steps[Math.min(start + 1, last)]];
    const share = Math.min(at, last) - start;
    return {
        before,
        after,
        share,
        badges: badgesBetween(before.badges, after.badges, share),
        ellipses: ellipsesBetween(before.ellipses, after.ellipses, share),
        centres: after.centres.map((to, k) =>
            before.centres[k] ? mixAll(before.centres[k], to, share) : to),
    };
}
