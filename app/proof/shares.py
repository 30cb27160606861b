"""The bench `shares`: everybody gets their part, however much others want."""

from app.proof.codes import code_beside_bad_jobs
from app.proof.figures import Part
from app.proof.mailings import RATE, small_beside_large

SHARES = (
    Part(
        "small mailings, beside a large one",
        {"GODWIT_SEND_RATE": str(RATE)},
        (None,),
        small_beside_large,
        ("large", "small", "mailings"),
    ),
    # The second worker is another machine's: one that is killed again and again would hardly come to raise.
    Part(
        "sign-in codes, beside many jobs and bad ones",
        {},
        (None, "housekeeping"),
        code_beside_bad_jobs,
        ("codes", "jobs"),
    ),
)
