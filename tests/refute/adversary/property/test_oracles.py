"""The textbook definitions that a generated file carries."""

from refute.adversary.property import comparison as oracles


def test_definitions_are_those_of_the_textbook() -> None:
    assert oracles._primes_below(20) == [2, 3, 5, 7, 11, 13, 17, 19]
    assert [oracles._edit_distance(*pair) for pair in (("", "abc"), ("kitten", "sitting"), ("a", "a"))] == [3, 3, 0]
    assert [text for text in ("", "()", "([]{})", "(", "(]", ")(") if oracles._is_balanced(text)] == [
        "",
        "()",
        "([]{})",
    ]
