"""The engine's own logarithm and log gamma."""

import numpy as np
import pytest
from scipy import special

from mapdp_studio.core.jit import NUMBER, kernel
from mapdp_studio.core.special import fast_lgamma, fast_log, half_rise


@kernel(NUMBER, NUMBER)
def _log(x):
    return fast_log(x)


@kernel(NUMBER, NUMBER)
def _lgamma(x):
    return fast_lgamma(x)


@kernel(NUMBER, NUMBER, NUMBER)
def _half_rise(a, times):
    return half_rise(a, times)


@pytest.mark.parametrize("a", [0.1, 3.0, 7.9, 8.0, 8.5, 60.0, 1e5, 1e9])
def test_half_a_step_of_log_gamma(a):
    # Gamma(a + 1/2)/Gamma(a) is what Pochhammer's symbol (a)_(1/2) is.
    expected = np.log(special.poch(a, 0.5)) + 0.5 * np.log(3.0)
    assert _half_rise(a, 3.0) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_fast_log_is_the_logarithm():
    x = 10.0 ** np.random.default_rng(0).uniform(-300, 300, 2000)
    x = np.concatenate([x, 1.0 + np.linspace(-1e-3, 1e-3, 201), 2.0 ** np.arange(-5, 6)])
    ours = np.array([_log(value) for value in x])
    assert np.allclose(ours, np.log(x), rtol=3e-16, atol=1e-300)


def test_fast_lgamma_is_the_log_of_gamma():
    x = 10.0 ** np.random.default_rng(0).uniform(-8, 12, 2000)
    x = np.concatenate([x, np.linspace(0.5, 3.0, 501), np.arange(1.0, 200.0) / 2])
    ours = np.array([_lgamma(value) for value in x])
    # Near 1 and 2 the function vanishes, so there only the absolute error can be small.
    assert np.allclose(ours, special.gammaln(x), rtol=1e-14, atol=1e-14)
