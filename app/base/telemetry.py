"""What the process says about itself: one structured log, one cause carried through.

Every request has an id (`X-Request-Id`); what it causes carries it.
"""

import logging
import sys
from contextvars import ContextVar

import structlog

#: The request (or job) this work is done for; jobs and sends carry it as their cause.
cause: ContextVar[str] = ContextVar("cause", default="")

log = structlog.stdlib.get_logger("godwit")


def configure(*, json: bool) -> None:
    """Log to standard error: JSON lines in production, readable ones elsewhere."""
    renderer = structlog.processors.JSONRenderer() if json else structlog.dev.ConsoleRenderer(colors=False)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        # Looked up each time: whoever replaces standard error later gets the lines.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


class Trouble:
    """Logs of something repeated that it fails: once for each way it does, and when it works again."""

    def __init__(self, **where: str) -> None:
        self._where = where
        self._met = ""

    def met(self, event: str, error: Exception) -> None:
        """It failed."""
        if repr(error) != self._met:
            log.warning(event, error=repr(error), **self._where)
        self._met = repr(error)

    def over(self) -> None:
        """It worked."""
        if self._met:
            log.warning("works_again", **self._where)
        self._met = ""
