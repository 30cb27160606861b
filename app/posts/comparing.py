"""An earlier version beside the draft: the text's differences, and what else is not the same."""

from dataclasses import dataclass

from app.posts.differences import Line, differences
from app.posts.drafts import Draft
from app.posts.revisions import Revision

_WORDS = {
    "excerpt": "Excerpt",
    "kind": "Kind",
    "access": "Who may read it",
    "cover": "Cover",
    "cover_alt": "Description of the cover",
    "seo_title": "Title for search engines",
    "seo_description": "Description for search engines",
}


@dataclass(frozen=True)
class Comparison:
    """From the earlier version to the draft. `facts` are triples of label, before and after."""

    title: tuple[Line, ...]
    text: tuple[Line, ...]
    facts: tuple[tuple[str, str, str], ...]

    @property
    def same(self) -> bool:
        """Whether nothing differs that anybody would see."""
        return not (self.title or self.text or self.facts)


def comparison(then: Revision, now: Draft) -> Comparison:
    """What changed from `then` to `now`; the excerpt that was made by itself is no difference."""
    told = now.writing
    pairs = [(words, getattr(then, name), getattr(told, name)) for name, words in _WORDS.items()]
    pairs.append(("Tags", ", ".join(then.tags), ", ".join(told.tags)))
    return Comparison(
        title=differences(then.title, told.title or "Untitled"),
        text=differences(then.markdown, told.markdown),
        facts=tuple(
            (words, before, after)
            for words, before, after in pairs
            if before != after and not (words == "Excerpt" and not after)
        ),
    )
