"""Plans: what a reader may read, by which right, and until when.

A *plan* is what can be given or bought. An *entitlement* (a creator reads "access") lets one reader read what
a plan opens, from a source (`stripe`, `comp`: given by hand with a reason, `gift`, `import`) and until an
end, if it has one. What a post asks for is its *access*: `everyone`, `subscribers`, `paid` (any plan), or
`plan` (the one it names). A *viewer* is whoever looks: nobody we know, or a reader with what they may read.

Owns the tables plan and entitlement, and the SQL function `entitled`, which is `may_read` for whole
audiences. No jobs.

Promises:
1. One rule answers for page, mail, feed and API: `may_read`. `entitled` says the same of every reader.
2. Each rung opens those below it: a plan what is paid, what is paid what subscribers read. One plan never
   opens what asks for another.
3. An entitlement counts from its start until its end, by the database's clock, and not a moment longer.
4. Access from several sources is several entitlements, each with its own end: when one ends the others stay,
   and a reader's page lists all of them, also those that are over.
5. What a source brings a second time under the same reference changes nothing, also after it was ended here.
6. Access given by hand says why and by whom; a reader has a plan by hand at most once at a time.
7. An archived plan is no longer offered; whoever has it keeps it until its end.
8. Access given by hand, and access ended early, is announced to webhooks with the change (W1), without why.
"""

from app.plans.access import NOBODY, Viewer, may_read, viewer_of
from app.plans.entitlements import end_entitlement, grant
from app.plans.offers import plan_named
from app.plans.queries import Entitlement, Plan, entitlements_of, plan, plans

__all__ = [
    "NOBODY",
    "Entitlement",
    "Plan",
    "Viewer",
    "end_entitlement",
    "entitlements_of",
    "grant",
    "may_read",
    "plan",
    "plan_named",
    "plans",
    "viewer_of",
]
