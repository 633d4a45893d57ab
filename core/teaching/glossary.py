"""The words the pages use, each explained in a sentence or two."""

from ..methods import METHODS

_WORDS = {
    "AMI, ARI, NMI": "How far two groupings of the same rows agree; 1: fully. ARI (adjusted Rand "
    "index) and AMI (adjusted mutual information) are about 0 for unrelated ones, NMI is above.",
    "Atypical row": "A row that the model finds improbable in any group: an error, or rare.",
    "BIC": "Fit, less a price for each parameter: sets K for K-means, with groups taken for round.",
    "Block": "Numeric columns modelled with their correlations; others are independent in a group.",
    "Cluster, group": "Rows that the model describes by one set of parameters; as you "
    "arranged, named or merged them, they are groups.",
    "Concentration (N\u2080)": "The prior count of the Dirichlet process: how readily a row opens "
    "a group. More means more groups, slowly: their number grows with its logarithm.",
    "Control": "A column that should not differ between groups, such as a randomised arm.",
    "E": "The exact negative log joint probability of the data and a whole grouping: MAP-DP looks "
    "for the lowest. Comparable only for the same columns under the same settings.",
    "Imputation": "Filling a missing cell, on request: with what the row's group makes likely.",
    "Jaccard similarity": "Rows in both of two groups, over rows in either: 1 is the same, 0 none.",
    "K": "The number of groups. MAP-DP, Gibbs and DP-means find it; K-means and E-M are told.",
    "\u03bb (lambda)": "What a group costs DP-means, as a squared distance.",
    "Label": "A column with known groups, for scores and colours only, not for the clustering.",
    "Likelihood": "How a column's values are spread in a group: normal, count, yes/no ...",
    "Log odds": "By how much more probable one thing is than another, on log scale; 0 is even.",
    "Log unit": "Of log probability, also called a nat: 1 is a factor of 2.72, 2.3 of 10.",
    "Merge path": "The groups put together two at a time, the cheapest pair first.",
    "Missing cell": "A value nobody has: left out of its column's sums, with no row dropped.",
    "Restart": "The search once more from another beginning. The lowest E of all is kept.",
    "Validator": "An outcome kept out of the clustering, to see whether groups differ in it.",
}


def words() -> dict[str, str]:
    """Each word -> what it means here, the methods among them, in alphabetical order."""
    entries = _WORDS | dict(method.glossary for method in METHODS.values())
    order = sorted(entries, key=lambda word: word.replace("\u03bb", "l").casefold())
    return {word: entries[word] for word in order}
