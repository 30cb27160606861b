"""The states of a subscription, and of a reader, which is derived and never stored.

| subscription | asked for | own confirm | with consent | unsubscribe | imported active | imported left |
|--------------|-----------|-------------|--------------|-------------|-----------------|---------------|
| (none)       | pending*  | active      | active       |             | active          | unsubscribed  |
| pending      |           | active      | active       | unsubscribed| active          | unsubscribed  |
| active       |           |             |              | unsubscribed|                 | unsubscribed  |
| unsubscribed |           | active      | refused      |             |                 |               |

*) Of somebody who is nothing but pending; of a reader with any other subscription only the question is kept,
until they confirm. What is pending and was asked for here is forgotten after seven days (R7).
Only the reader's own act leads out of `unsubscribed`. A reader is, in this order: `suppressed`
when the address is blocked; `active` with any active subscription; `pending` with any that waits
for a confirmation; else `unsubscribed`, from everything.
"""

from typing import Literal, get_args

SubscriptionState = Literal["pending", "active", "unsubscribed"]
SUBSCRIPTION_STATES: tuple[SubscriptionState, ...] = get_args(SubscriptionState)

ReaderState = Literal["pending", "active", "unsubscribed", "suppressed"]
READER_STATES: tuple[ReaderState, ...] = get_args(ReaderState)

Source = Literal["import", "api", "studio", "form"]
SOURCES: tuple[Source, ...] = get_args(Source)

#: The same in SQL, for a reader `r`.
STATE_OF = """case
    when exists (select from suppression x where x.account_id = r.account_id and x.address = r.email)
        then 'suppressed'
    when exists (select from subscription s where s.account_id = r.account_id and s.reader_id = r.id
                 and s.state = 'active') then 'active'
    when exists (select from subscription s where s.account_id = r.account_id and s.reader_id = r.id
                 and s.state = 'pending') then 'pending'
    else 'unsubscribed' end"""
