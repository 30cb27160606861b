import base64
import hashlib
import hmac
import time


def verify(secret, headers, body):
    """Whether Godwit sent it. Headers by name in small letters; the body's bytes as they came."""
    sent_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    is_time = sent_at.isascii() and sent_at.isdigit() and len(sent_at) < 16
    if not is_time or abs(time.time() - int(sent_at)) > 300:
        return False  # not of now: somebody may be playing an old one again
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{sent_id}.{sent_at}.".encode() + body
    right = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").split(" ")  # two while a secret is being rotated
    return any(hmac.compare_digest(one.encode(), right) for one in given)
