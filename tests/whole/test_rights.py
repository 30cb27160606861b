"""Every route of the studio with every role: refused is exactly whose role may not."""

import re

import pytest

from app.accounts.rights import MAY, ROLES, refusal
from app.base.database import Database
from app.web import routes
from app.web.rights import acts_of_routes
from tests.accounts.makers import become
from tests.readers.makers import a_place
from tests.readers.visitors import STUDIO, creator, opened

SAMPLES = {
    "uuid": "01a22c52-5438-704b-a314-5bf7fd415181",
    "int": "1",
    "str": "newsletter",
}


def concrete(path: str) -> str:
    return re.sub(r"\{\w+:(\w+)\}", lambda found: SAMPLES[found[1]], path)


@pytest.mark.parametrize("role", ROLES)
async def test_every_route_refuses_exactly_whose_role_may_not(
    web: Database, owner: Database, role: str
) -> None:
    """Whoever may gets past the guard: to the page, to what is wrong with a form, or to nothing there."""
    place = await a_place(web)
    async with owner.transaction() as tx:
        await become(tx, role)
    wrong = []
    async with opened() as app, await creator(app, place) as desk:
        for (method, path), act in sorted(acts_of_routes(routes.STUDIO).items()):
            if path.startswith("/live/") or path.endswith("/live"):
                continue  # streams, which do not end
            answer = await desk.request(method, STUDIO + concrete(path))
            refused = answer.status_code == 403
            if refused == (role in MAY[act]) or answer.status_code >= 500:
                wrong.append((method, path, answer.status_code))
            if refused and refusal(act) not in answer.text.replace("&#39;", "'"):
                wrong.append((method, path, "no sentence"))
    assert wrong == []
