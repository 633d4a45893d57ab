"""Groups that are there and are not normal: skewed, or with heavy tails."""

import numpy as np
import pandas as pd

NOISES = ("skewed", "heavy tails")


def load_misfit(noise: str, n: int = 600) -> tuple[pd.DataFrame, np.ndarray]:
    """Three groups of two columns, each of mean 0 and standard deviation 1, their centres 12 apart.

    Log-normal with a sigma of .4, or Student's t with 4 degrees of freedom.
    """
    random = np.random.default_rng(0)
    centers = 12.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    truth = random.integers(3, size=n)
    if noise == "skewed":
        square = 0.4**2
        around = np.exp(0.4 * random.standard_normal((n, 2))) - np.exp(square / 2)
        around /= np.sqrt((np.exp(square) - 1.0) * np.exp(square))
    else:
        around = random.standard_t(4, (n, 2)) / np.sqrt(2.0)
    return pd.DataFrame(centers[truth] + around, columns=["x", "y"]), truth
