"""What differs between two versions of a text: by lines, and within a changed line by words."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

AROUND = 2
"""Unchanged lines shown before and after a change."""
MOST_WORDS = 1_500
"""Words of a changed piece that are compared one by one; longer ones are shown as taken out and put in."""
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
    for act, a, b, c, d in SequenceMatcher(None, old, new, autojunk=True).get_opcodes():
        if act == "equal":
            found += _lines("same", old[a:b])
        else:
            found += _changed(old[a:b], new[c:d])
    return found


def _changed(old: list[str], new: list[str]) -> list[Line]:
    """Lines that stand for each other are compared by words, what is left over is out or in."""
    found: list[Line] = []
    for one, two in zip(old, new, strict=False):
        found += _by_words(one, two)
    return [*found, *_lines("out", old[len(new) :]), *_lines("in", new[len(old) :])]


def _by_words(one: str, two: str) -> list[Line]:
    old, new = re.findall(r"\s+|\w+|[^\w\s]", one), re.findall(r"\s+|\w+|[^\w\s]", two)
    apart = [*_lines("out", [one] if one else []), *_lines("in", [two] if two else [])]
    if not old or not new or len(old) > MOST_WORDS or len(new) > MOST_WORDS:
        return apart
    matcher = SequenceMatcher(None, old, new, autojunk=False)
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
