// Clusters that are all round and of one known width (as core.families.spherical): only where they
// are is learned. The prior of a centre is that of clusters of unknown width.
class RoundClusters extends Clusters {
    get variance() {
        return this.width * this.width;
    }

    refreshed(one) {
        const spread = 1 / (1 / (REACH * REACH) + one.n / this.variance);
        const pull = one.n * spread / this.variance;
        one.atX = MIDDLE + pull * (one.x - MIDDLE);
        one.atY = MIDDLE + pull * (one.y - MIDDLE);
        one.spread = spread + this.variance;
        one.constant = -Math.log(2 * Math.PI * one.spread);
        one.lnSize = one.n > 0 ? Math.log(one.n) : this.lnNew;
        return one;
    }

    price(one, x, y) {
        const square = (x - one.atX) ** 2 + (y - one.atY) ** 2;
        return -one.constant + square / (2 * one.spread) - one.lnSize;
    }

    // Without the point that stands there, and without the term of the size.
    priceWithin(one, x, y) {
        const n = one.n - 1;
        const [atX, atY] = [one.x - (x - one.x) / n, one.y - (y - one.y) / n];
        const others = this.refreshed({ n, x: atX, y: atY });
        return this.price(others, x, y) + others.lnSize;
    }

    lnMarginal(one) {
        const widened = this.variance + one.n * REACH * REACH;
        const apartFrom = (one.x - MIDDLE) ** 2 + (one.y - MIDDLE) ** 2;
        const within = (one.xx + one.yy) / this.variance + one.n * apartFrom / widened;
        const constant = one.n * Math.log(2 * Math.PI * this.variance);
        return -constant - Math.log(widened / this.variance) - within / 2;
    }
}
