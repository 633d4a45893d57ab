"""scikit-learn's check_estimator on every public estimator: how many checks pass, and why not all.

python -m tests.benchmarks.conventions
"""

from __future__ import annotations

import time
import warnings
from collections import Counter

from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import has_fit_parameter

from mapdp_studio import core
from tests.models.test_estimator import SMALL, refused


def checked(name: str) -> tuple[Counter[str], dict[str, str]]:
    """How many checks ended in which way, and the reason of each that did not pass."""
    estimator = getattr(core, name)(**SMALL[name])
    expected = refused(estimator)
    results = check_estimator(
        estimator, on_skip=None, on_fail=None, expected_failed_checks=expected
    )
    reasons = {
        result["check_name"]: expected.get(result["check_name"]) or str(result["exception"])
        for result in results
        if result["status"] != "passed"
    }
    return Counter(result["status"] for result in results), reasons


def main() -> None:
    """Print a line an estimator, and below it what did not pass."""
    warnings.simplefilter("ignore")
    print(f"{'':22} passed expected skipped failed  weights  seconds")
    for name in SMALL:
        began = time.perf_counter()
        counts, reasons = checked(name)
        counted = (counts[status] for status in ("passed", "xfail", "skipped", "failed"))
        passed, expected, skipped, failed = counted
        weighs = "yes" if has_fit_parameter(getattr(core, name), "sample_weight") else "no"
        seconds = time.perf_counter() - began
        print(
            f"{name:22} {passed:6} {expected:8} {skipped:7} {failed:6}  {weighs:7} {seconds:8.1f}"
        )
        for check, reason in reasons.items():
            print(f"    {check}: {reason}")


if __name__ == "__main__":
    main()
