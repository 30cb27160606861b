"""What a viewer sees of a post. Page, feeds and API ask here, and `plans.may_read` decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from app.plans import NOBODY, Plan, Viewer, may_read
from app.posts import LivePost

Plans = Mapping[UUID, Plan]
Want = Literal["subscribe", "choose", "sign_in", "ask"]


@dataclass(frozen=True)
class Invitation:
    """What stands where the rest would be. `want` is what the viewer can do about it:

    `subscribe` (or sign in), `choose` a newsletter, `sign_in`, or `ask` the creator.
    """

    want: Want
    title: str
    words: str


@dataclass(frozen=True)
class Seen:
    """A post as one viewer sees it: all of it, or what stands above the paywall and an invitation."""

    html: str
    whole: bool
    invitation: Invitation | None


def seen(plans: Plans, post: LivePost, viewer: Viewer = NOBODY) -> Seen:
    """What of the post the viewer may read."""
    if may_read(post.access, post.plan_id, viewer):
        return Seen(post.html, True, None)
    return Seen(post.preview_html, False, _invitation(plans, post, viewer))


def label(plans: Plans, access: str, plan_id: UUID | None) -> str:
    """For whom something is kept, in a few words; '' when it is for everybody."""
    if access == "plan":
        return f"For {_plan(plans, plan_id)[0]}"
    return {"subscribers": "For subscribers", "paid": "For paying readers"}.get(access, "")


def _plan(plans: Plans, plan_id: UUID | None) -> tuple[str, str]:
    """A plan's name, and what it says of itself."""
    plan = plans.get(plan_id) if plan_id else None
    return (plan.name, plan.description) if plan else ("a plan", "")


def _invitation(plans: Plans, post: LivePost, viewer: Viewer) -> Invitation:
    name, description = _plan(plans, post.plan_id)
    known = viewer.reader_id is not None
    if post.access == "subscribers":
        if known:
            words = "You are signed in, but get no newsletter of ours. Choose one, and read on."
            return Invitation("choose", "The rest is for subscribers", words)
        words = "It costs nothing: leave your address, press the button in the mail you get, and read on."
        return Invitation("subscribe", "The rest is for subscribers", words)
    one = post.access == "plan"
    title = f"The rest is for readers with {name}" if one else "The rest is for paying readers"
    if known:
        words = f"{description} Your access does not include it. To get it, reply to any mail of ours."
        return Invitation("ask", title, words.strip())
    words = f"If you {'have it' if one else 'are one'} already, sign in to read on."
    return Invitation("sign_in", title, f"{description} {words}".strip())
