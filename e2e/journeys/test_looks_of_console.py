"""The console's overview: its page as test_looks looks at pages, moving by itself, and without a script."""

from collections.abc import Callable

from playwright.sync_api import expect

from e2e.looking import look_at
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

OPERATOR = "olga@example.org"


def test_the_overview_of_a_house_at_rest_and_in_trouble(
    empty_godwit: Godwit, visit: Callable[..., Visitor]
) -> None:
    """What is given up and what waits appears without a press; without a script by loading anew."""
    empty_godwit.account("olgas", OPERATOR, "Olga's", operator=True)
    olga = visit(empty_godwit, bypass_csp=True)
    olga.sign_in(OPERATOR)
    olga.go("/console")
    page = olga.page
    expect(page.get_by_text("All is well.")).to_be_visible()
    expect(page.locator("#workers tbody tr")).to_have_count(2)
    wrong = look_at(page, "console-overview")
    page.evaluate("document.querySelector('#given-up').kept = true")

    account = empty_godwit.an_account(seed=31, readers=12, posts=2)
    empty_godwit.call("POST", "/testing/faults", {"target": "provider", "kind": "refuse", "times": 1})
    account.api.post("/messages", {"to": "gone@example.org", "subject": "An invoice", "text": "Pay."})
    expect(page.locator("#given-up tbody tr")).to_have_count(1)
    assert page.evaluate("document.querySelector('#given-up').kept")  # morphed, not put in its place
    account.api.put("/switch", {"on": True, "scope": "bulk", "reason": "The subject line is wrong"})
    post = account.api.get("/posts")["items"][0]
    account.api.post(f"/posts/{post['id']}/publish", {"site": True, "email": {}})
    on_its_way = page.locator("#budgets tbody tr")
    expect(on_its_way.locator("[data-label='Copies to go']")).to_have_text("12")
    wrong += look_at(page, "console-overview-busy")
    assert not wrong
    account.api.put("/switch", {"on": False, "reason": "It is right now"})
    account.api.post("/switch/let-go", {})
    expect(on_its_way).to_have_count(0)

    plain = visit(empty_godwit, scripted=False)
    plain.sign_in(OPERATOR)
    plain.go("/console")
    expect(plain.page.locator("#given-up tbody tr")).to_have_count(1)
    plain.follow("Jobs")
    expect(plain.heading()).to_have_text("Jobs")
