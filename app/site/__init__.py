"""The site: what everybody may read, on the account's own host.

A site shows an account's live posts, newest first, each under its slug, and the same posts as a feed. All of
it is rendered from revisions: HTML that was sanitised and rendered when it was frozen. Fields of a mail
(`{first_name, "friend"}`) show their fallback, since a page has no reader.

Words: *visit* (anybody on a site's host), *theme* (the templates in templates/themes/plain).

Owns no table and no job.

Promises:
1. A page reads one row of the account and runs one query of its own; no page sets a cookie or runs a script.
2. Every page has an ETag over its bytes, and whoever holds these bytes is answered 304.
3. The feed is well-formed XML whatever a post holds.
4. A post that is not live is not there: page, feed and home ask the same two queries.
5. GET and HEAD only: nothing on these pages changes anything. Every address that is no other page's ends
   here and, when it is no post's, is told in the site's own look.
"""
