"""A real table for a lesson: two of the thirteen measurements of the wines."""

from __future__ import annotations

from .taught import Taught

#: As the columns are called, and in words.
MEASUREMENTS = ("flavanoids", "color_intensity")
WINES = Taught(
    "wine",
    "Real wines",
    "K-means takes groups for equally wide discs, and nobody drew these wines from such. They are "
    "178 bottles of three cultivars, by flavanoids and colour intensity, two of their thirteen "
    "measurements: the deeper the colour of a cultivar, the wider its bottles spread.",
)
