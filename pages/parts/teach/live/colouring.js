// Colours that stay: a cluster has that of the cluster whose points it shares most.
function colouredAs(labels, known) {
    const shared = new Map();
    labels.forEach((label, i) => {
        if (known?.[i] === undefined) return;
        const key = `${label} ${known[i]}`;
        shared.set(key, (shared.get(key) ?? 0) + 1);
    });
    const colours = new Map();
    const taken = new Set();
    for (const [key] of [...shared].sort((a, b) => b[1] - a[1])) {
        const [label, colour] = key.split(" ").map(Number);
        if (!colours.has(label) && !taken.has(colour)) {
            colours.set(label, colour);
            taken.add(colour);
        }
    }
    const sizes = new Map();
    labels.forEach((label) => sizes.set(label, (sizes.get(label) ?? 0) + 1));
    let free = 0;
    for (const [label] of [...sizes].sort((a, b) => b[1] - a[1])) {
        if (colours.has(label)) continue;
        while (taken.has(free)) free += 1;
        colours.set(label, free);
        taken.add(free);
    }
    return colours;
}

// Colour of a centre of K-means, which may have no points: the first that is free.
function withEmpty(colours, k) {
    const all = new Map(colours);
    const taken = new Set(all.values());
    for (let label = 0, free = 0; label < k; label += 1) {
        if (all.has(label)) continue;
        while (taken.has(free)) free += 1;
        all.set(label, free);
        taken.add(free);
    }
    return all;
}
