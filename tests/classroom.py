"""A scenario as the Teach page holds it, and all methods on it."""

from mapdp_studio.core.comparing.comparison import Results, known_truth
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.demo_datasets import GENERATED, load_taught
from mapdp_studio.pages.parts.teach.room import Classroom

SETTINGS = Settings(3.0, 4.0, 3, bic=False)


def room(key: str, n: int, settings: Settings = SETTINGS, **knob: float) -> Classroom:
    drawn = {"n": n, "seed": settings.seed, **knob} if key in GENERATED else {}
    frame, schema, _ = load_taught(key, **drawn)
    encoded = schema.encode(frame)
    truth, view = known_truth(frame, schema), choose_view(encoded)
    return Classroom(key, drawn, frame, schema, encoded, truth, view, settings, 4.0)


def fitted(here: Classroom) -> Results:
    results = Results()
    for task in here.tasks.values():
        results.fit(task, here.frame, here.schema)
    return results
