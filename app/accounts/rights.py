"""What each role of a team may do: the one table. Which route is which act stands in app/web/rights.py.

| act        | owner | editor | writer | is                                                                  |
|------------|-------|--------|--------|---------------------------------------------------------------------|
| look       | yes   | yes    | yes    | posts, emails, readers, lists and figures                           |
| write      | yes   | yes    | yes    | posts and their pictures, previews, test mails, segments to look by |
| publish    | yes   | yes    |        | to the site, by email, at a time; taking off, bringing back         |
| mail       | yes   | yes    |        | pausing, cancelling, trying again, settling; stopping all mail      |
| readers    | yes   | yes    |        | adding, changing, unsubscribing, tagging; blocking; their segments  |
| erase      | yes   | yes    |        | a reader with all that is kept of them                              |
| bring      | yes   | yes    |        | imports, what came of them, undoing them                            |
| take_along | yes   | yes    |        | readers as CSV, everything as zip                                   |
| plans      | yes   | yes    |        | plans, and who has them                                             |
| redeliver  | yes   | yes    |        | webhooks: testing, pausing, switching on, delivering again          |
| webhooks   | yes   |        |        | adding, changing and deleting them; their secrets                   |
| lift       | yes   |        |        | a block                                                             |
| settings   | yes   |        |        | of the publication and its newsletters                              |
| keys       | yes   |        |        | API keys: making and revoking them                                  |
| team       | yes   |        |        | inviting, roles, removing                                           |
"""

from typing import Literal, get_args

Role = Literal["owner", "editor", "writer"]
ROLES: tuple[Role, ...] = get_args(Role)
Act = Literal[
    "look",
    "write",
    "publish",
    "mail",
    "readers",
    "erase",
    "bring",
    "take_along",
    "plans",
    "redeliver",
    "webhooks",
    "lift",
    "settings",
    "keys",
    "team",
]
ACTS: tuple[Act, ...] = get_args(Act)

_EDITORS: tuple[Role, ...] = ("owner", "editor")
MAY: dict[Act, tuple[Role, ...]] = {
    "look": ROLES,
    "write": ROLES,
    "publish": _EDITORS,
    "mail": _EDITORS,
    "readers": _EDITORS,
    "erase": _EDITORS,
    "bring": _EDITORS,
    "take_along": _EDITORS,
    "plans": _EDITORS,
    "redeliver": _EDITORS,
    "webhooks": ("owner",),
    "lift": ("owner",),
    "settings": ("owner",),
    "keys": ("owner",),
    "team": ("owner",),
}
#: What somebody is told who may not, after “An owner or editor ” or “Only an owner ”.
_DOES: dict[Act, str] = {
    "look": "looks at this",
    "write": "writes here",
    "publish": "publishes, and decides what stays on the site",
    "mail": "stops, starts and settles mail",
    "readers": "adds and changes readers",
    "erase": "erases readers",
    "bring": "imports, and undoes imports",
    "take_along": "takes readers and everything else along",
    "plans": "changes plans and who has them",
    "redeliver": "tests and pauses webhooks, and delivers again",
    "webhooks": "adds, changes and deletes webhooks, and makes their secrets",
    "lift": "lifts a block",
    "settings": "changes the settings of the publication and its newsletters",
    "keys": "makes and revokes API keys",
    "team": "invites people, changes roles and removes members",
}


def acts_of(role: str) -> frozenset[str]:
    """What the role may do; nothing for one that is not known."""
    return frozenset(act for act, roles in MAY.items() if role in roles)


def refusal(act: Act) -> str:
    """The sentence for who may not."""
    who = "Only an owner of the publication" if MAY[act] == ("owner",) else "An owner or editor"
    return f"{who} {_DOES[act]}. Ask one of them."
