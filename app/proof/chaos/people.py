"""The first hand: what creators and their programs do, over the API, each act as the schedule has it."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from app.proof.chaos.asking import Answer, Caller, Diary
from app.proof.chaos.plan import Step

Thing = TypeVar("Thing")
_CONSENT = {"source": "chaos: they asked for it", "at": "2026-01-02T03:04:05Z"}
#: The webhook that nobody pauses, and the one that people play with.
STEADY, MOODY = "steady", "moody"


@dataclass
class Publication:
    """One account, and what its people know of it. `readers`: id by address, of those who never left."""

    slug: str
    email: str
    key: str
    posts: list[str] = field(default_factory=list[str])
    broadcasts: list[str] = field(default_factory=list[str])
    releases: list[int] = field(default_factory=list[int])
    endpoints: dict[str, str] = field(default_factory=dict[str, str])
    readers: dict[str, str] = field(default_factory=dict[str, str])
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def host(self) -> str:
        """Where its site is."""
        return f"{self.slug}.localhost"

    def leaves(self, pick: float) -> tuple[str, str] | None:
        """A reader who leaves now, address and id: no two acts get the same."""
        with self.lock:
            address = chosen(sorted(self.readers), pick)
            return (address, self.readers.pop(address)) if address else None


@dataclass
class People:
    """Everybody who acts: on which publications, by which caller, and the diary of it."""

    caller: Caller
    diary: Diary
    publications: list[Publication]
    mails: Path | None = None
    """Where the mail server writes down what it took; None: the mailbox is asked."""

    def ask(self, one: Publication, step: Step, method: str, path: str, body: Any = None) -> Answer:
        """A program's call for a publication; repeated under one key when nobody answers."""
        once = f"{step.act}-{step.told['n']}-{step.round}-{step.at}-{path}" if method == "POST" else ""
        return self.caller.ask(method, f"/api/v1{path}", body, key=one.key, once=once)


Act = Callable[[People, Publication, Step], None]


def chosen(things: Sequence[Thing], pick: float) -> Thing | None:
    """The one at this fraction of all, None of none."""
    return things[min(int(pick * len(things)), len(things) - 1)] if things else None


def publish(people: People, one: Publication, step: Step) -> None:
    """A new post, or an old one changed, goes live."""
    pick, n = step.told["pick"], step.told["n"]
    post = chosen(one.posts, pick) if n % 3 else None
    words = {"title": f"Tide {n}", "markdown": f"The tide of {n}.\n\n## Then\n\nIt turned.\n"}
    if post:
        version = people.ask(one, step, "GET", f"/posts/{post}").json.get("version")
        people.ask(one, step, "PATCH", f"/posts/{post}", words | {"version": version})
    else:
        post = people.ask(one, step, "POST", "/posts", words).json.get("id")
    if not post:
        return
    told = people.ask(one, step, "POST", f"/posts/{post}/publish", {"site": True})
    people.diary.note("publish", one.slug, told, release=told.json.get("release"))
    with one.lock:
        if post not in one.posts:
            one.posts.append(post)
        if told.json.get("release"):
            one.releases.append(told.json["release"])


def broadcast(people: People, one: Publication, step: Step) -> None:
    """A post is mailed to every reader, again if it was before."""
    post = chosen(one.posts, step.told["pick"])
    if not post:
        words = {"title": f"Letter {step.told['n']}", "markdown": 'Dear {first_name, "reader"},\n\nHello.\n'}
        post = people.ask(one, step, "POST", "/posts", words).json.get("id")
    if not post:
        return
    with one.lock:
        audience = sorted(one.readers.values())
    email = {"again": True, "undo_seconds": step.told["undo_seconds"], "subject": f"Letter {step.told['n']}"}
    told = people.ask(one, step, "POST", f"/posts/{post}/publish", {"site": False, "email": email})
    made = told.json.get("broadcast")
    people.diary.note("broadcast", one.slug, told, broadcast=made, audience=audience)
    with one.lock:
        if post not in one.posts:
            one.posts.append(post)
        if made:
            one.broadcasts.append(made)


