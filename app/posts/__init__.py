"""Posts: what is written, and what of it is published.

A *post* has one *draft* (its working copy, with a version that only grows), *revisions* (earlier versions,
frozen with the HTML that they read as) and, once published, a slug and a live revision. A *release* is an
immutable, numbered publication of the account's site; it names what it changed.

Words: draft, revision (a creator reads "earlier version"), release ("published version 12"), slug (the last
part of the address), excerpt (the creator's, else the first words).

Owns the tables post, draft, revision, media, release, release_counter, release_change and redirect. No jobs.

Promises:
1. A save names the version it started from; a stale one is a Conflict that says who saved and when, and
   writes nothing (`StaleVersion`).
2. A revision never changes, and its HTML is rendered once: site, feed, mail and preview read the same.
3. Release numbers of an account have no gaps; what is rolled back was never published (W1).
4. No two live posts of an account have one slug; a title in any script has one.
5. HTML leaves this slice sanitised and bounded, also what is brought back; no limit of `markdown` can be
   passed by form, API or paste.
6. What a save or a restore writes over can be had again: it is kept as an earlier version first.
7. What stands below the paywall marker is in no preview, excerpt or description.
8. A picture stands under the hash of its bytes, tells nothing of where it was taken, and no file that is sent
   can take the process's memory.
9. An older release comes back as a new one, which says what it changes; leaving the site is a release too.
   Neither it nor an earlier version lets anybody read a post who may not now, unless that was said.
10. An address that a post left leads to where it stands now, until another post takes it; never in a circle.
11. A release is announced to webhooks with the posts that come and go by it, in its transaction (W1); what
    only a draft says never is.

Whether something is published, mailed or both is decided in `publishing`, never here.
"""

from app.posts.bringing import (
    LIMITS,
    BroughtPost,
    ReadyPost,
    bring_post,
    ready_post,
    release_brought,
)
from app.posts.drafts import Draft, StaleVersion, create_post, draft_of, lock_post, lock_with_draft
from app.posts.finding import standing
from app.posts.frozen import frozen_revision
from app.posts.markdown import front_matter, misspelt_fields, sanitised, to_html, to_text
from app.posts.media import Media, StoredImage, media_file, note_image, write_image, write_media
from app.posts.pasting import from_html
from app.posts.queries import (
    LivePost,
    PostLine,
    PostsWanted,
    live_post,
    live_posts,
    post_counts,
    post_line,
    post_lines,
)
from app.posts.reading import (
    Address,
    LiveTitle,
    SitePage,
    Span,
    Tally,
    live_addresses,
    live_slug,
    live_tags,
    live_titles,
    live_years,
    site_pages,
    tagged_posts,
)
from app.posts.redirects import add_redirect, redirected
from app.posts.release_queries import Change, Release, newest_releases, release
from app.posts.releases import publish_revision, restoration, restore_release, unpublish
from app.posts.revisions import Revision, excerpt_of, free_slug, freeze, on_screen, provisional, what_stops
from app.posts.saving import keep_version, restore_version, save_draft
from app.posts.slugs import path_of, slug_of
from app.posts.surroundings import TestMail, last_test_mail
from app.posts.writing import Writing

__all__ = [
    "LIMITS",
    "Address",
    "BroughtPost",
    "Change",
    "Draft",
    "LivePost",
    "LiveTitle",
    "Media",
    "PostLine",
    "PostsWanted",
    "ReadyPost",
    "Release",
    "Revision",
    "SitePage",
    "Span",
    "StaleVersion",
    "StoredImage",
    "Tally",
    "TestMail",
    "Writing",
    "add_redirect",
    "bring_post",
    "create_post",
    "draft_of",
    "excerpt_of",
    "free_slug",
    "freeze",
    "from_html",
    "front_matter",
    "frozen_revision",
    "keep_version",
    "last_test_mail",
    "live_addresses",
    "live_post",
    "live_posts",
    "live_slug",
    "live_tags",
    "live_titles",
    "live_years",
    "lock_post",
    "lock_with_draft",
    "media_file",
    "misspelt_fields",
    "newest_releases",
    "note_image",
    "on_screen",
    "path_of",
    "post_counts",
    "post_line",
    "post_lines",
    "provisional",
    "publish_revision",
    "ready_post",
    "redirected",
    "release",
    "release_brought",
    "restoration",
    "restore_release",
    "restore_version",
    "sanitised",
    "save_draft",
    "site_pages",
    "slug_of",
    "standing",
    "tagged_posts",
    "to_html",
    "to_text",
    "unpublish",
    "what_stops",
    "write_image",
    "write_media",
]
