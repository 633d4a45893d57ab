"""Round numbers to write along an axis."""

from collections.abc import Sequence

import numpy as np


def round_step(raw: float) -> float:
    """The smallest of 1, 2, 5, 10, 20 ... that is not below a number above 0."""
    power = 10.0 ** np.floor(np.log10(raw))
    return float(power * next(step for step in (1.0, 2.0, 5.0, 10.0) if step * power >= raw))


def round_ticks(low: float, high: float, least_step: float = 0.0) -> list[float]:
    """Two to six round numbers inside a range."""
    step = max(round_step((high - low) / 6.0), least_step)
    # Adding 0 turns the -0 that ceil can leave into 0.
    return [float(k * step) + 0.0 for k in np.arange(np.ceil(low / step), high / step + 1e-9)]


def decade_ticks(low: float, high: float, steps: Sequence[float] = (1.0, 3.0)) -> np.ndarray:
    """Some multiples of every power of ten, inside a range above 0."""
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1.0)
    ticks = np.multiply.outer(decades, steps).ravel()
    margin = 1.0 + 1e-9
    return ticks[(ticks * margin >= low) & (ticks <= high * margin)]
