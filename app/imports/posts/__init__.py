"""Posts from other products: Ghost's JSON (or a zip of it with its pictures), Substack's zip.

Owns what their files mean: a file becomes `ForeignPost`s, each with what of it did not survive in words. What
becomes of them is for `posts.bring_post`. Their HTML becomes Markdown by `posts.from_html` (markdownify: it
walks the tree that Beautiful Soup parses, so a card or a footnote of theirs is one method, where a converter
of text would leave raw HTML; and what it leaves out can be counted).

Promises:
 B1 Nothing is mailed, and everything is live at once, by one release, with the dates it had.
 B2 The same file again changes nothing; one that was killed goes on.
 B3 What did not survive is said, post by post: cards, pictures that are not in the file, code, limits.
 B4 Where a post stood leads to where it stands, when that is another address.
 B5 No picture is fetched: those in the file are kept here, others stay links, and are named.
"""

from app.imports.posts.foreign import ForeignFile, ForeignPost
from app.imports.posts.reading import open_posts

__all__ = ["ForeignFile", "ForeignPost", "open_posts"]
