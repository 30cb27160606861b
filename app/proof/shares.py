"""The bench `shares`: everybody gets their part, however much others want."""

from app.proof.codes import code_beside_bad_jobs
from app.proof.figures import Part
from app.proof.mailings import RATE, small_beside_large

SHARES = (
    Part({"GODWIT_SEND_RATE": str(RATE)}, (None,), small_beside_large),
    # The second worker is another machine's: one that is killed again and again would hardly come to raise.
    Part({}, (None, "housekeeping"), code_beside_bad_jobs),
)
