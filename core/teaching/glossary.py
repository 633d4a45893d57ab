"""The words the pages use, each explained in a sentence or two."""

from __future__ import annotations

from ..methods import METHODS

_WORDS = {
    "AMI, ARI, NMI": "How far two groupings of the same rows agree; 1: fully. ARI (adjusted Rand "
    "index) and AMI (adjusted mutual information) are about 0 for unrelated groupings; NMI is not "
    "corrected for chance and flatters groupings with many groups.",
    "Atypical row": "A row that the model finds improbable wherever it puts it: an error, or "
    "something rare. Its log density is low.",
    "BIC": "A price on the number of groups that K-means cannot set itself: fit, less a penalty "
    "for each parameter. It takes groups for round and equally wide.",
    "Block": "Numeric columns modelled together, with their correlations. All other columns are "
    "independent given the group.",
    "Bootstrap": "Drawing rows anew from the table itself, to see what another sample from the "
    "same source could have given.",
    "Cluster, group": "Rows that the model describes by one set of parameters. A group is a "
    "cluster as you arranged it: named, or merged with others.",
    "Concentration (N\u2080)": "The prior count of the Dirichlet process: how readily a row opens "
    "a group of its own. Larger means more groups, slowly: their number grows with its logarithm.",
    "Control": "A column that should not differ between groups, such as a randomised arm. If it "
    "does, something is wrong.",
    "E": "The exact negative log joint probability of the data and a whole grouping, in log units. "
    "MAP-DP looks for the lowest. Comparable only between groupings of the same columns under the "
    "same settings.",
    "Imputation": "Filling a missing cell. The clustering never needs it; on request a cell is "
    "filled with what the row's group makes likely, with its spread.",
    "Jaccard similarity": "Rows in both of two groups, over rows in either: 1 if they are the "
    "same, 0 if they share none.",
    "K": "The number of groups. MAP-DP, Gibbs and DP-means find it; K-means and E-M are told.",
    "\u03bb (lambda)": "What a group costs DP-means, as a squared distance.",
    "Label": "A column with known groups, for scores and colours only; it takes no part in the "
    "clustering.",
    "Likelihood": "How a column's values are spread within a group: normal, count, category, "
    "rating, yes/no and others.",
    "Log odds": "By how much more probable one thing is than another, on log scale; 0 is even.",
    "Log unit": "The unit of log probability with natural logarithms, also called a nat: 1 is a "
    "factor of 2.72, 2.3 are a factor of 10.",
    "Merge path": "The groups put together two at a time, the cheapest pair first, with the E of "
    "each step.",
    "Missing cell": "A value nobody has. It is left out of its column's sums; no row is dropped "
    "and nothing is made up.",
    "N": "The number of rows.",
    "Prior scale": "How wide the groups are thought to be before seeing them, as a share of the "
    "columns' own width. The scale of lowest E is taken.",
    "Restart": "The search once more from another beginning. The lowest E of all is kept.",
    "Validator": "An outcome kept out of the clustering, to see afterwards whether groups differ "
    "in it.",
}


def words() -> dict[str, str]:
    """Each word -> what it means here, the methods among them, in alphabetical order."""
    known = _WORDS | dict(method.glossary for method in METHODS.values())
    order = sorted(known, key=lambda word: word.replace("\u03bb", "l").casefold())
    return {word: known[word] for word in order}
