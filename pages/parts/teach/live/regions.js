// Which cluster a square's every pixel belongs to; what lies between borders is not looked at twice.
const BLOCK = 8;

// Int8Array of n x n pixels, row by row from the top; ``pins`` are places with something to find.
function regionsOf(labelAt, view, n, pins) {
    const step = view.span / n;
    const look = (pixel) => labelAt(view.left + (pixel % n + 0.5) * step,
        view.top - (Math.floor(pixel / n) + 0.5) * step);
    const found = new Int8Array(n * n);
    const isSure = new Uint8Array(n * n);
    const waiting = [];
    const check = (pixel) => {
        if (isSure[pixel]) return;
        isSure[pixel] = 1;
        found[pixel] = look(pixel);
        waiting.push(pixel);
    };
    // Every block has the label of its middle,
    for (let j = 0; j < n; j += BLOCK) {
        for (let i = 0; i < n; i += BLOCK) {
            const label = look((j + BLOCK / 2) * n + i + BLOCK / 2);
            for (let row = j; row < j + BLOCK; row += 1) {
                found.fill(label, row * n + i, row * n + i + BLOCK);
            }
        }
    }
    // but where two blocks differ, and at points, every pixel is looked at,
    for (let pixel = 0; pixel < n * n; pixel += 1) {
        const isSeam = (pixel % n < n - 1 && found[pixel] !== found[pixel + 1])
            || (pixel < n * (n - 1) && found[pixel] !== found[pixel + n]);
        if (isSeam) check(pixel);
    }
    for (let k = 0; k < pins.n; k += 1) {
        const [i, j] = [(pins.x[k] - view.left) / step, (view.top - pins.y[k]) / step].map(Math.floor);
        if (i >= 0 && i < n && j >= 0 && j < n) check(j * n + i);
    }
    // and from there on along the borders.
    while (waiting.length) {
        const pixel = waiting.pop();
        const [i, j] = [pixel % n, Math.floor(pixel / n)];
        if (i > 0 && found[pixel - 1] !== found[pixel]) check(pixel - 1);
        if (i < n - 1 && found[pixel + 1] !== found[pixel]) check(pixel + 1);
        if (j > 0 && found[pixel - n] !== found[pixel]) check(pixel - n);
        if (j < n - 1 && found[pixel + n] !== found[pixel]) check(pixel + n);
    }
    return found;
}

// Pale areas with darker borders, as an image; places of no cluster stay clear.
function paintRegions(image, found, n, colourOf) {
    const { data } = image;
    data.fill(0);
    for (let pixel = 0; pixel < n * n; pixel += 1) {
        const label = found[pixel];
        const isBorder = (pixel % n < n - 1 && found[pixel + 1] !== label)
            || (pixel < n * (n - 1) && found[pixel + n] !== label);
        if (label < 0 && !isBorder) continue;
        const [red, green, blue] = isBorder ? [128, 138, 142] : colourOf(label);
        data[4 * pixel] = red;
        data[4 * pixel + 1] = green;
        data[4 * pixel + 2] = blue;
        data[4 * pixel + 3] = isBorder ? 235 : 52;
    }
}
