"""Ghost's content export (Settings → Export): one JSON with the tables of its database.

`{"db": [{"meta": …, "data": {posts, posts_meta, tags, posts_tags, users, posts_authors, …}}]}`, the wrapper
sometimes missing; ids are the file's own. A body is `html` when it was rendered, else `lexical`, else
`mobiledoc`. Tags that begin with `#` are Ghost's internal ones. Pictures are not in the JSON; in a zip beside
it they are under content/images/.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from app.base.fields import scrub
from app.imports.formats.cells import moment
from app.imports.posts.foreign import Body, ForeignPost, no_body, oldest_first
from app.imports.posts.lexical import lexical_html
from app.imports.posts.mobiledoc import mobiledoc_html

name = "ghost-posts"
title = "Ghost content export"
_ACCESS = {"public": "everyone", "members": "subscribers", "paid": "paid", "tiers": "paid"}
#: The plan of a post for tiers that the file does not name: closed, not open to everybody who pays.
NO_TIER = "Chosen tiers"
_CODE = ("codeinjection_head", "codeinjection_foot")
_HERE = re.compile(r"__GHOST_URL__")
Row = Mapping[str, Any]


def tables_of(told: Any) -> dict[str, list[dict[str, Any]]] | None:
    """The tables of a parsed export, or None when it is none."""
    try:
        inner = told["db"][0] if isinstance(told, dict) and "db" in told else told
        data = inner.get("data", inner)
        posts = data["posts"]
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    if not isinstance(posts, list) or not all(isinstance(one, dict) for one in posts):
        return None
    return {
        name: [one for one in rows if isinstance(one, dict)]
        for name, rows in data.items()
        if isinstance(rows, list)
    }


def posts_of(tables: Mapping[str, list[dict[str, Any]]]) -> tuple[tuple[ForeignPost, ...], tuple[str, ...]]:
    """Every post and page, oldest first, and what of the file as a whole is lost."""
    meta = {_key(row.get("post_id")): row for row in tables.get("posts_meta", [])}
    tags = _named(tables, "tags", "posts_tags", "tag_id")
    tiers = _named(tables, "products", "posts_products", "product_id")
    found = [
        _post(row, meta.get(key, {}), tags[key], tiers[key])
        for row in tables["posts"]
        for key in (_key(row.get("id")),)
    ]
    authors = sorted({name for row in tables.get("users", []) if (name := _text(row, "name"))})
    lost = (f"Posts name no author here: {', '.join(authors[:10])}.",) if len(authors) > 1 else ()
    return oldest_first(found), lost


def _named(
    tables: Mapping[str, list[dict[str, Any]]], things: str, pairs: str, column: str
) -> defaultdict[str, list[str]]:
    """The names of a post's tags, or of its tiers, in their order there."""
    names = {_key(row.get("id")): _text(row, "name") for row in tables.get(things, [])}
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in sorted(tables.get(pairs, []), key=_place):
        if name := names.get(_key(row.get(column))):
            found[_key(row.get("post_id"))].append(name)
    return found


def _place(row: Row) -> float:
    """Where a tag stands among those of its post."""
    place = row.get("sort_order")
    return place if isinstance(place, int | float) else 0


def _key(value: Any) -> str:
    """An id, by which rows find each other: text, or (older) a number."""
    return str(value)[:100] if isinstance(value, str | int) else ""


def _post(row: Row, meta: Row, tags: list[str], tiers: list[str]) -> ForeignPost:
    created = _at(row.get("created_at"))
    published, why = _published(row, meta)
    slug, access = _text(row, "slug"), _ACCESS.get(_text(row, "visibility") or "public", "paid")
    return ForeignPost(
        origin=f"ghost:{_key(row.get('uuid')) or _key(row.get('id')) or slug}",
        title=_text(row, "title"),
        slug=slug,
        body=partial(_body, row),
        created_at=created,
        updated_at=_at(row.get("updated_at")) or created,
        published_at=published,
        undated=published is None and not why and _text(row, "status") == "published",
        excerpt=_text(row, "custom_excerpt"),
        tags=tuple(tag for tag in tags if not tag.startswith("#")),
        access=access,
        plan=(tiers or [NO_TIER])[0] if _text(row, "visibility") == "tiers" else "",
        kind="page" if _text(row, "type") == "page" or row.get("page") else "post",
        cover=_HERE.sub("", _text(row, "feature_image")),
        cover_alt=_text(meta, "feature_image_alt"),
        seo_title=_text(meta, "meta_title") or _text(row, "meta_title"),
        seo_description=_text(meta, "meta_description") or _text(row, "meta_description"),
        paths=(f"/{slug}",) if slug else (),
        losses=(*why, *_losses(row, meta, tags, tiers)),
    )


def _published(row: Row, meta: Row) -> tuple[datetime | None, tuple[str, ...]]:
    status = _text(row, "status")
    at = _at(row.get("published_at")) or _at(row.get("created_at"))
    if status == "scheduled":
        return None, (f"It was scheduled for {_text(row, 'published_at')}: it is a draft here.",)
    if status == "sent" or meta.get("email_only"):
        return None, ("It was mailed and never stood on the site: it is a draft here.",)
    return (at if status == "published" else None), ()


def _losses(row: Row, meta: Row, tags: list[str], tiers: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    if any(_text(row, column) for column in _CODE):
        found.append("Its injected code is left out.")
    if _text(row, "visibility") == "tiers" and not tiers:
        found.append(
            f"It was for chosen tiers, and the file does not say which: it is for the plan {NO_TIER} here,"
            " which nobody has. Choose who may read it."
        )
    elif _text(row, "visibility") == "tiers" and len(tiers) > 1:
        found.append(
            f"It was for the tiers {', '.join(tiers)}: a post has one plan here, {tiers[0]}. Who has only"
            " another of them does not read it, until you give them that plan or choose another for it."
        )
    if _text(row, "canonical_url"):
        found.append(f"It named another address as its own: {_text(row, 'canonical_url')}.")
    if _text(row, "custom_template"):
        found.append("Its template of its own is left out.")
    if internal := [tag for tag in tags if tag.startswith("#")]:
        found.append(f"Internal tags are left out: {', '.join(internal)}.")
    return tuple(found)


def _body(row: Row) -> Body:
    if html := _text(row, "html"):
        return _HERE.sub("", html), ()
    if lexical := _text(row, "lexical"):
        html, losses = lexical_html(lexical)
        return _HERE.sub("", html), losses
    if mobiledoc := _text(row, "mobiledoc"):
        html, losses = mobiledoc_html(mobiledoc)
        return _HERE.sub("", html), losses
    return no_body()


def _text(row: Row, column: str) -> str:
    value = row.get(column)
    return scrub(value).strip() if isinstance(value, str) else ""


def _at(value: Any) -> datetime | None:
    """A time as Ghost writes it: text, or (older) milliseconds."""
    if isinstance(value, int | float) and 0 < value < 8e12:
        return datetime.fromtimestamp(value / 1000, UTC)
    return moment(value) if isinstance(value, str) else None
