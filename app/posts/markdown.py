"""Markdown as a post's body: to HTML for site and mail, to plain text for a mail's text part.

What is understood stands in `parser`; raw HTML is. Whatever comes out has passed one allow-list
(`_CLEANER`), so nothing in a post can run, frame or restyle. With `fields=True` the fields of a mail become
marks (app/base/fields.py); without, they show their fallback. In code they stay as written either way.

All of it is bounded: `checked` refuses more than MAX_MARKDOWN characters, and what would take parser or page
past a few seconds (MAX_BRACKETS, MAX_TAGS, MAX_NOTES, MAX_LINKED); nothing that comes out is deeper than
`nesting` takes. A long post takes a second: what waits for it in the web process waits in a thread.
"""

import html
import re
from functools import lru_cache
from typing import Any, cast
from urllib.parse import urljoin

import nh3

from app.base.errors import Invalid, Problem, TooLarge
from app.base.fields import OPEN, fill, misspelt, replace_fields, scrub
from app.posts import paywall, preamble
from app.posts.nesting import MAX_DEEP, TAG, deepest, flattened, may_be_deep
from app.posts.parser import PARSER
from app.posts.plaintext import first_words, plain

MAX_MARKDOWN = 300_000
"""Characters in one post: some 50,000 words."""
MAX_BRACKETS = 20_000
"""`[` in one post. Each costs the parser a walk through what follows it, about 0.1 ms."""
MAX_TAGS = 20_000
"""Raw HTML tags in one post. The sanitiser's time grows with the square of how deep they stand."""
MAX_NOTES = 2_000
"""Marks of footnotes in one post. A note leads back to each of its marks, and each is a link in the mail."""
EXCERPT_LENGTH = 220
WORDS_A_MINUTE = 230

