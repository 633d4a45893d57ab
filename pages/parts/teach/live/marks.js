// What stands on a picture beside its points: where centres began and are, circles, painted rings.
function markCentres(picture, states, pass, colours, palette) {
    const shown = states.slice(0, Math.min(pass, states.length - 1) + 1);
    shown.at(-1).centres.forEach((centre, k) => {
        const colour = palette[(colours.get(k) ?? 0) % palette.length];
        if (picture.isLarge) {
            shown.slice(1).forEach((state, step) => {
                picture.line(shown[step].centres[k], state.centres[k], picture.ink, 1);
            });
            picture.ring(...states[0].centres[k], 11 * picture.ratio, picture.ink, 2);
            picture.ring(...states[0].centres[k], 9 * picture.ratio, colour, 2);
        }
        picture.cross(centre, colour);
    });
}

function markCircles(picture, { centres }, radius, colours, palette) {
    centres.forEach((centre, k) => {
        const colour = palette[(colours.get(k) ?? 0) % palette.length];
        picture.ring(...centre, radius * picture.scale, colour, picture.isLarge ? 2 : 1);
        picture.cross(centre, colour);
    });
}

function markPainted(picture, { x, y }, painted, palette) {
    painted.forEach((label, i) => {
        if (label >= 0 && i < x.length) {
            picture.ring(x[i], y[i], 6 * picture.ratio, palette[label % palette.length], 2);
        }
    });
}

// Where the keyboard is.
function markCursor(picture, place) {
    picture.ring(...place.map(inUnits), 13 * picture.ratio, picture.ink, 2);
}
