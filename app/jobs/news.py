"""News that climbs from more than one slice: its type stands here, its handler where it is acted on."""

from dataclasses import dataclass
from typing import Literal

from app.jobs.registry import job


@job("address_bounced", queue="housekeeping", tries=20, secrets=("address", "detail"))
@dataclass(frozen=True)
class AddressBounced:
    """Mail to a canonical address came back for good, or was reported as spam; `detail`: in what words."""

    address: str
    reason: Literal["bounce", "complaint"]
    detail: str
