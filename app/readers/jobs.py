"""The readers' jobs: what is learned about an address while mail goes out."""

from app.jobs import AddressBounced, Done, Outcome, Work, handles
from app.suppressions import suppress


@handles(AddressBounced)
async def address_bounced(work: Work, args: AddressBounced) -> Outcome:
    """Block it for every mail, a reader's or not; told twice, the first reason stays (S2)."""
    async with work.transaction() as tx:
        await suppress(tx, args.address, args.reason, args.detail)
    return Done()
