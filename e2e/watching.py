"""What goes wrong in a browser while nobody looks: errors of scripts, of htmx, of the server."""

import re

from playwright.sync_api import BrowserContext, ConsoleMessage, Response

#: htmx tells by an event that a swap found no target, a script broke, a request died; here it is a line.
TELL = """
addEventListener("htmx:error", (event) => {
  const { error, ctx } = event.detail ?? {};
  if (error?.name === "AbortError") return;
  console.error(`htmx:error ${error?.message ?? error ?? ""} ${ctx?.request?.action ?? ""}`);
}, true);
addEventListener("htmx:sse:error", (event) => {
  console.error(`htmx:sse:error ${event.detail?.error ?? ""}`);
}, true);
"""
#: Pictures of a post stand elsewhere, and nothing is asked of anybody else here.
_ELSEWHERE = re.compile(r"https?://(?!([a-z0-9-]+\.)*localhost[:/]|127\.0\.0\.1[:/])")
_REFUSED = "the server responded with a status of "


class Watch:
    """Listens to every page of a context. Refusals that a journey provokes are named in `expected`."""

    def __init__(self, context: BrowserContext, scripted: bool) -> None:
        self.problems: list[str] = []
        self.expected: set[int] = set()
        if scripted:
            context.add_init_script(TELL)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.problems.append(f"script: {error.error}"))
        context.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        words, where = message.text, message.location.get("url", "")
        if "ERR_NAME_NOT_RESOLVED" in words and _ELSEWHERE.match(where):
            return
        if _REFUSED in words and int(words.split(_REFUSED)[1][:3]) in self.expected:
            return
        self.problems.append(f"console: {words} at {where}")

    def _response(self, response: Response) -> None:
        if response.status >= 500:
            self.problems.append(f"{response.status}: {response.request.method} {response.url}")
