"""Words and numbers as sentences write them."""

from __future__ import annotations

from core.wording import escaped


def test_nothing_of_a_name_is_left_to_markdown():
    name = "![x](http://a/b.png) <b> `c` $d$ :red[e] **f** ~g~ # h\n| i"
    said = escaped(name)
    assert said.replace("\\", "") == name.replace("\n", " ")
    for mark in "![]()<>`$:*~#|":
        assert said.count(mark) == said.count(f"\\{mark}")
