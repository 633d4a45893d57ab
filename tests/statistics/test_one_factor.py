"""Tables along one skewed factor: the table's own margins and skewness, one mode, no classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from mapdp_studio.core import MAPDP
from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.core.statistics.copula import copula_reference
from mapdp_studio.core.statistics.course import Course
from mapdp_studio.core.statistics.gaussian_copula import GaussianCopula
from mapdp_studio.core.statistics.one_factor import OneFactor
from mapdp_studio.core.statistics.standardised import first_component, standardised
from mapdp_studio.core.statistics.t_copula import TCopula


def skewed_severity(random: np.random.Generator, n: int) -> Encoded:
    """An exponential severity along which columns of every kind rise or fall."""
    severity = random.exponential(size=n)
    columns = {
        "normal": [severity + 0.5 * random.normal(size=n) for _ in range(4)],
        "bernoulli": [(random.random(n) < 1 / (1 + np.exp(2 - severity))) * 1.0 for _ in range(2)],
        "binomial": [random.binomial(4, 1 / (1 + np.exp(1.5 - severity))) * 1.0 for _ in range(2)],
        "poisson": [random.poisson(0.5 + severity) * 1.0 for _ in range(2)],
        "categorical": [np.digitize(severity, [0.5, 1.5]) * 1.0],
    }
    options = {
        "bernoulli": {"levels": ("no", "yes")},
        "binomial": {"trials": 4},
        "categorical": {"levels": ("a", "b", "c")},
    }
    units = [
        Unit(f"{family} {j}", family, (f"{family} {j}",), options.get(family, {}))
        for family, parts in columns.items()
        for j in range(len(parts))
    ]
    values = np.column_stack([part for parts in columns.values() for part in parts])
    values[random.random(values.shape) < 0.05] = np.nan
    return Encoded(np.ascontiguousarray(values), tuple(units))


@pytest.mark.parametrize("kind", [OneFactor, Course])
def test_a_draw_keeps_the_margins_the_holes_and_the_skewed_factor(kind):
    random = np.random.default_rng(0)
    encoded = skewed_severity(random, 400)
    drawn = kind.of(encoded).draw(random)
    assert (np.isnan(drawn.values) == np.isnan(encoded.values)).all()
    for own, other in zip(encoded.values.T, drawn.values.T, strict=True):
        assert np.nanmean(other) == pytest.approx(np.nanmean(own), abs=0.25)
        assert set(np.unique(other[~np.isnan(other)] % 1)) <= {0.0} or own.size > 20
        assert np.nanmin(other) >= np.nanmin(own) - 1.5
    assert stats.skew(np.abs(first_component(standardised(drawn)))) > 0.5
    assert Encoded(drawn.values, drawn.units).names == encoded.names


@pytest.mark.parametrize("kind", [OneFactor, Course, GaussianCopula, TCopula])
def test_a_two_part_column_has_numbers_where_its_outcome_is_one(kind):
    """Costs with zeros: drawn apart, one half would tell who has the other."""
    random = np.random.default_rng(2)
    severity = random.exponential(size=300)
    paid = severity + random.normal(size=300) > 1.0
    values = np.column_stack(
        [severity, random.normal(size=300) - severity, np.where(paid, severity, np.nan), ~paid]
    )
    values[:20, 2:] = np.nan  # nobody knows
    units = [Unit(name, "normal", (name,)) for name in ("severity", "walk", "cost")]
    options = {"of": "cost", "levels": ("number", "0")}
    encoded = Encoded(values, (*units, Unit("cost 0", "bernoulli", ("cost 0",), options)))
    drawn = kind.of(encoded).draw(random).values
    assert np.array_equal(np.isnan(drawn[:, 2]), drawn[:, 3] != 0)
    assert np.array_equal(np.isnan(drawn[:, 3]), np.isnan(values[:, 3]))
    assert not np.array_equal(drawn[20:, 3], values[20:, 3])
    assert np.mean(drawn[:, 3] == 0) == pytest.approx(np.mean(values[:, 3] == 0), abs=0.12)


def triangle(random: np.random.Generator) -> Encoded:
    """Three groups, each 1.5 SD high in another third of eight columns."""
    group = np.repeat([0, 1, 2], [140, 130, 130])
    means = 1.5 * (group[:, None] == np.arange(8) % 3)
    return Encoded.from_array(means + random.normal(size=means.shape), "normal")


def test_drawn_columns_hang_together_as_the_table_s_do():
    """Scores hold each column's own noise: followed in full, columns hang together far more."""
    random = np.random.default_rng(6)
    encoded = triangle(random)
    factor = OneFactor.of(encoded)

    def first(strength: float) -> float:
        drawn = [replace(factor, strength=strength).draw(random).values for _ in range(20)]
        return float(np.mean([np.linalg.eigvalsh(np.corrcoef(one.T))[-1] for one in drawn]))

    own = np.linalg.eigvalsh(np.corrcoef(encoded.values.T))[-1]
    assert first(2.0 * factor.strength - 1.0) == pytest.approx(own, rel=0.1)
    assert own < first(factor.strength) < 0.9 * first(1.0)
    spread = factor.draw(random).values.std(axis=0)
    assert spread == pytest.approx(encoded.values.std(axis=0), rel=0.15)


def test_two_separated_classes_are_not_reproduced():
    random = np.random.default_rng(2)
    classes = 4.0 * (np.arange(100) % 2)[:, None] + random.normal(size=(100, 8))
    found = copula_reference(MAPDP(random_state=0).fit(classes), 19)
    assert found.p == pytest.approx(0.05)


def test_a_few_far_rows_stay_few_along_the_factor():
    """Two classes that cross, and twelve rows far out: a wide kernel makes forty of the twelve."""
    random = np.random.default_rng(4)
    group = np.repeat([0, 1, 2], [150, 120, 12])
    means = np.array([[0.0, 2.0] * 6, [2.0, 0.0] * 6, [6.0, 6.0] * 6])
    encoded = Encoded.from_array(means[group] + random.normal(size=(282, 12)), "normal")
    factor = OneFactor.of(encoded)
    far = np.abs(factor.scores) > 2.5 * factor.scores.std()
    assert far.sum() == 12
    drawn = [np.abs(factor.latent.draw(282, random)) for _ in range(50)]
    assert np.mean([(one > 2.5 * factor.scores.std()).sum() for one in drawn]) < 20
