"""An earlier version beside the draft: the text's differences, and what else is not the same."""

from dataclasses import dataclass

from app.posts.access import stricter
from app.posts.differences import Line, differences
from app.posts.drafts import Draft
from app.posts.markdown import marks_paywall
from app.posts.revisions import Revision
from app.posts.writing import Writing

_WORDS = {
    "excerpt": "Excerpt",
    "kind": "Kind",
    "cover": "Cover",
    "cover_alt": "Description of the cover",
    "seo_title": "Title for search engines",
    "seo_description": "Description for search engines",
}


@dataclass(frozen=True)
class Comparison:
    """From the earlier version to the draft. `facts` are triples of label, before and after.

    `readers` says who may read it when it is put back, where then and now differ.
    """

    title: tuple[Line, ...]
    text: tuple[Line, ...]
    facts: tuple[tuple[str, str, str], ...]
    readers: str = ""

    @property
    def same(self) -> bool:
        """Whether nothing differs that anybody would see."""
        return not (self.title or self.text or self.facts)


def comparison(then: Revision, now: Draft) -> Comparison:
    """What changed from `then` to `now`; the excerpt that was made by itself is no difference."""
    told = now.writing
    pairs = [(words, getattr(then, name), getattr(told, name)) for name, words in _WORDS.items()]
    pairs.append(("Tags", ", ".join(then.tags), ", ".join(told.tags)))
    if stricter(then.readers, told.readers) != told.readers:
        pairs.append(("Who may read it", then.readers.words, told.readers.words))
    return Comparison(
        title=differences(then.title, told.title or "Untitled"),
        text=differences(then.markdown, told.markdown),
        readers=_readers(then, told),
        facts=tuple(
            (words, before, after)
            for words, before, after in pairs
            if before != after and not (words == "Excerpt" and not after)
        ),
    )


def _readers(then: Revision, now: Writing) -> str:
    """What becomes of who may read it, in sentences; '' when nothing does."""
    coming = stricter(then.readers, now.readers)
    told: list[str] = []
    if then.readers != now.readers:
        told.append(
            f"It will be for {coming.words}, as now: it was for {then.readers.words} then."
            if coming == now.readers
            else f"It will be for {coming.words}, as then: it is for {now.readers.words} now."
        )
    if coming.kind != "everyone" and marks_paywall(now.markdown) and not marks_paywall(then.markdown):
        told.append(
            "This version has no line “Only for those with access”: others will see its excerpt alone."
        )
    return " ".join(told)
