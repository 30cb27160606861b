"""The site: what everybody may read, on the account's own host, and what a reader may read of it.

A site shows an account's live posts and pages: the newest, an archive by year, tags, each post under its
slug, the same as feeds, and all of them in a sitemap. All of it is rendered from revisions: HTML that was
sanitised and rendered when it was frozen. Fields of a mail (`{first_name, "friend"}`) show their fallback,
since a page is the same for everybody who may read it.

Words: *visit* (anybody on a site's host), *theme* (the templates in templates/themes/plain), *edition* (a
site as of a release and the settings), *gate* (what of a post a viewer sees), *invitation* (what stands where
the rest would be).

Owns no table and no job.

Promises:
1. One gate for page, feeds, API and what search engines are told: what is below the paywall leaves the house
   only to who may read it.
2. A page for everybody is rendered once in each process for a release and an address, says so to caches
   (ETag, 304) and sets no cookie; a creator who published or changed the settings sees it at once.
3. What a reader who is signed in sees is theirs alone: private, and never kept here.
4. The feeds are well-formed whatever a post holds.
5. A post that is not live is not there: page, feeds, lists and sitemap ask for live ones only. What moved
   leads on before it is told missing.
6. GET and HEAD only: nothing on these pages changes anything, and their transactions cannot write. Every
   address that is no other page's ends here and, when it is no post's, is told in the site's own look.
7. While the database is away, what is kept is shown.
"""

from app.site.recalling import Recalled, recall
from app.site.visiting import edition_of, editions_in, guard_site

__all__ = ["Recalled", "edition_of", "editions_in", "guard_site", "recall"]
