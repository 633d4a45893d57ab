// Which cluster a square's every pixel belongs to; what lies between borders is not looked at twice.
const BLOCK = 8;

// Int8Array of n x n pixels, row by row from the top; ``pins`` are places with something to find.
function regionsOf(labelAt, view, n, pins) {
    const step = view.span / n;
    const found = new Int8Array(n * n);
    const isSure = new Uint8Array(n * n);
    const waiting = [];
    const look = (i, j) => labelAt(view.left + (i + 0.5) * step, view.top - (j + 0.5) * step);
    const check = (i, j) => {
        const pixel = j * n + i;
        if (isSure[pixel]) return;
        isSure[pixel] = 1;
        found[pixel] = look(i, j);
        waiting.push(pixel);
    };
    const labels = fillBlocks(found, n, look);
    seamsOf(labels, n / BLOCK, check);
    for (let k = 0; k < pins.n; k += 1) {
        const i = Math.floor((pins.x[k] - view.left) / step);
        const j = Math.floor((view.top - pins.y[k]) / step);
        if (i >= 0 && i < n && j >= 0 && j < n) check(i, j);
    }
    // From there on along the borders.
    while (waiting.length) {
        const pixel = waiting.pop();
        const [i, j, label] = [pixel % n, Math.floor(pixel / n), found[pixel]];
        if (i > 0 && found[pixel - 1] !== label) check(i - 1, j);
        if (i < n - 1 && found[pixel + 1] !== label) check(i + 1, j);
        if (j > 0 && found[pixel - n] !== label) check(i, j - 1);
        if (j < n - 1 && found[pixel + n] !== label) check(i, j + 1);
    }
    return found;
}

// Give every block the label of its middle; the labels of the blocks.
function fillBlocks(found, n, look) {
    const blocks = n / BLOCK;
    const labels = new Int8Array(blocks * blocks);
    for (let block = 0; block < labels.length; block += 1) {
        const i = (block % blocks) * BLOCK;
        const j = Math.floor(block / blocks) * BLOCK;
        labels[block] = look(i + BLOCK / 2, j + BLOCK / 2);
        for (let row = j; row < j + BLOCK; row += 1) {
            found.fill(labels[block], row * n + i, row * n + i + BLOCK);
        }
    }
    return labels;
}

// Look at the pixels where two blocks that differ meet.
function seamsOf(labels, blocks, check) {
    for (let block = 0; block < labels.length; block += 1) {
        const [across, down] = [block % blocks, Math.floor(block / blocks)];
        const [i, j] = [(across + 1) * BLOCK - 1, (down + 1) * BLOCK - 1];
        if (across < blocks - 1 && labels[block] !== labels[block + 1]) {
            for (let k = 0; k < BLOCK; k += 1) check(i, j - k);
        }
        if (down < blocks - 1 && labels[block] !== labels[block + blocks]) {
            for (let k = 0; k < BLOCK; k += 1) check(i - k, j);
        }
    }
}

// Pale areas with darker borders, as an image; places of no cluster stay clear.
function paintRegions(image, found, n, colourOf) {
    const paints = new Map([[-1, 0]]);
    const pixels = new Uint32Array(image.data.buffer);   // alpha, blue, green, red
    const border = 0xeb8e8a80;
    for (let pixel = 0, across = 1; pixel < n * n; pixel += 1, across = across === n ? 1 : across + 1) {
        const label = found[pixel];
        const isBorder = (across < n && found[pixel + 1] !== label)
            || (pixel + n < n * n && found[pixel + n] !== label);
        if (isBorder) {
            pixels[pixel] = border;
            continue;
        }
        if (!paints.has(label)) {
            const [red, green, blue] = colourOf(label);
            paints.set(label, ((52 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
        }
        pixels[pixel] = paints.get(label);
    }
}
