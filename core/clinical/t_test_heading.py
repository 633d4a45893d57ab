"""What stands above the t-tests: what the light makes of them, and what to do with each verdict."""

from __future__ import annotations

from .traffic_light import Light

#: Why a light that is not green heads the t-tests.
ALONG_A_GRADIENT = (
    "Where patients only go from mild to severe, every column follows the others: tests of a "
    "column left out then reject as often as naive ones (66 of 71 simulated lines), and rightly "
    "so. A marked line says that the column differs together with the others. It does not say "
    "that these groups are subtypes."
)
#: What each line can say, and what to do with it.
VERDICTS = {
    "Differs": "The groups found without the column differ in it, as those shown do. Report the "
    "difference with its interval, those of the groups found without the column.",
    "Not marked": "No difference was shown, which is not the same as none: read the interval for "
    "how large it may be.",
    "The other way round": "Between the groups found without the column the difference has the "
    "other sign, so the column made the groups what they are. Do not report it as a difference.",
    "Not testable": "There is no p-value to trust. Where the groups are not found without the "
    "column, it holds them together: describe it, as what made the groups. Where a column has no "
    "mean or no spread, or too few values, more patients of this kind change nothing.",
}


def heading(light: Light) -> str:
    """What to read before the lines; empty under a green light."""
    if light.colour == "green":
        return ""
    if light.provisional and light.colour != "red":
        return (
            "The light of these groups is not known yet, so they have not been shown to be more "
            f"than a gradient. {ALONG_A_GRADIENT}"
        )
    said = f"{light.headline[:1].lower()}{light.headline[1:]}"
    return f"The light of these groups is {light.colour}: {said}. {ALONG_A_GRADIENT}"


def in_short(light: Light) -> str:
    """The same beside every line of a table that leaves."""
    if light.provisional and light.colour != "red":
        return "light not known yet: a gradient would do the same"
    if light.colour == "green":
        return "light green"
    return f"light {light.colour}: a gradient would do the same"
