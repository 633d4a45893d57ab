// Clusters of unknown centre and width: their moments, prices and E (as core.families.gaussian).
// Every point is Student t given the points of a cluster; the prior is Normal-Wishart.
const DOF = 5;           // what the prior's width is worth, in points: a whole number, see lnGamma
const MIDDLE = 5;        // where centres are expected, across and up
const REACH = 3;         // and how far from there, as a standard deviation
const LN_PI = Math.log(Math.PI);
const LN_FACTORIALS = [0];

function lnFactorial(n) {
    for (let k = LN_FACTORIALS.length; k <= n; k += 1) {
        LN_FACTORIALS.push(LN_FACTORIALS[k - 1] + Math.log(k));
    }
    return LN_FACTORIALS[n];
}

// Ln of the Gamma function of two dimensions at a/2, by its duplication formula, whole a.
const lnGamma2 = (a) => LN_PI + (2 - a) * Math.LN2 + lnFactorial(a - 2);

class Clusters {
    // The expected variance within a cluster is width squared in either direction.
    constructor(columns, labels, concentration, width) {
        Object.assign(this, { columns, concentration, width, lnNew: Math.log(concentration) });
        this.scatter = (DOF - 3) * width * width;
        this.meanCount = (width / REACH) ** 2;
        this.fresh = this.refreshed(emptyMoments());
        this.load(labels);
    }

    // Take these labels, 0 to K - 1.
    load(labels) {
        this.labels = Int32Array.from(labels);
        this.all = Array.from({ length: Math.max(-1, ...labels) + 1 }, emptyMoments);
        this.labels.forEach((k, i) => this.put(this.all[k], i, 1));
        this.all.forEach((one) => this.refreshed(one));
    }

    put(one, i, weight) {
        const n = one.n + weight;
        if (n === 0) {
            Object.assign(one, emptyMoments());
            return;
        }
        const across = this.columns.x[i] - one.x;
        const up = this.columns.y[i] - one.y;
        const pull = weight * (n - weight) / n;
        one.xx += pull * across * across;
        one.xy += pull * across * up;
        one.yy += pull * up * up;
        one.x += weight * across / n;
        one.y += weight * up / n;
        one.n = n;
    }

    // Posterior and predictive: what a price needs, so that it costs one logarithm.
    refreshed(one) {
        const c = this.meanCount + one.n;
        const a = DOF + one.n;
        const across = one.x - MIDDLE;
        const up = one.y - MIDDLE;
        const pull = this.meanCount * one.n / c;
        const xx = this.scatter + one.xx + pull * across * across;
        const xy = one.xy + pull * across * up;
        const yy = this.scatter + one.yy + pull * up * up;
        const det = xx * yy - xy * xy;
        one.atX = MIDDLE + one.n / c * across;
        one.atY = MIDDLE + one.n / c * up;
        one.pxx = yy / det;
        one.pxy = -xy / det;
        one.pyy = xx / det;
        one.lnDet = Math.log(det);
        one.gain = c / (c + 1);
        one.power = 0.5 * (a + 1);
        one.constant = Math.log(0.5 * (a - 1)) - LN_PI - Math.log((c + 1) / c) - 0.5 * one.lnDet;
        if (one.n > 1) {
            one.loss = c / (c - 1);
            one.within = Math.log(0.5 * (a - 2)) - LN_PI + Math.log((c - 1) / c) - 0.5 * one.lnDet;
        }
        one.lnSize = one.n > 0 ? Math.log(one.n) : this.lnNew;
        return one;
    }

    // What joining a cluster costs at a place: -ln p(place given its points) - ln of its size.
    price(one, x, y) {
        return -one.constant + one.power * Math.log(1 + one.gain * square(one, x, y)) - one.lnSize;
    }

    // The same of one of its own points, given the others; without the term of its size.
    priceWithin(one, x, y) {
        const left = Math.max(1 - one.loss * square(one, x, y), 1e-14);
        return -one.within - (one.power - 1) * Math.log(left);
    }

    // The cheapest cluster at a place, -1 where a new one is cheaper still.
    cheapestAt(x, y) {
        let best = -1;
        let least = this.price(this.fresh, x, y);
        for (let k = 0; k < this.all.length; k += 1) {
            const price = this.price(this.all[k], x, y);
            if (price < least) {
                least = price;
                best = k;
            }
        }
        return best;
    }

    // Exact negative log joint of the partition, in nats.
    objective() {
        const { columns: { n }, concentration } = this;
        let energy = -this.all.length * this.lnNew;
        for (let i = 0; i < n; i += 1) energy += Math.log(concentration + i);
        for (const one of this.all) energy -= this.lnMarginal(one) + lnFactorial(one.n - 1);
        return energy;
    }

    // By how much E falls when two clusters become one.
    gainOf(one, other) {
        const n = one.n + other.n;
        const share = other.n / n;
        const across = other.x - one.x;
        const up = other.y - one.y;
        const both = this.refreshed({
            n,
            x: one.x + share * across,
            y: one.y + share * up,
            xx: one.xx + other.xx + one.n * share * across * across,
            xy: one.xy + other.xy + one.n * share * across * up,
            yy: one.yy + other.yy + one.n * share * up * up,
        });
        const apartNow = [one, other].reduce(
            (sum, each) => sum + this.lnMarginal(each) + lnFactorial(each.n - 1), 0);
        return this.lnMarginal(both) + lnFactorial(n - 1) - apartNow - this.lnNew;
    }

    lnMarginal(one) {
        const a = DOF + one.n;
        const c = this.meanCount + one.n;
        return lnGamma2(a) - lnGamma2(DOF)
            + 0.5 * (DOF * 2 * Math.log(this.scatter) - a * one.lnDet)
            + Math.log(this.meanCount / c) - one.n * LN_PI;
    }
}

function emptyMoments() {
    return { n: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0 };
}

function square(one, x, y) {
    const across = x - one.atX;
    const up = y - one.atY;
    return one.pxx * across * across + 2 * one.pxy * across * up + one.pyy * up * up;
}
