"""Who gets leave to send, and how much: L9."""

from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from app.ledger.feeder import Demand, share_out

_demands = st.lists(
    st.builds(
        Demand,
        account_id=st.integers(1, 4),
        mailing_id=st.builds(uuid4),
        planned=st.integers(0, 10_000),
        granted=st.integers(0, 300),
        send_rate=st.none() | st.floats(0.1, 500),
    ),
    max_size=12,
)


@given(st.integers(0, 5_000), _demands)
def test_no_more_is_granted_than_the_budget_or_than_is_wanted(budget, demands):
    grants = share_out(budget, demands)
    assert sum(grants.values()) <= budget
    wanted = {demand.mailing_id: demand.wanted for demand in demands}
    assert all(0 < n <= wanted[mailing] for mailing, n in grants.items())


def test_a_small_mailing_is_not_behind_a_large_one():
    """L9: 500 readers get their whole half of the budget beside 500,000."""
    small, large = uuid4(), uuid4()
    grants = share_out(200, [Demand(1, large, 500_000, 0, None), Demand(2, small, 500, 0, None)])
    assert grants == {large: 100, small: 100}


def test_what_a_small_one_leaves_goes_to_the_others():
    small, large = uuid4(), uuid4()
    grants = share_out(200, [Demand(1, large, 500_000, 0, None), Demand(2, small, 30, 0, None)])
    assert grants == {large: 170, small: 30}


def test_many_mailings_of_one_account_count_as_one():
    """L9: fairness is over accounts first."""
    mine = [Demand(1, uuid4(), 1_000, 0, None) for _ in range(9)]
    other = Demand(2, uuid4(), 1_000, 0, None)
    assert share_out(100, [*mine, other])[other.mailing_id] == 50
