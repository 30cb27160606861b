"""Promise 6: what differs between two versions can be read, and reading it keeps nobody waiting."""

import time

import pytest

from app.posts.differences import Line, differences


def told(lines: tuple[Line, ...]) -> list[str]:
    """`-taken out-`, `+put in+`, `(n)` for unchanged lines left out."""
    signs = {"same": "", "out": "-", "in": "+"}
    return [
        f"({line.left_out})"
        if line.left_out
        else "".join(f"{signs[piece.kind]}{piece.text}{signs[piece.kind]}" for piece in line.pieces)
        for line in lines
    ]


def test_nothing_differs() -> None:
    assert differences("a\nb", "a\nb") == ()


def test_a_changed_line_is_told_word_by_word_and_what_is_far_is_left_out() -> None:
    before = "\n".join(f"line {n}" for n in range(20))
    after = before.replace("line 10", "line ten and more")
    assert told(differences(before, after)) == [
        "(8)", "line 8", "line 9", "line -10-+ten and more+", "line 11", "line 12", "(7)",
    ]  # fmt: skip


def test_lines_put_in_and_taken_out() -> None:
    assert told(differences("a\nb\nc", "a\nc\nd")) == ["a", "-b-", "c", "+d+"]
    assert told(differences("", "new words")) == ["+new words+"]


def test_another_sentence_altogether_is_two_lines() -> None:
    old, new = "The tide comes in at four.", "Nobody counted these birds before"
    assert told(differences(old, new)) == [f"-{old}-", f"+{new}+"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n".join(["a b c"] * 7_000), "\n".join(["c b a"] * 7_000)),
        ("x " * 150_000, "y " * 150_000),
        (("x " * 745 + "\n") * 200, ("x x y " * 245 + "\n") * 200),
        (("x " * 1_490 + "\n") * 100, ("x " * 1_489 + "y\n") * 100),
    ],
    ids=["lines", "words", "one word", "its end"],
)
def test_nothing_keeps_anybody_waiting(before: str, after: str) -> None:
    began = time.process_time()
    assert differences(before, after)
    assert time.process_time() - began < 4  # 0.2 s on a quiet machine; the plain way takes minutes


def test_a_long_paragraph_is_told_word_by_word() -> None:
    words = [f"word{n % 97}" for n in range(700)]
    before, after = " ".join(words), " ".join([*words[:350], "and the sky", *words[350:]])
    assert told(differences(before, after)) == [after.replace("and the sky ", "+and the sky +")]