# fmt: off
_TAGS = {
    "a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "col", "colgroup",
    "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3",
    "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "rp", "rt",
    "ruby", "s", "samp", "section", "small", "span", "strong", "sub", "summary", "sup", "table",
    "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u", "ul", "var", "wbr",
}
# fmt: on
_ATTRIBUTES = {
    "*": {"class", "dir", "id", "lang", "title"},
    "a": {"href"},
    "col": {"span"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan", "scope"},
    "time": {"datetime"},
}
_CLASS = re.compile(r"language-[\w+#.-]{1,40}|footnote(s|-ref|s-list|-item|-backref|s-sep)|card-\w{5,8}")
_ID = re.compile(r"fn(ref)?\d+(:\d+)?")


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Only the classes and ids that we make ourselves: a post must not restyle or shadow the page.

    An address holds no mark yet: what fills one later would pass the look at its scheme.
    """
    if name in ("class", "id"):
        return value if (_CLASS if name == "class" else _ID).fullmatch(value) else None
    return None if name in ("href", "src") and OPEN in value else value


_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    attribute_filter=_attribute,
    clean_content_tags={"script", "style", "iframe", "object", "noscript", "template", "textarea", "title"},
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener",
    strip_comments=True,
)
_OPENING = re.compile(r"<[a-zA-Z]")
_LINK = re.compile(r'( (?:href|src)=")([^"]*)(")')


def checked(markdown: str) -> str:
    """`markdown` scrubbed of what no text may hold.

    Raises TooLarge past MAX_MARKDOWN, Invalid past MAX_BRACKETS, MAX_NOTES or MAX_TAGS.
    """
    if len(markdown) > MAX_MARKDOWN:
        raise TooLarge(
            f"This post has {len(markdown):,} characters; {MAX_MARKDOWN:,} are taken. Split it into several."
        )
    if markdown.count("[") > MAX_BRACKETS:
        raise _invalid(f"This post has more than {MAX_BRACKETS:,} opening brackets. Remove some of them.")
    if markdown.count("[^") > MAX_NOTES:
        raise _invalid(f"This post has more than {MAX_NOTES:,} marks of footnotes. Remove some of them.")
    if sum(1 for _ in _OPENING.finditer(markdown)) > MAX_TAGS:
        raise _invalid(f"This post has more than {MAX_TAGS:,} HTML tags. Remove some of them.")
    return scrub(markdown)


@lru_cache(maxsize=8)
def to_html(markdown: str, *, fields: bool, base_url: str | None = None, only_free: bool = False) -> str:
    """The post as sanitised HTML; front matter is left out.

    `only_free`: what stands above the paywall marker; '' when there is none.

    `fields=True` for a mail: fields become marks, to be filled for each reader in the context "html".
    `fields=False` for the site: fields show their fallback. Relative addresses are joined to `base_url`.
    Raises TooLarge or Invalid as `checked` does. Kept for a moment: one press asks for a text several times.
    """
    clean, _ = _clean(preamble.split(checked(markdown))[1], only_free)
    clean = TAG.sub(lambda tag: _LINK.sub(lambda link: _address(link, base_url), tag[0]), clean)
    return clean if fields else fill(clean, {}, "html")


def sanitised(html: str) -> str:
    """HTML that was rendered elsewhere as it may be shown; what `to_html` made stays the same."""
    return flattened(_CLEANER.clean(scrub(html)))


def to_text(markdown: str, *, fields: bool, base_url: str | None = None, only_free: bool = False) -> str:
    """The post as readable plain text: links as `label (address)`, images as `[alt]`, tables in columns.

    Marks, `only_free` and errors as for `to_html`; to be filled in the context "text".
    """
    text = plain(to_html(markdown, fields=True, base_url=base_url, only_free=only_free))
    return text if fields else fill(text, {}, "text")


def front_matter(markdown: str) -> tuple[dict[str, Any], str]:
    """What stands between `---` lines at the very top, and the body after it.

    The dict has `title` (str), `tags` (list of str) and `excerpt` (str) as far as given; other keys are
    ignored. Raises Invalid when it is not YAML, too long, or a value has the wrong form.
    """
    head, body = preamble.split(checked(markdown))
    return preamble.read(head), body


def excerpt(markdown: str, *, only_free: bool = False) -> str:
    """The first words of the post on one line, at most EXCERPT_LENGTH characters; '' when it has none."""
    return first_words(to_html(markdown, fields=False, only_free=only_free), EXCERPT_LENGTH)


def minutes(markdown: str) -> int:
    """How many minutes reading takes, at least 1. Two characters of a script without spaces are a word."""
    body = re.sub(r"\]\([^)\s]*", "]", preamble.split(markdown[:MAX_MARKDOWN])[1])
    dense = len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", body))
    words = len(re.findall(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", body))
    return max(1, round((words + dense / 2) / WORDS_A_MINUTE))


def marks_paywall(markdown: str) -> bool:
    """Whether a paywall marker stands in the text."""
    return paywall.has_marker(preamble.split(markdown)[1])


def misspelt_fields(markdown: str) -> list[tuple[str, str]]:
    """What looks like a field but is none, outside code: pairs of what stands there and what was meant."""
    tokens = PARSER.parse(preamble.split(checked(markdown))[1])
    texts = [child.content for token in tokens for child in token.children or () if child.type == "text"]
    return [pair for text in texts for pair in misspelt(text)]


def refuse_nests(markdown: str) -> None:
    """Raises Invalid for a text whose parts stand deeper in each other than MAX_DEEP, and what else renders.

    For what is saved: what is stored already is shown all the same, without the tags that are too deep.
    """
    if not may_be_deep(markdown):
        return
    _, deep = _clean(preamble.split(checked(markdown))[1], False)
    if deep > MAX_DEEP:
        raise _invalid(
            f"Parts of this post stand {deep:,} deep in each other; {MAX_DEEP} are taken. Close the HTML "
            "tags, or the emphasis, that are opened again and again, or take them out."
        )


@lru_cache(maxsize=8)
def _clean(body: str, only_free: bool) -> tuple[str, int]:
    """Sanitised HTML, fields as marks, and how deep it was before it was flattened; kept as `to_html` is."""
    env = dict[str, Any]()
    if only_free:
        body, env = paywall.above(body)
    tokens = PARSER.parse(body, env)
    clean = _CLEANER.clean(cast(str, PARSER.renderer.render(tokens, PARSER.options, env)))
    clean = paywall.without_dead_links(clean) if only_free else clean
    deep = deepest(clean)
    return (flattened(clean) if deep > MAX_DEEP else clean), deep


def _invalid(message: str) -> Invalid:
    return Invalid([Problem("markdown", message)])


def _address(link: re.Match[str], base_url: str | None) -> str:
    """One `href` or `src` of clean HTML: fields in it as marks, and absolute when there is a base."""
    if base_url is None and "{" not in link[2]:
        return link[0]
    address = html.unescape(link[2])
    if base_url is not None and not address.startswith("#"):
        try:
            address = urljoin(base_url, address)
        except ValueError:
            return link[0]
    return link[1] + html.escape(replace_fields(address, in_url=True), quote=True) + link[3]
