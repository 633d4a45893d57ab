"""What Clusters says of the number of groups stands: where chance is to be asked, it waits."""

import numpy as np
import pandas as pd
import pytest

# Every new first line, as it comes.
RECORD = """() => {
    window.said = [];
    const sentence = new RegExp("^([0-9]+ groups?|One group|Checking)[ ;(].*", "gm");
    const look = () => {
        const main = document.querySelector('[data-testid="stMainBlockContainer"]').innerText;
        for (const found of main.match(sentence) || []) if (!said.includes(found)) said.push(found);
    };
    new MutationObserver(look).observe(
        document, { characterData: true, childList: true, subtree: true });
}"""
SETTLED = "() => said.some((text) => !text.startsWith('Checking'))"
RANDOM = np.random.default_rng(8)
THREE = RANDOM.normal(size=(180, 5)) + 3.0 * np.repeat([0, 1, 2], 60)[:, None]
# An odd row between two places: with it the fit has three groups.
PLACES = np.r_[RANDOM.normal(size=80), 4.0, RANDOM.normal(size=70) + 30.0][:, None]
AGES = np.r_[RANDOM.normal(30.0, 3.0, 100), RANDOM.normal(50.0, 4.0, 60)][:, None]
TAILS = RANDOM.standard_t(2, size=(100, 3))
TABLES = {
    "three groups": (THREE, "3 groups", "more than chance makes"),
    "places": (PLACES, "2 groups", "more than chance makes"),
    "ages": (AGES, "2 groups", "more than chance makes"),
    "tails": (TAILS, "One group", "no more groups than chance makes"),
}


@pytest.mark.parametrize("name", TABLES)
def test_no_headline_turns_round(studio, name):
    values, groups, chance = TABLES[name]
    frame = pd.DataFrame(values).add_prefix("c").round(3)
    studio.open("data")
    studio.upload(f"{name}.csv", frame.to_csv(index=False).encode())
    studio.page.evaluate(RECORD)
    studio.page.locator('[data-testid="stTopNavLink"]').filter(has_text="Clusters").first.click()
    studio.page.wait_for_function(SETTLED)
    studio.settle()
    said = studio.page.evaluate("said")
    (line,) = (text for text in said if not text.startswith("Checking"))
    assert line.startswith(groups)
    assert chance in line
