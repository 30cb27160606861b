"""What differs between two versions of a text: by lines, and within a changed line by words."""

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

AROUND = 2
"""Unchanged lines shown before and after a change."""
MOST_WORDS = 1_500
"""Words of a changed piece that are compared one by one; longer ones are shown as taken out and put in."""
MOST_PAIRS = 100_000
"""Pairs of equal words in two lines, over one comparison, that are weighed against each other. A paragraph of
a thousand words has some ten thousand; one word written a thousand times has a million, and takes minutes."""
MIXED = 0.3
"""Lines less alike than this read better one after the other than mixed."""
MOST_LINES = 6_000
"""Lines between the first and the last change that are compared one by one."""
Kind = Literal["same", "out", "in"]


@dataclass(frozen=True)
class Piece:
    """Some words of a line: the same in both, taken out, or put in."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Line:
    """One line of the comparison; `left_out` > 0: so many unchanged lines stand here unseen."""

    pieces: tuple[Piece, ...] = ()
    left_out: int = 0

    @property
    def changed(self) -> bool:
        """Whether anything in it differs."""
        return any(piece.kind != "same" for piece in self.pieces)


def differences(before: str, after: str) -> tuple[Line, ...]:
    """From `before` to `after`; empty when nothing differs."""
    if before == after:
        return ()
    old, new = before.split("\n"), after.split("\n")
    head, tail = _alike(old, new), 0
    tail = _alike(old[head:][::-1], new[head:][::-1])
    middle = _compared(old[head : len(old) - tail], new[head : len(new) - tail])
    same = [Line((Piece("same", line),)) for line in old]
    return tuple(_shortened([*same[:head], *middle, *same[len(old) - tail :]]))


def _alike(old: list[str], new: list[str]) -> int:
    for number, (one, two) in enumerate(zip(old, new, strict=False)):
        if one != two:
            return number
    return min(len(old), len(new))


def _compared(old: list[str], new: list[str]) -> list[Line]:
    if max(len(old), len(new)) > MOST_LINES:
        return [*_lines("out", old), *_lines("in", new)]
    found: list[Line] = []
    left = MOST_PAIRS
    for act, a, b, c, d in SequenceMatcher(None, old, new, autojunk=True).get_opcodes():
        if act == "equal":
            found += _lines("same", old[a:b])
            continue
        # Lines that stand for each other are compared by words, what is left over is out or in.
        for one, two in zip(old[a:b], new[c:d], strict=False):
            words, others = _words(one), _words(two)
            left -= _pairs(words, others)
            found += _by_words(words, others) if left > 0 else _apart(one, two)
        found += [*_lines("out", old[a:b][d - c :]), *_lines("in", new[c:d][b - a :])]
    return found


def _words(line: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", line)


def _pairs(old: list[str], new: list[str]) -> int:
    """How many pairs of the same word two lines have: what comparing them takes grows with it."""
    if len(old) > MOST_WORDS or len(new) > MOST_WORDS:
        return 0
    others = Counter(new)
    return sum(count * others[word] for word, count in Counter(old).items() if not word.isspace())


def _apart(one: str, two: str) -> list[Line]:
    return [*_lines("out", [one] if one else []), *_lines("in", [two] if two else [])]


def _by_words(old: list[str], new: list[str]) -> list[Line]:
    apart = _apart("".join(old), "".join(new))
    if not old or not new or len(old) > MOST_WORDS or len(new) > MOST_WORDS:
        return apart
    # Blanks are never what two lines are matched by: every line is full of them.
    matcher = SequenceMatcher(str.isspace, old, new, autojunk=False)
    if _likeness(old, new) < MIXED:
        return apart
    pieces: list[Piece] = []
    for act, a, b, c, d in matcher.get_opcodes():
        if act == "equal":
            pieces.append(Piece("same", "".join(old[a:b])))
            continue
        pieces += [Piece("out", "".join(old[a:b]))] if b > a else []
        pieces += [Piece("in", "".join(new[c:d]))] if d > c else []
    return [Line(tuple(pieces))]


def _likeness(old: list[str], new: list[str]) -> float:
    """How much of two lines is the same, blanks apart."""
    words, others = ([word for word in line if not word.isspace()] for line in (old, new))
    return SequenceMatcher(None, words, others, autojunk=False).ratio()


def _lines(kind: Kind, texts: list[str]) -> list[Line]:
    return [Line((Piece(kind, text),)) for text in texts]


def _shortened(lines: list[Line]) -> list[Line]:
    """Long runs of unchanged lines as their number."""
    near = set[int]()
    for number, line in enumerate(lines):
        if line.changed:
            near |= set(range(number - AROUND, number + AROUND + 1))
    found: list[Line] = []
    left_out = 0
    for number, line in enumerate(lines):
        if number in near:
            found += [Line(left_out=left_out)] if left_out else []
            found.append(line)
            left_out = 0
        else:
            left_out += 1
    return [*found, *([Line(left_out=left_out)] if left_out else [])]