def restore(people: People, one: Publication, step: Step) -> None:
    """The site becomes what it was."""
    number = chosen(one.releases, step.told["pick"])
    if number:
        told = people.ask(one, step, "POST", f"/releases/{number}/restore", {})
        people.diary.note("restore", one.slug, told, release=told.json.get("number"))


def unpublish(people: People, one: Publication, step: Step) -> None:
    """A post leaves the site."""
    if post := chosen(one.posts, step.told["pick"]):
        told = people.ask(one, step, "POST", f"/posts/{post}/unpublish")
        people.diary.note("unpublish", one.slug, told, release=told.json.get("number"))


def add_reader(people: People, one: Publication, step: Step) -> None:
    """A program adds a reader who asked for it."""
    address = f"added.{step.told['n']}@{one.slug}.example.net"
    told = people.ask(
        one, step, "POST", "/readers", {"email": address, "name": "Ada Added", "consent": _CONSENT}
    )
    people.diary.note("add_reader", one.slug, told, email=address, reader=told.json.get("id"))
    if told.status == 201:
        with one.lock:
            one.readers[address] = told.json["id"]


def erase(people: People, one: Publication, step: Step) -> None:
    """A reader is erased for good."""
    if leaving := one.leaves(step.told["pick"]):
        told = people.ask(one, step, "DELETE", f"/readers/{leaving[1]}")
        people.diary.note("erase", one.slug, told, email=leaving[0], reader=leaving[1])


def pause(people: People, one: Publication, step: Step) -> None:
    """An email stands still for a while."""
    _move(people, one, step, "pause")
    time.sleep(step.told["seconds"])
    _move(people, one, step, "resume")


def resume(people: People, one: Publication, step: Step) -> None:
    """An email goes on."""
    _move(people, one, step, "resume")


def cancel(people: People, one: Publication, step: Step) -> None:
    """An email stops for good."""
    _move(people, one, step, "cancel")


def retry_failed(people: People, one: Publication, step: Step) -> None:
    """Copies that were refused are tried again."""
    if named := chosen(one.broadcasts, step.told["pick"]):
        told = people.ask(one, step, "POST", f"/broadcasts/{named}/retry-failed")
        people.diary.note("retry_failed", one.slug, told, broadcast=named)


def send_to_missing(people: People, one: Publication, step: Step) -> None:
    """Who came since gets it too."""
    if named := chosen(one.broadcasts, step.told["pick"]):
        told = people.ask(one, step, "POST", f"/broadcasts/{named}/send-to-missing")
        people.diary.note("send_to_missing", one.slug, told, broadcast=named)


def at_a_time(people: People, one: Publication, step: Step) -> None:
    """A new post goes live and is mailed in some seconds."""
    n = step.told["n"]
    words = {"title": f"Later {n}", "markdown": f"Later, {n}.\n"}
    post = people.ask(one, step, "POST", "/posts", words).json.get("id")
    now = people.caller.ask("GET", "/testing/clock").json.get("now")
    if post and now:
        at = datetime.fromisoformat(now) + timedelta(seconds=step.told["seconds"])
        asked = {"site": True, "email": {"subject": f"Later {n}"}, "at": at.isoformat()}
        told = people.ask(one, step, "POST", f"/posts/{post}/publish", asked)
        people.diary.note("schedule", one.slug, told, scheduled=told.json.get("scheduled"))


def _move(people: People, one: Publication, step: Step, move: str) -> None:
    """Of an email that is under way, if there is one."""
    shown = people.ask(one, step, "GET", "/broadcasts?limit=10").json.get("items", [])
    open_ = [item["id"] for item in shown if item["state"] in ("building", "sending", "paused")]
    if named := chosen(open_ or one.broadcasts[-2:], step.told["pick"]):
        told = people.ask(one, step, "POST", f"/broadcasts/{named}/{move}")
        people.diary.note(move, one.slug, told, broadcast=named)


