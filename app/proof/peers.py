"""Other queues and bare statements, in a process of its own: `python -m app.proof.peers`.

It reads an order and prints a tally. Each gets a database of its own on the server of the bench, and does
what Godwit's worker does: make jobs one by one and many in a call, then drain jobs that do nothing, in one
process, as fast as it can.
"""

import sys
import time
from importlib import import_module
from importlib.util import find_spec

import msgspec
import uvloop

from app.proof.peer import AT_ONCE, ENGINES, IN_A_CALL, Peer, PeerOrder, PeerTally, paced


async def measured(order: PeerOrder) -> PeerTally:
    """Carry the order out."""
    if order.engine != "bare" and find_spec(order.engine) is None:
        return PeerTally(missing=order.engine)
    peer: Peer = import_module(f"app.proof.{ENGINES[order.engine]}").This(order.url)
    await peer.open()
    tally = PeerTally()
    tally.one_by_one = await paced(peer.make, order.few, 1)
    tally.sixteen = await paced(peer.make, order.few, AT_ONCE)
    began = time.perf_counter()
    for _ in range(0, order.jobs, IN_A_CALL):
        await peer.make_many(IN_A_CALL)
    made = -(-order.jobs // IN_A_CALL) * IN_A_CALL
    tally.in_a_call = made / (time.perf_counter() - began)
    began, before, there = time.perf_counter(), time.process_time(), made + 2 * order.few
    await peer.drain(order.batch)
    tally.drained = there / (time.perf_counter() - began)
    tally.processor = (time.process_time() - before) * 1e6 / there
    await peer.close()
    return tally


if __name__ == "__main__":
    given = msgspec.json.decode(sys.stdin.buffer.read(), type=PeerOrder)
    sys.stdout.buffer.write(msgspec.json.encode(uvloop.run(measured(given))))
