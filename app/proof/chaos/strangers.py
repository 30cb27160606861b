"""The first hand too: what readers and creators do with pages and with the mail they get."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from app.proof.chaos.asking import Answer
from app.proof.chaos.people import Act, People, Publication
from app.proof.chaos.plan import Step
from app.proof.chaos.post_office import opened, taken

#: How long (s) anybody looks for a mail before they give up; a switch may hold it for longer.
LOOK = 20.0


def sign_up(people: People, one: Publication, step: Step) -> None:
    """A stranger fills in the form, and presses the button in the mail."""
    address = f"came.{step.told['n']}@{one.slug}.example.net"
    told = people.caller.form(one.host, "/subscribe", {"email": address, "name": "Cy Came"})
    people.diary.note("sign_up", one.slug, told, email=address)
    mail = _mail(people, address, "confirm") if told.status in (200, 302, 303) else None
    if link := _link(mail, "/confirm/"):
        people.diary.note("confirm", one.slug, people.caller.form(one.host, link, {}), email=address)


def unsubscribe(people: People, one: Publication, step: Step) -> None:
    """A reader leaves: by the link in a mail of theirs, else the team does it for them."""
    leaving = one.leaves(step.told["pick"])
    if not leaving:
        return
    address, reader = leaving
    mail = _mail(people, address, "broadcast", wait=0) if step.told["how"] == "link" else None
    if link := _link(mail, "/unsubscribe/"):
        told = people.caller.form(one.host, link, {"List-Unsubscribe": "One-Click"})
    else:
        told = people.ask(one, step, "PATCH", f"/readers/{reader}", {"newsletters": []})
    people.diary.note("unsubscribe", one.slug, told, email=address, reader=reader, by_link=bool(link))


def creator_code(people: People, one: Publication, step: Step) -> None:
    """A creator signs in by the code in the mail."""
    _signed_in(people, one, "creator_code", one.email, "localhost")


def reader_code(people: People, one: Publication, step: Step) -> None:
    """A reader signs in on the site."""
    with one.lock:
        addresses = sorted(one.readers)
    if addresses:
        address = addresses[int(step.told["pick"] * len(addresses)) % len(addresses)]
        _signed_in(people, one, "reader_code", address, one.host)


def _signed_in(people: People, one: Publication, act: str, address: str, host: str) -> None:
    since = datetime.now(UTC).isoformat()
    asked = people.caller.form(host, "/sign-in", {"email": address})
    mail = _mail(people, address, "code", since=since) if asked.status in (200, 302, 303) else None
    came = round(time.time() - asked.answered, 3) if mail else None
    people.diary.note(act, one.slug, asked, email=address, came_after=came)
    if mail and mail["code"]:
        told = people.caller.form(
            host, "/sign-in/code", {"email": address, "code": mail["code"]}, asked.cookie
        )
        people.diary.note(f"{act}_entered", one.slug, told, email=address)


def _mail(
    people: People, address: str, kind: str, wait: float = LOOK, since: str = ""
) -> dict[str, Any] | None:
    """The newest mail of a kind to an address, as soon as it is there."""
    until = time.monotonic() + wait
    if people.mails is not None:
        return _taken(people.mails, address, kind, until, since)
    asked = f"/testing/mailbox?to={quote(address)}&kind={kind}&limit=1"
    asked += f"&since={quote(since)}" if since else ""
    while True:
        shown: Answer = people.caller.ask("GET", asked, patience=5)
        if items := shown.json.get("items", []):
            return items[0]
        if time.monotonic() > until:
            return None
        time.sleep(0.3)


def _taken(log: Path, address: str, kind: str, until: float, since: str) -> dict[str, Any] | None:
    """The same from a mail server's log."""
    least = datetime.fromisoformat(since).timestamp() if since else 0.0
    while True:
        came = [mail for mail in taken(log) if mail.to == address and mail.at >= least]
        if found := [read for read in map(opened, came) if read["kind"] == kind]:
            return found[-1]
        if time.monotonic() > until:
            return None
        time.sleep(0.3)


def _link(mail: dict[str, Any] | None, part: str) -> str:
    """The path of the mail's link with this part, '' without one."""
    links = [link for link in (mail or {}).get("links", []) if part in link]
    return urlsplit(links[0]).path if links else ""


ACTS: dict[str, Act] = {
    "sign_up": sign_up,
    "unsubscribe": unsubscribe,
    "creator_code": creator_code,
    "reader_code": reader_code,
}