def switch(people: People, one: Publication, step: Step) -> None:
    """All mail of the publication is stopped, started again, and let go."""
    scope = step.told["scope"]
    stop = {"on": True, "scope": scope, "reason": "chaos"}
    told = people.ask(one, step, "PUT", "/switch", stop)
    people.diary.note("switch_on", one.slug, told, scope=scope)
    time.sleep(step.told["seconds"])
    switch_off(people, one, step)


def switch_off(people: People, one: Publication, step: Step) -> None:
    """Mail is started again, and what waited let go."""
    told = people.ask(one, step, "PUT", "/switch", {"on": False, "scope": "all", "reason": ""})
    people.diary.note("switch_off", one.slug, told)
    people.diary.note("let_go", one.slug, people.ask(one, step, "POST", "/switch/let-go"))


def pause_endpoint(people: People, one: Publication, step: Step) -> None:
    """One webhook is paused for a while."""
    path = f"/endpoints/{one.endpoints[MOODY]}"
    told = people.ask(one, step, "PATCH", path, {"state": "paused"})
    people.diary.note("pause_endpoint", one.slug, told)
    time.sleep(step.told["seconds"])
    resume_endpoint(people, one, step, MOODY)


def resume_endpoint(people: People, one: Publication, step: Step, name: str) -> None:
    """It is called again."""
    told = people.ask(one, step, "PATCH", f"/endpoints/{one.endpoints[name]}", {"state": "active"})
    people.diary.note("resume_endpoint", one.slug, told, endpoint=name)


def rotate(people: People, one: Publication, step: Step) -> None:
    """A new secret; the old one signs beside it for a day."""
    name = STEADY if step.told["pick"] < 0.5 else MOODY
    told = people.ask(one, step, "POST", f"/endpoints/{one.endpoints[name]}/rotate", {"overlap_hours": 24})
    people.diary.note("rotate", one.slug, told, endpoint=name, secret=told.json.get("secret"))


def redeliver(people: People, one: Publication, step: Step) -> None:
    """Something that was told is told again."""
    shown = people.ask(one, step, "GET", f"/endpoints/{one.endpoints[MOODY]}/deliveries?limit=20")
    if found := chosen(shown.json.get("items", []), step.told["pick"]):
        told = people.ask(one, step, "POST", f"/deliveries/{found['id']}/redeliver")
        people.diary.note("redeliver", one.slug, told, delivery=found["id"])


def test_endpoint(people: People, one: Publication, step: Step) -> None:
    """A test event."""
    told = people.ask(one, step, "POST", f"/endpoints/{one.endpoints[MOODY]}/test")
    people.diary.note("test_endpoint", one.slug, told)


def bring(people: People, one: Publication, step: Step) -> None:
    """A file of readers who agreed."""
    addresses = [f"brought.{step.told['n']}.{i}@{one.slug}.example.net" for i in range(15)]
    table = "email,name\n" + "".join(f"{address},Bea Brought\n" for address in addresses)
    told = people.ask(one, step, "POST", "/imports?consent=stated", table.encode())
    people.diary.note("import", one.slug, told, imported=told.json.get("id"), emails=addresses)


def message(people: People, one: Publication, step: Step) -> None:
    """A program queues a mail, and again under the same key, as programs do that were not answered."""
    name = f"order-{step.told['n']}"
    mail = {
        "to": f"{name}@example.net",
        "subject": f"Your {name}",
        "text": "Thank you.",
        "idempotency_key": name,
    }
    for _ in range(2):
        told = people.caller.ask("POST", "/api/v1/messages", mail, key=one.key)
        people.diary.note("message", one.slug, told, key=name, id=told.json.get("id"))


ACTS: dict[str, Act] = {
    "publish": publish,
    "broadcast": broadcast,
    "restore": restore,
    "unpublish": unpublish,
    "add_reader": add_reader,
    "erase": erase,
    "pause": pause,
    "resume": resume,
    "cancel": cancel,
    "retry_failed": retry_failed,
    "send_to_missing": send_to_missing,
    "schedule": at_a_time,
    "switch": switch,
    "pause_endpoint": pause_endpoint,
    "rotate": rotate,
    "redeliver": redeliver,
    "test_endpoint": test_endpoint,
    "import": bring,
    "message": message,
}
