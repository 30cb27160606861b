"""What webhooks are told of a release, in the transaction that makes it (W1).

`release.published` always; `post.published` for each post that came onto the site by it, `post.unpublished`
for each that left, both as the API tells a post, with the text that was published, never a later draft's.
A release that an import makes is told by `import.finished` alone.
"""

import msgspec

from app.accounts import account_of
from app.base.database import Tx
from app.posts.items import post_item, published_release
from app.posts.queries import published_records
from app.posts.release_queries import Release
from app.webhooks import News, announce_all, heard


async def tell_release(tx: Tx, made: Release) -> None:
    """Announce a release and the posts that came and went by it. To be called last."""
    if not await heard(tx):
        return
    site_url = (await account_of(tx)).site_url
    news = [
        News("release.published", msgspec.to_builtins(published_release(made, site_url)), release=made.number)
    ]
    moved = [one for one in made.changes if one.action != "updated"]
    if moved:
        posts = await published_records(tx, [one.revision_id for one in moved])
        news += [
            News(f"post.{one.action}", {"post": msgspec.to_builtins(post_item(posts[one.post_id], site_url))})
            for one in moved
        ]
    await announce_all(tx, news)
