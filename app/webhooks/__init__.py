"""Webhooks: what happened is told to endpoints that the account chose, signed, and tried until it is heard.

Owns the tables endpoint, endpoint_secret, event, event_counter and delivery. An *event* is written in the
transaction of the change (`announce`); a job numbers the account's events one after the other, freezes the
bytes of each, and makes one *delivery* per *endpoint* that hears it. A delivery has no state of its own: it
is that of its job (view delivery_state). Knows accounts by id only.

Words: a creator reads *webhook* for endpoint. *Redelivery*: the same event again because a person asked.
*Switched off*: an endpoint that is called no more because of how it answered. *Secret*: `whsec_…`, what a
receiver verifies with (Standard Webhooks 1.0).

Promises
- W1 A change that is rolled back announces nothing; one that is committed is announced.
- W2 A repeated delivery has the same id and bytes: attempts and redeliveries send what was frozen.
- W3 Nothing private is ever dialled (egress), also by a name that changes, a redirect or a redelivery.
- W4 Every attempt is signed, with every live secret and a fresh time, and is on record.
- E3–E7 hold for deliveries as for all jobs: of an endpoint no older release is begun after a newer one, but
  for one a person asked for; a frozen process is told by the number, `Godwit-Sequence`.
- E10 A hanging endpoint does not slow the others.

Policies (policies.py): releases five tries in an hour, other events ten in three days, tests three. 2xx is
delivered, 410 switches off, other 4xx but 408, 409, 425 and 429 are refused, 429 puts it off, the rest is
tried again. Three days of that, or fifty tries in a row over an hour, switch off.

Jobs (queue webhooks): fan_out, deliver_webhook, follow_endpoint; prune_webhooks (housekeeping);
endpoint_switched_off (housekeeping; handled in accounts).
"""

from app.webhooks.about_readers import ToldOf, events_about, forget_events
from app.webhooks.announcing import EVENT_TYPES, FanOut, News, announce, heard
from app.webhooks.choosing import Wanted, deliveries, delivery_counts
from app.webhooks.holding import Waiting, waiting
from app.webhooks.items import DeliveryItem, delivery_item
from app.webhooks.left import EVERY as LEFT_EVERY
from app.webhooks.left import fan_out_left
from app.webhooks.orders import DeliverWebhook
from app.webhooks.pruning import PruneWebhooks
from app.webhooks.queries import (
    Attempt,
    Bucket,
    DeliveryLine,
    WholeDelivery,
    deliveries_of_release,
    delivery,
    health,
    untold,
)
from app.webhooks.receiving import ReceiversPage, receivers_page
from app.webhooks.redelivering import Range, range_size, redeliver, redeliver_range, send_test
from app.webhooks.resealing import Resealed, reseal, sealed_under
from app.webhooks.roster import (
    Endpoint,
    FollowEndpoint,
    NewEndpoint,
    add_endpoint,
    change_endpoint,
    delete_endpoint,
    endpoint,
    endpoint_if_there,
    endpoints,
    pause_endpoint,
    resume_endpoint,
    rotate_secret,
)
from app.webhooks.secrets import SecretLine, live_secrets
from app.webhooks.states import DeliveryState, EndpointState
from app.webhooks.switching import EndpointSwitchedOff
from app.webhooks.telling import Telling, Trouble, read_telling, troubles

__all__ = [
    "EVENT_TYPES",
    "LEFT_EVERY",
    "Attempt",
    "Bucket",
    "DeliverWebhook",
    "DeliveryItem",
    "DeliveryLine",
    "DeliveryState",
    "Endpoint",
    "EndpointState",
    "EndpointSwitchedOff",
    "FanOut",
    "FollowEndpoint",
    "NewEndpoint",
    "News",
    "PruneWebhooks",
    "Range",
    "ReceiversPage",
    "Resealed",
    "SecretLine",
    "Telling",
    "ToldOf",
    "Trouble",
    "Waiting",
    "Wanted",
    "WholeDelivery",
    "add_endpoint",
    "announce",
    "change_endpoint",
    "delete_endpoint",
    "deliveries",
    "deliveries_of_release",
    "delivery",
    "delivery_counts",
    "delivery_item",
    "endpoint",
    "endpoint_if_there",
    "endpoints",
    "events_about",
    "fan_out_left",
    "forget_events",
    "health",
    "heard",
    "live_secrets",
    "pause_endpoint",
    "range_size",
    "read_telling",
    "receivers_page",
    "redeliver",
    "redeliver_range",
    "reseal",
    "resume_endpoint",
    "rotate_secret",
    "sealed_under",
    "send_test",
    "troubles",
    "untold",
    "waiting",
]
