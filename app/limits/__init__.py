"""How often: token buckets and counted tries, in Postgres, so that every process agrees.

Owns the table limit_bucket: a name, what is left, since when. A *bucket* fills at a rate up
to its burst; asking an empty one answers how long to wait and takes nothing, or *reserves*: takes in advance
and answers when it will be there. *Tries*
are a fixed number that ends at a time and never fills by itself.

Promises
1. One statement decides and takes: two requests at once never both take the last token.
2. Refusing costs nothing: who keeps knocking does not wait longer for it.
3. What nobody touches for a week is forgotten, which changes nothing.
4. Who reserves first is served first; nobody reserves further ahead than the patience given.
5. A bucket's name holds no address in the clear: callers hash what they name.
"""

from app.limits.buckets import allow, reserve
from app.limits.forgetting import forget_idle
from app.limits.refusals import hashed_name, refuse_over
from app.limits.tries import grant_tries, take_try

__all__ = ["allow", "forget_idle", "grant_tries", "hashed_name", "refuse_over", "reserve", "take_try"]
