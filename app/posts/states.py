"""The states of a post, as its page and the API tell them.

None is stored: a post is a draft until a release makes it live, and is changed when its draft was saved after
the live revision was frozen.

    draft ──publish──▶ published ──save──▶ changed ──publish──▶ published
"""

from enum import StrEnum


class PostState(StrEnum):
    """Where a post stands between its draft and the site."""

    DRAFT = "draft"
    PUBLISHED = "published"
    CHANGED = "changed"


MOVES: dict[PostState, frozenset[PostState]] = {
    PostState.DRAFT: frozenset({PostState.PUBLISHED}),
    PostState.PUBLISHED: frozenset({PostState.CHANGED}),
    PostState.CHANGED: frozenset({PostState.PUBLISHED}),
}
