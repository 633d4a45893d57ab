"""Several values typed into one line."""

from __future__ import annotations


def typed_list(text: str) -> list[str]:
    """The values, separated by semicolons, or else by commas."""
    parts = text.split(";" if ";" in text else ",")
    return [part.strip() for part in parts if part.strip()]
