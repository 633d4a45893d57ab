"""The Compare page in a real browser: five panels, sliders that touch what is theirs."""

from __future__ import annotations

import numpy as np
import pytest

RANDOM = np.random.default_rng(3)
GROUP = np.repeat([0, 1, 2], 40)


def table() -> bytes:
    """A mixed table with holes and a name that would be markup, as a CSV file."""
    lines = ["height,<b>mass</b>,visits,sex,species"]
    for group in GROUP:
        height = f"{RANDOM.normal(160 + 12 * group, 3):.1f}" if RANDOM.random() > 0.1 else ""
        mass, visits = RANDOM.normal(60 + 9 * group, 3), RANDOM.poisson(1 + 3 * group)
        lines.append(f"{height},{mass:.2f},{visits},{'fm'[RANDOM.integers(2)]},kind {'abc'[group]}")
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def compare(studio):
    studio.open()
    studio.page.get_by_role("link", name="Data").click()
    studio.settle()
    studio.upload("mixed.csv", table())
    assert studio.has_table("mixed.csv")
    studio.page.get_by_role("link", name="Compare").click()
    assert studio.sees("All results belong to these settings.", seconds=180)
    studio.settle()
    return studio


def rows(studio) -> dict[str, list[str]]:
    """Cells of the scoreboard by algorithm."""
    lines = studio.page.locator("table tr").all()[1:]
    cells = [line.locator("th, td").all_inner_texts() for line in lines]
    return {first: rest for first, *rest in cells}


def move(studio, slider: str, key: str) -> None:
    studio.page.get_by_role("slider", name=slider).focus()
    studio.page.keyboard.press(key)
    studio.settle()


def test_five_panels_stand_side_by_side_and_nothing_is_cut_off(compare, pictures):
    titles = compare.page.locator(".annotation-text").all_text_contents()
    for name in ("MAP-DP", "DP-means", "K-means", "E-M", "Gibbs"):
        assert any(title.startswith(name) for title in titles)
    assert compare.screenshots("compare", pictures) == {1440: 0, 800: 0}


@pytest.mark.parametrize("width", [1440, 800])
def test_no_text_of_the_figure_sticks_out_or_overlaps(compare, width):
    compare.resize(width, 1000)
    boxes = compare.page.evaluate(
        """() => {
            const box = (element) => {
                const {left, right, top, bottom} = element.getBoundingClientRect();
                return [left, right, top, bottom];
            };
            const chart = document.querySelector('.js-plotly-plot');
            const texts = '.annotation-text, .xtick text, .ytick text, .xtitle, .ytitle';
            return {
                chart: box(chart),
                texts: [...chart.querySelectorAll(texts)].map(box).filter((b) => b[0] < b[1]),
            };
        }"""
    )
    left, right, top, bottom = boxes["chart"]
    assert len(boxes["texts"]) > 10
    for a in boxes["texts"]:
        assert left <= a[0]
        assert a[1] <= right + 1
        assert top <= a[2]
        assert a[3] <= bottom + 1
    for k, a in enumerate(boxes["texts"]):
        for b in boxes["texts"][:k]:
            apart = a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] + 1 or b[3] <= a[2] + 1
            assert apart, (a, b)
    compare.resize(1440)


def test_the_concentration_touches_mapdp_and_gibbs_alone(compare):
    before = rows(compare)
    move(compare, "Concentration N₀", "ArrowRight")
    after = rows(compare)
    energy, seconds = 1, -1
    assert all(before[name][energy] != after[name][energy] for name in before)
    for name in ("DP-means", "K-means", "E-M"):
        assert before[name][0] == after[name][0]
        assert before[name][seconds] == after[name][seconds]
    assert "n0=5" in compare.page.url


def test_the_address_tells_nothing_of_the_table(compare):
    compare.page.get_by_text("Two columns", exact=True).click()
    compare.settle()
    assert compare.sees("Rows with a missing value stand in the margin.")
    move(compare, "Penalty λ", "ArrowLeft")
    query = compare.page.url.partition("?")[2]
    assert {part.partition("=")[0] for part in query.split("&")} <= {"n0", "lambda", "k", "bic"}
    compare.page.get_by_text("All columns", exact=True).click()
    compare.settle()


def test_results_and_sliders_survive_a_visit_to_another_page(compare):
    before = rows(compare)
    compare.page.get_by_role("link", name="Data").click()
    compare.settle()
    compare.page.get_by_role("link", name="Compare").click()
    assert compare.sees("All results belong to these settings.")
    compare.settle()
    assert rows(compare) == before
