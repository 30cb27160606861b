"""Where a text is rendered while somebody waits: a long one in a thread, a short one at once."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
#: A text of so many characters takes two milliseconds, and fourteen with the worst in it (measured). The way
#: into a thread and back costs a tenth of one, and threads keep the loop waiting for the interpreter.
SHORT = 2_000
#: Of these signs each makes the parser look through all that follows.
_COSTLY, _FEW = "[~", 30


async def rendering(text: str, render: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
    """What `render` answers, which goes through `text`. Raises what it raises."""
    if len(text) <= SHORT and all(text.count(sign) <= _FEW for sign in _COSTLY):
        return render(*given, **named)
    return await asyncio.to_thread(render, *given, **named)
