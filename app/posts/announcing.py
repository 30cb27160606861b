"""What webhooks are told of a release, in the transaction that makes it (W1).

`release.published` always; `post.published` for each post that came onto the site by it, `post.unpublished`
for each that left, both as the API tells a post, with the text that was published, never a later draft's.
A release that an import makes is told by `import.finished` alone.
"""

from app.base.database import Tx
from app.posts.items import post_item, published_release
from app.posts.queries import published_records
from app.posts.release_queries import Release
from app.webhooks import News, announce


async def tell_release(tx: Tx, made: Release, site_url: str) -> None:
    """Announce a release of the site there, and the posts that came and went by it. To be called last.

    For an account that has a webhook: nobody else would hear it.
    """
    news = [News("release.published", published_release(made, site_url), release=made.number)]
    moved = [one for one in made.changes if one.action != "updated"]
    if moved:
        posts = await published_records(tx, [one.revision_id for one in moved])
        news += [
            News(f"post.{one.action}", {"post": post_item(posts[one.post_id], site_url)}) for one in moved
        ]
    await announce(tx, *news)
