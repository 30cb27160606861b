"""What is to go wrong, where, for whom and how often."""

import re
from dataclasses import dataclass, field
from typing import Literal

from app.base.errors import Invalid, Problem

STEPS = ("greeting", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "body", "end")
Act = Literal["drop", "say", "slow", "stall"]
_ORDER = re.compile(
    r"(?:(?P<times>\d+)x +)?(?P<step>\w+) +(?:(?P<drop>drop|stall)(?P<kept> +kept)?"
    r"|slow +(?P<delay>\d+(?:\.\d+)?)|say +(?P<say>[2-5]\d\d .+?))(?: +for +(?P<to>\S+@\S+))?"
)
FORM = (
    '"[3x ]STEP drop|stall [kept]", "STEP slow SECONDS" or "STEP say 451 4.3.0 Words", each with '
    f'"for ADDRESS" if it is for one only; the steps are {", ".join(STEPS)}'
)


@dataclass
class Fault:
    """At `step`: hang up, say something, wait, or never answer. `kept`: the mail is kept all the same.

    `to`: for that recipient only (from RCPT on). It passes `after` matching calls, then fires at each
    `every`th, `times` times (None: always). `delay` is seconds; `hit` are the recipients it fired for.
    """

    step: str
    act: Act
    text: str = ""
    kept: bool = False
    delay: float = 0.0
    to: str | None = None
    after: int = 0
    times: int | None = 1
    every: int = 1
    hit: list[str] = field(default_factory=list[str], init=False)
    seen: int = field(default=0, init=False)
    fired: int = field(default=0, init=False)

    def fires(self, step: str, recipient: str) -> bool:
        """Whether it goes wrong now; a matching call is counted."""
        if step != self.step or (self.to is not None and self.to != recipient):
            return False
        self.seen += 1
        turn = self.seen - self.after
        if turn < 1 or turn % self.every or (self.times is not None and self.fired >= self.times):
            return False
        self.fired += 1
        self.hit.append(recipient)
        return True


def fault_of(order: str) -> Fault:
    """A fault in words, as `godwit fakes --fault` takes it. Raises Invalid with the form."""
    found = _ORDER.fullmatch(order.strip())
    if found is None or found["step"] not in STEPS:
        raise Invalid([Problem("fault", f"{order!r} is no fault; give {FORM}.")])
    if problem := _meaningless(found):
        raise Invalid([Problem("fault", f"{order!r} would never happen: {problem}.")])
    times = int(found["times"]) if found["times"] else None
    if found["say"]:
        return Fault(found["step"], "say", text=found["say"].strip(), to=found["to"], times=times)
    if found["delay"]:
        return Fault(found["step"], "slow", delay=float(found["delay"]), to=found["to"], times=times)
    act: Act = "drop" if found["drop"] == "drop" else "stall"
    return Fault(found["step"], act, kept=bool(found["kept"]), to=found["to"], times=times)


def _meaningless(order: re.Match[str]) -> str:
    """Why a fault so ordered could not go wrong; '' when it can."""
    step = order["step"]
    if order["times"] and not int(order["times"]):
        return "0x is no time at all"
    if order["kept"] and step != "end":
        return f"at {step} there is no mail yet to be kept; only at end"
    if order["to"] and STEPS.index(step) < STEPS.index("RCPT"):
        return f"at {step} nobody knows yet who it is for; leave out for {order['to']}"
    return ""
